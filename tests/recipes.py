"""The recipes of CONTRIBUTING.md as steps, and how to follow them."""

import re
from dataclasses import dataclass
from pathlib import Path

_STEP = re.compile(r"^`([\w/]+\.py)`(?:, (instead of|last in) `([^`]+)`)?\n\n```python\n(.*?)```",
                   re.DOTALL | re.MULTILINE)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One step of a recipe: a new file, or a change of one that is there."""

    path: str
    way: str  # "" for a new file; "instead of" a line, or "last in" a tuple or set
    where: str  # that line, or what stands before the opening bracket
    code: str


def recipe(text: str, title: str) -> list[Step]:
    """The steps below a heading, in their order."""
    (part,) = re.findall(rf"(?ms)^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text)
    return [Step(*found) for found in _STEP.findall(part)]


def follow(step: Step, project: Path) -> None:
    """Do what a step says; an AssertionError if the project is not as the recipe takes it to be."""
    file = project / step.path
    if not step.way:
        assert not file.exists(), f"{step.path} is there already"
        file.parent.mkdir(exist_ok=True)
        file.write_text(step.code, encoding="utf-8")
        return
    before = file.read_text(encoding="utf-8")
    if step.way == "instead of":
        assert before.count(f"{step.where}\n") == 1, f"{step.path} has no line {step.where}"
        after = before.replace(f"{step.where}\n", step.code)
    else:
        # From the line that opens the bracket to the one that closes it, as far to the right.
        opened = re.search(
            rf"(?ms)^( *){re.escape(step.where)}(?!\w)[^\n]*[(\[{{]\n.*?(?=^\1[)\]}}])", before
        )
        assert opened is not None, f"{step.path} has no list {step.where}"
        after = before[: opened.end()] + step.code + before[opened.end() :]
    file.write_text(after, encoding="utf-8")
