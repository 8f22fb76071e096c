"""What the README says is run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def test_it_opens_with_a_sentence_a_picture_and_two_commands() -> None:
    parts = [part for part in re.split(r"\n\n+", README) if part.strip()]
    assert parts[0].startswith("# ")
    assert parts[1].endswith(".")
    assert parts[2].startswith("![")
    assert parts[3] == "```\nmake run\nmake test\n```"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in ("run", "test", "test-slow", "bench", "screenshots"):
        assert re.search(rf"(?m)^{command}:", makefile)
        assert f"make {command}" in README


def test_its_pictures_and_files_exist() -> None:
    for path in re.findall(r"\]\((docs/[^)]+)\)", README):
        assert (ROOT / path).is_file(), path
    recipe = re.search(r"## How to add a page.*?(?=\n## )", README, re.DOTALL)
    assert recipe is not None
    described = README.replace(recipe.group(), "")
    for path in re.findall(r"`((?:tests|benchmarks|bertviz_core|\.streamlit)/[\w./]*)`", described):
        assert (ROOT / path).exists(), path
