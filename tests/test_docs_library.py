"""The programs of docs/library.md run, and print what it says."""

import io
import re
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


def test_every_program_has_its_output() -> None:
    assert DOCUMENT.count("```python") == len(PROGRAMS) > 1


@pytest.fixture(scope="module")
def printed(
    tmp_path_factory: pytest.TempPathFactory, minilm: Bert, minilm_encoder: Encoder
) -> list[tuple[str, dict[str, Any]]]:
    """What each program prints, and its names afterwards; the model is opened once for all."""
    folder = tmp_path_factory.mktemp("library")
    names: dict[str, Any] = {}
    ran = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("bertviz_core.bert.load_bert", lambda name: minilm)
        patch.setattr("bertviz_core.encoder.load_encoder", lambda bert: minilm_encoder)
        for program, _ in PROGRAMS:
            output = io.StringIO()
            with redirect_stdout(output):
                exec(program, names)
            ran.append((output.getvalue(), dict(names)))
    return ran


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_prints_its_output(
    number: int, printed: list[tuple[str, dict[str, Any]]]
) -> None:
    program, said = PROGRAMS[number]
    found, names = printed[number]
    assert _words(found) == _words(said)
    assert _numbers(found) == pytest.approx(_numbers(said), abs=ROUNDING)
    if "figure = " in program:
        figure = names["figure"]
        assert isinstance(figure, go.Figure)
        assert figure.to_dict()["data"]


def _words(text: str) -> list[str]:
    """All but the numbers with decimals, and how far apart things stand."""
    return NUMBER.sub("0.0", text).split()


def _numbers(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text)]
