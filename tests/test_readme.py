"""What the README and CONTRIBUTING.md say is run, and is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README, CONTRIBUTING, SECURITY = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")
)


def test_the_python_example_gives_what_its_comments_say() -> None:
    (example,) = re.findall(r"## Use it from Python\n+```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    results = []
    for statement in example.splitlines():
        code, _, comment = statement.partition("#")
        if re.fullmatch(r"(from .*|\w+ = .*|)\s*", code):
            exec(code, names)
        else:
            results.append((eval(code, names), comment.strip()))
    (shape, said_shape), (token, said_token), (cosine, said_cosine) = results
    assert str(shape) == said_shape
    assert repr(token) == said_token
    assert cosine == pytest.approx(float(said_cosine), abs=5e-4)


def test_its_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([\w-]+)`", README + CONTRIBUTING + SECURITY))
    assert "test-slow" in named
    for command in named:
        assert re.search(rf"(?m)^{command}:", makefile), command


def test_every_page_has_its_row() -> None:
    rows = re.findall(r"(?m)^\| (.+?) \| .+\? \|", README)
    names = [path.stem.partition("_")[2].replace("_", " ") for path in ROOT.glob("pages/*.py")]
    assert sorted(rows) == sorted(["Home", *names])


def test_what_they_name_exists() -> None:
    """Files that are named as code; tests/test_links.py follows the links."""
    without_recipes, *_ = CONTRIBUTING.partition("## How to add")  # they name files to be made
    for text in (README, without_recipes, SECURITY):
        for path in re.findall(
            r"`((?:tests|benchmarks|bertviz_core|docs|\.streamlit)/[\w./-]*)`", text
        ):
            assert (ROOT / path).exists(), path
        for path in re.findall(r"`((?:ui|encoder|figures|claims)/[\w./]*)`", text):
            assert (ROOT / "bertviz_core" / path).exists(), path


def test_every_room_has_its_place_in_the_lay_of_the_house() -> None:
    table = re.search(r"\| room of .*?\n\n", CONTRIBUTING, re.DOTALL)
    assert table is not None
    rooms = {path.parent.name for path in (ROOT / "bertviz_core").glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", table.group())) - {"bertviz_core"} == rooms
