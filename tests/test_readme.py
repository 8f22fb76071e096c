"""What the README and CONTRIBUTING.md say is run, and is there."""

import re
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
README, CONTRIBUTING, SECURITY, HOSTING = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/hosting.md")
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


def test_it_opens_with_a_sentence_a_moving_picture_and_two_commands() -> None:
    parts = [part for part in re.split(r"\n\n+", README) if part.strip()]
    assert parts[0].startswith("# ")
    assert parts[1].endswith(".")
    (picture,) = re.findall(r"^!\[.{80,}\]\((.+)\)$", parts[2])
    assert (ROOT / picture).stat().st_size < 1_500_000
    with Image.open(ROOT / picture) as moving:
        assert moving.format == "WEBP"
        assert moving.n_frames > 20  # type: ignore[attr-defined]
        assert moving.width >= 800
    assert parts[3] == "```\nmake run\nmake test\n```"


def test_its_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([\w-]+)`", README + CONTRIBUTING + SECURITY))
    assert {"run", "test", "test-slow", "bench", "screenshots", "container"} <= named
    for command in named:
        assert re.search(rf"(?m)^{command}:", makefile), command


def test_every_page_has_its_row() -> None:
    rows = re.findall(r"(?m)^\| (.+?) \| .+\? \|", README)
    names = [path.stem.partition("_")[2].replace("_", " ") for path in ROOT.glob("pages/*.py")]
    assert sorted(rows) == sorted(["Home", *names])


def test_what_they_point_to_exists() -> None:
    for name, text in (("", README), ("", CONTRIBUTING), ("", SECURITY), ("docs/", HOSTING)):
        for path in re.findall(r"\]\(((?!https?:)[^)#]+)(?:#[^)]*)?\)", text):
            assert (ROOT / name / path).exists(), path
    assert recipe_free(CONTRIBUTING) != CONTRIBUTING
    for text in (README, recipe_free(CONTRIBUTING), SECURITY):
        for path in re.findall(
            r"`((?:tests|benchmarks|bertviz_core|docs|\.streamlit)/[\w./-]*)`", text
        ):
            assert (ROOT / path).exists(), path
        for path in re.findall(r"`((?:ui|encoder|figures|claims)/[\w./]*)`", text):
            assert (ROOT / "bertviz_core" / path).exists(), path


def recipe_free(text: str) -> str:
    """Without the recipes, whose files are not there yet."""
    return re.sub(r"## How to add a page.*", "", text, flags=re.DOTALL)


def test_every_room_has_its_place_in_the_lay_of_the_house() -> None:
    table = re.search(r"\| room of .*?\n\n", CONTRIBUTING, re.DOTALL)
    assert table is not None
    rooms = {path.parent.name for path in (ROOT / "bertviz_core").glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", table.group())) - {"bertviz_core"} == rooms
    assert len(table.group().splitlines()) <= 14
