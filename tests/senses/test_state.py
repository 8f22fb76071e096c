"""A corpus run whose state or parts are damaged: it goes on from what is right, or says so."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import UserInputError
from bertviz_core.senses.corpus import map_corpus
from bertviz_core.senses.state import STATE
from tests.fuzz import FILES, Damage, damage

LINES = ["the cat sat on a mat", "a dog"] * 20


@pytest.fixture(scope="module")
def encoder(tiny: Bert) -> Encoder:
    return load_encoder(tiny)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(encoder: Encoder, text: Path) -> Path:
    folder = text.parent / "whole"
    map_corpus(encoder, "cat", text, folder, part_size=7)
    return folder


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy of the finished run that a test may damage."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


@pytest.mark.parametrize(
    "changes",
    [
        {"parts": "777"},
        {"parts": None},
        {"parts": [7, 7.0, 6]},
        {"parts": [7, 7, 7]},
        {"parts": [10**30]},
        {"read": "0"},
        {"read": -1},
        {"read": 10**9},
        {"lines": None},
        {"done": 1},
        {"labelled": "yes"},
        {"left_out": []},
        {"other": 1},
        {"word": ["cat"]},
    ],
)
def test_a_state_that_no_run_has(
    encoder: Encoder, text: Path, run: Path, changes: dict[str, object]
) -> None:
    state = json.loads((run / STATE).read_text())
    (run / STATE).write_text(json.dumps(state | changes))
    with pytest.raises(UserInputError, match="choose another folder"):
        map_corpus(encoder, "cat", text, run, part_size=7)


@pytest.mark.parametrize("content", ["", "[]", "null", "[" * 100_000, "9" * 5000, '{"parts": []}'])
def test_a_state_that_is_none(encoder: Encoder, text: Path, run: Path, content: str) -> None:
    (run / STATE).write_text(content)
    with pytest.raises(UserInputError, match=r"state\.json cannot be read"):
        map_corpus(encoder, "cat", text, run, part_size=7)


def test_a_folder_where_the_state_should_be(encoder: Encoder, text: Path, run: Path) -> None:
    (run / STATE).unlink()
    (run / STATE).mkdir()
    with pytest.raises(UserInputError, match=r"state\.json cannot be read"):
        map_corpus(encoder, "cat", text, run, part_size=7)


@pytest.mark.parametrize("name", ["part-00001.parquet", "sample.parquet"])
def test_a_file_that_is_missing(encoder: Encoder, text: Path, run: Path, name: str) -> None:
    (run / name).unlink()
    with pytest.raises(UserInputError, match=f"{name} is missing or damaged; choose another"):
        map_corpus(encoder, "cat", text, run, part_size=7)


def unfinished(run: Path) -> None:
    """As if it had been killed before its sample was written."""
    state = json.loads((run / STATE).read_text())
    (run / STATE).write_text(json.dumps(state | {"done": False}))
    (run / "sample.parquet").unlink(missing_ok=True)


def test_a_part_that_is_damaged(encoder: Encoder, text: Path, run: Path) -> None:
    unfinished(run)
    part = run / "part-00001.parquet"
    content = bytearray(part.read_bytes())
    content[4:-600] = bytes(len(content) - 604)  # the end, where the columns are named, is right
    part.write_bytes(content)
    with pytest.raises(UserInputError, match=r"part-00001\.parquet is missing or damaged"):
        map_corpus(encoder, "cat", text, run, part_size=7)
    part.write_bytes(b"PAR1")
    with pytest.raises(UserInputError, match=r"part-00001\.parquet is missing or damaged"):
        map_corpus(encoder, "cat", text, run, part_size=7)


def test_a_folder_that_cannot_be_made(encoder: Encoder, text: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserInputError, match=r"broke off \(Not a directory\)"):
        map_corpus(encoder, "cat", text, tmp_path / "file" / "run")


@given(changes=damage())
@FILES
def test_any_damage_to_the_state_is_a_sentence_or_harmless(
    encoder: Encoder, text: Path, whole: Path, run: Path, changes: Damage
) -> None:
    (run / STATE).write_bytes(changes((whole / STATE).read_bytes()))
    try:
        state = map_corpus(encoder, "cat", text, run, part_size=7)
    except UserInputError:
        return
    assert sum(state.parts) == state.occurrences


@given(changes=damage())
@FILES
def test_any_damage_to_a_part_is_a_sentence_or_harmless(
    encoder: Encoder, text: Path, whole: Path, run: Path, changes: Damage
) -> None:
    shutil.copy(whole / STATE, run / STATE)
    unfinished(run)
    part = "part-00001.parquet"
    (run / part).write_bytes(changes((whole / part).read_bytes()))
    try:
        assert map_corpus(encoder, "cat", text, run, part_size=7).done
    except UserInputError as error:
        assert part in str(error)  # noqa: PT017
