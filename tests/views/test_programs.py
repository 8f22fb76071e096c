"""Every program that a view shows runs in an empty folder and prints the numbers of the view."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.contextual.explained import explained_variance
from bertviz_core.csv_files import Column
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import Section, all_sections
from bertviz_core.views.input_embeddings.survives import shipped_sentences
from bertviz_core.views.view import View
from tests.snippets.running import run

DECIMAL = re.compile(r"-?\d+\.(\d+)(?:e(-?\d+))?")
ON_TINY = {"explained"}  # what they need takes long on a larger model
# What the pages give to views, by name.
GIVEN: dict[str, Any] = {
    "typed": InputText("I love my pet python", "She is Zoe"),
    "position": 5,
    "row": 100,
}


def given(section: Section, encoder: Encoder) -> dict[str, Any]:
    made = GIVEN | {"bert": encoder.bert, "encoder": encoder, "library": encoder}
    if "explained" in section.needs:
        made["explained"] = explained_variance(encoder, shipped_sentences())
    return {name: made[name] for name in section.needs}


def numbers_of(view: View) -> np.ndarray:
    """All numbers of its tables, pictures and sentences."""
    found = [np.array(list(_numbers([view.tables, view.values])), dtype=float)]
    found += [one.figure._data for one in view.pictures.values()]
    return np.concatenate([found[0], np.array(list(_numbers(found[1:])), dtype=float)])


def _numbers(part: Any) -> Iterator[float]:
    if isinstance(part, Column):
        part = part.values
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, np.ndarray):
        part = part.ravel().tolist() if part.dtype.kind in "iufO" else []
    if isinstance(part, list | tuple):
        for one in part:
            yield from _numbers(one)
    elif isinstance(part, int | float | np.number) and part is not None:
        yield float(part)


@pytest.mark.parametrize("section", all_sections(), ids=lambda section: section.label)
def test_the_program_prints_the_numbers_of_the_view(
    section: Section,
    minilm_encoder: Encoder,
    tiny_encoder: Encoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nine of ten decimals at least; the rest are steps between."""
    encoder = tiny_encoder if ON_TINY & set(section.needs) else minilm_encoder
    view = section.make(**given(section, encoder))
    assert view.programs
    shown, folder = numbers_of(view), encoder.bert.checkpoint.folder
    monkeypatch.chdir(tmp_path)
    for program in view.programs.values():
        text = program.text.replace(f"'path/to/{encoder.bert.name}'", repr(str(folder)))
        assert "bertviz_core" not in text
        printed, _ = run(text)
        decimals = list(DECIMAL.finditer(printed))
        assert decimals
        lost = [match[0] for match in decimals if not _holds(shown, match)]
        assert len(lost) <= len(decimals) / 10, lost


def _holds(shown: np.ndarray, printed: re.Match[str]) -> bool:
    half = 0.51 * 10.0 ** (int(printed[2] or 0) - len(printed[1]))
    return bool((np.abs(shown - float(printed[0])) <= half).any())
