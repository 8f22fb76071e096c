"""A corpus run whose state or parts are damaged: it goes on from what is right, or says so."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.senses.corpus import map_corpus
from bertviz_core.senses.state import STATE, State
from tests.fuzz import FILES, Damage, damage

LINES = ["the cat sat on a mat", "a dog"] * 20
PART = "part-00001.parquet"
Run = Callable[[], State]


@pytest.fixture(scope="module")
def whole(tiny_encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; the text it has read lies beside it."""
    folder = tmp_path_factory.mktemp("corpus") / "whole"
    (folder.parent / "corpus.txt").write_text("\n".join(LINES), encoding="utf-8")
    map_corpus(tiny_encoder, "cat", folder.parent / "corpus.txt", folder, part_size=7)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may damage."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


@pytest.fixture
def go_on(tiny_encoder: Encoder, whole: Path, folder: Path) -> Run:
    text = whole.parent / "corpus.txt"
    return lambda: map_corpus(tiny_encoder, "cat", text, folder, part_size=7)


def change(folder: Path, **changes: object) -> None:
    state = json.loads((folder / STATE).read_text())
    (folder / STATE).write_text(json.dumps(state | changes))


@pytest.mark.parametrize(
    "changes",
    [
        *({"parts": value} for value in ("777", None, [7, 7.0, 6], [7, 7, 7], [10**30])),
        *({"read": value} for value in ("0", -1, 10**9)),
        *({"lines": None}, {"done": 1}, {"labelled": "yes"}, {"left_out": []}, {"other": 1}),
        {"word": ["cat"]},
    ],
    ids=str,
)
def test_a_state_that_no_run_has(folder: Path, go_on: Run, changes: dict[str, object]) -> None:
    change(folder, **changes)
    with pytest.raises(UserInputError, match="choose another folder"):
        go_on()


@pytest.mark.parametrize(
    "content", ["", "[]", "null", "[" * 100_000, "9" * 5000, '{"parts": []}', None]
)
def test_a_state_that_is_none(folder: Path, go_on: Run, content: str | None) -> None:
    if content is None:
        (folder / STATE).unlink()
        (folder / STATE).mkdir()
    else:
        (folder / STATE).write_text(content)
    with pytest.raises(UserInputError, match=r"state\.json cannot be read"):
        go_on()


@pytest.mark.parametrize("name", [PART, "sample.parquet"])
def test_a_file_that_is_missing(folder: Path, go_on: Run, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UserInputError, match=f"{name} is missing or damaged; choose another"):
        go_on()


def unfinished(folder: Path) -> None:
    """As if it had been killed before its sample was written."""
    change(folder, done=False)
    (folder / "sample.parquet").unlink(missing_ok=True)


def test_a_part_that_is_damaged(folder: Path, go_on: Run) -> None:
    unfinished(folder)
    content = (folder / PART).read_bytes()
    # The end, where the columns are named, is right.
    for damaged in (content[:4] + bytes(len(content) - 604) + content[-600:], b"PAR1"):
        (folder / PART).write_bytes(damaged)
        with pytest.raises(UserInputError, match=rf"{PART} is missing or damaged"):
            go_on()


def test_a_folder_that_cannot_be_made(tiny_encoder: Encoder, whole: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserInputError, match=r"broke off \(Not a directory\)"):
        map_corpus(tiny_encoder, "cat", whole.parent / "corpus.txt", tmp_path / "file" / "run")


@given(changes=damage())
@FILES
def test_any_damage_to_the_state_is_a_sentence_or_harmless(
    whole: Path, folder: Path, go_on: Run, changes: Damage
) -> None:
    (folder / STATE).write_bytes(changes((whole / STATE).read_bytes()))
    try:
        state = go_on()
    except UserInputError:
        return
    assert sum(state.parts) == state.occurrences


@given(changes=damage())
@FILES
def test_any_damage_to_a_part_is_a_sentence_or_harmless(
    whole: Path, folder: Path, go_on: Run, changes: Damage
) -> None:
    shutil.copy(whole / STATE, folder / STATE)
    unfinished(folder)
    (folder / PART).write_bytes(changes((whole / PART).read_bytes()))
    try:
        assert go_on().done
    except UserInputError as error:
        assert PART in str(error)  # noqa: PT017
