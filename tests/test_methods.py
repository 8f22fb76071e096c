"""The page on methods explains what the findings point to, and nothing else."""

import ast
import re

from bertviz_core.views.docs import best_methods as matches
from bertviz_core.views.docs import methods
from tests.headless import ROOT

NODES = [
    node
    for room in ("ui", "views")
    for path in (ROOT / "bertviz_core" / room).rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.keyword | ast.Assign | ast.Call)
]
METHODS = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


def explained() -> list[str]:
    """Addresses of the headings below the pages' own, as Streamlit makes them."""
    headings = re.findall(r"^### (.+)$", METHODS, re.MULTILINE)
    return [re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") for heading in headings]


def pointed_to() -> set[str]:
    """What the code gives as `method=`, as a text of its own or in a name of that kind."""
    found = set[str]()
    for node in NODES:
        given = isinstance(node, ast.keyword) and node.arg == "method"
        named = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).lower() == "method"
        if isinstance(node, ast.keyword | ast.Assign) and (given or named):
            found |= {
                part.value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            }
    return found


def test_every_finding_leads_to_its_entry() -> None:
    for node in NODES:
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("finding", "say"):
            assert "method" in [word.arg for word in node.keywords], ast.unparse(node)


def test_every_question_mark_has_its_answer_and_every_entry_is_led_to() -> None:
    headings = explained()
    assert len(headings) == len(set(headings))
    assert set(headings) <= set(methods())
    for name in headings:
        assert matches(name) == [name]
        assert name in matches(methods()[name][0])[:2]
    of_all = {"what-the-model-in-use-is", "sentences-and-their-conditions", "words-used-throughout"}
    assert set(headings) == pointed_to() | of_all
