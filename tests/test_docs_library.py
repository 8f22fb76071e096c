"""The programs of docs/library.md print what it says; so do the examples of what it names."""

import ast
import doctest
import importlib
import inspect
import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", DOCUMENT, re.DOTALL)
NUMBER = re.compile(r"-?\d+\.\d+")
ROUNDING = 0.002  # another processor may round the last digit that is printed another way
SHARED = ("bert", "encoder", "corpus", "occurrences", "np")
# Looked up before the programs run, for which the model is opened once.
NAMED = {
    alias.name: named
    for program, _ in PROGRAMS
    for node in ast.walk(ast.parse(program))
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bertviz_core")
    for alias in node.names
    if inspect.isfunction(named := getattr(importlib.import_module(str(node.module)), alias.name))
}
NAMED["hidden_states"] = Encoder.hidden_states


def test_every_program_is_run() -> None:
    assert DOCUMENT.count("```python") == len(PROGRAMS) >= len(re.findall("(?m)^## ", DOCUMENT))


@pytest.fixture(scope="module")
def printed(
    tmp_path_factory: pytest.TempPathFactory, minilm: Bert, minilm_encoder: Encoder
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What each program prints, and its names afterwards; the model is opened once for all."""
    names: dict[str, Any] = {}
    ran = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("library"))
        patch.setattr("bertviz_core.bert.load_bert", lambda name: minilm)
        patch.setattr("bertviz_core.encoder.load_encoder", lambda bert: minilm_encoder)
        for program, _ in PROGRAMS:
            output = io.StringIO()
            with redirect_stdout(output):
                exec(program, names)
            ran.append((output.getvalue(), dict(names)))
        yield ran


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_prints_what_is_below_it(
    number: int, printed: list[tuple[str, dict[str, Any]]]
) -> None:
    program, expected = PROGRAMS[number]
    found, names = printed[number]
    assert NUMBER.sub("0.0", found).split() == NUMBER.sub("0.0", expected).split()
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (found, expected)]
    assert numbers[0] == pytest.approx(numbers[1], abs=ROUNDING)
    if "figure = " in program:
        assert isinstance(names["figure"], go.Figure)
        assert names["figure"].to_dict()["data"]


@pytest.mark.parametrize("name", NAMED)
def test_the_example_of_a_function(name: str, printed: list[tuple[str, dict[str, Any]]]) -> None:
    """It finds the names of its module, and those that the document says."""
    shared = {key: printed[-1][1][key] for key in SHARED}
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(NAMED[name], name, globs=NAMED[name].__globals__ | shared)
    assert example.examples, f"{name} has no example"
    failures: list[str] = []
    doctest.DocTestRunner().run(example, out=failures.append)
    assert not failures, "".join(failures)
