"""The recipes of CONTRIBUTING.md, followed in a copy of the app: a section, a page, a stop."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bertviz_core.ui.tour.stops import STOPS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"^`([\w/]+\.\w+)`(?:, (below|last in) `([^`]+)`)?\n\n```\w+\n(.*?)```",
                  re.DOTALL | re.MULTILINE)  # fmt: skip


class Step(NamedTuple):
    """One step of a recipe: a new file, or a change of one that is there."""

    path: str
    way: str  # "" for a new file; "below" a line, or "last in" a tuple, set or dict
    where: str  # how that line begins, or what stands before the opening bracket
    code: str


def recipe(what: str) -> list[Step]:
    """The steps below a heading, in their order."""
    (part,) = re.findall(rf"(?ms)^## How to add a {what}\n(.*?)(?=^## |\Z)", TEXT)
    return [Step(*found) for found in STEP.findall(part)]


SECTION, PAGE, STOP = map(recipe, ("section", "page", "stop to the tour"))

# Where `make test` looks at each page, view, claim and stop, and at what lists all of them.
FILES = [f"tests/{name}" for name in (
    "test_layers.py", "test_methods.py", "test_readme.py", "test_links.py", "claims", "views",
    "ui/test_link_keys.py", "ui/test_pages.py", "ui/test_every_view.py", "ui/test_embed.py",
    "ui/test_fields.py", "ui/test_tour.py",
)]  # fmt: skip
NEW = "token_freq or row_len or row-len or test_layers or test_methods or test_documents"
NEW += f" or its_row or listed or says_what or the_same_table or [{len(STOPS) + 1}] or score_at"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which all three have been followed."""
    copy = tmp_path_factory.mktemp("recipes") / "project"
    left_out = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "dist")
    shutil.copytree(ROOT, copy, ignore=left_out)
    for step in [*SECTION, *PAGE, *STOP]:
        follow(step, copy)
    succeeds(copy, "-m", "scripts.write_docs")  # `make links`
    return copy


def test_what_they_add_passes_the_tests_of_all_others(project: Path) -> None:
    """In one process: each would import everything anew."""
    succeeds(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", *FILES, "-k", NEW)


def test_what_they_add_is_written_as_the_house_writes(project: Path) -> None:
    changed = sorted({step.path for step in [*SECTION, *PAGE, *STOP] if step.path.endswith(".py")})
    succeeds(project, "-m", "ruff", "check", *changed)
    succeeds(project, "-m", "ruff", "format", "--check", *changed)
    typed = [path for path in changed if not path.startswith("tests/")]
    succeeds(project, "-m", "mypy", "--num-workers", "0", *typed)


def follow(step: Step, project: Path) -> None:
    """Do what a step says; an error if the project is not as the recipe takes it to be."""
    file = project / step.path
    if not step.way:
        assert not file.exists(), f"{step.path} is there already"
        file.parent.mkdir(exist_ok=True)
        file.write_text(step.code, encoding="utf-8")
        return
    before = file.read_text(encoding="utf-8")
    start = rf"(?ms)^( *){re.escape(step.where)}"
    # Below a line; or from one that opens a bracket to the one that closes it, as far to the right.
    rest = r"[^\n]*\n" if step.way == "below" else r"(?!\w)[^\n]*[(\[{]\n.*?(?=^\1[)\]}])"
    (found,) = re.finditer(start + rest, before)
    file.write_text(before[: found.end()] + step.code + before[found.end() :], encoding="utf-8")


def succeeds(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
