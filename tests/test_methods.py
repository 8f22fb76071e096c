"""The page on methods explains what the findings point to, and nothing else."""

import ast
import re

from tests.headless import ROOT

UI = ROOT / "bertviz_core" / "ui"


def explained() -> list[str]:
    """Addresses of the headings below the pages' own, as Streamlit makes them."""
    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    return [re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") for heading in headings]


def pointed_to() -> set[str]:
    """What the code gives as `method=`, as a text of its own or one of several."""
    found = set[str]()
    for path in UI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "method":
                found |= {
                    part.value
                    for part in ast.walk(node.value)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    return found


def test_every_question_mark_has_its_answer() -> None:
    headings = explained()
    assert len(headings) == len(set(headings))
    assert pointed_to() <= set(headings)
