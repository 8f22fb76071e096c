import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import faiss
import numpy as np
import pytest

from bertviz_core.arrays import Array, cosine
from bertviz_core.corpus import index
from bertviz_core.corpus.index import build, open_index
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from tests.corpus.made import JOB, Row, write_manifest, write_part

COUNT, HIDDEN = 6_000, 16
WIDER = replace(JOB, model=replace(JOB.model, hidden_size=HIDDEN))


@pytest.fixture(scope="module")
def vectors() -> Array:
    """Of 40 uses of words, some hundred each."""
    chance = np.random.default_rng(0)
    uses = chance.normal(size=(40, HIDDEN))
    noise = 0.2 * chance.normal(size=(COUNT, HIDDEN))
    return (uses[chance.integers(0, 40, COUNT)] + noise).astype(np.float32)


@pytest.fixture(scope="module")
def written(vectors: Array, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    rows = [Row("go" if i % 2 else "bank", vector.tolist()) for i, vector in enumerate(vectors)]
    write_manifest(folder, WIDER)
    write_part(folder, WIDER, 0, rows[:3_500], group=1_000)
    write_part(folder, WIDER, 1, rows[3_500:], group=1_000)
    return folder


@pytest.fixture
def occurrences(written: Path, tmp_path: Path) -> Occurrences:
    return Occurrences.open(Path(shutil.copytree(written, tmp_path / "corpus")))


def files(occurrences: Occurrences) -> set[str]:
    return {str(path.relative_to(occurrences.folder)) for path in occurrences.folder.rglob("*")}


@pytest.mark.parametrize("word", [None, "bank"])
def test_most_of_the_nearest_are_proposed(
    occurrences: Occurrences, vectors: Array, monkeypatch: pytest.MonkeyPatch, word: str | None
) -> None:
    monkeypatch.setattr(index, "SHARD", 2_500)  # three files
    build(occurrences, 2)
    opened = open_index(occurrences, 2)
    assert opened is not None
    assert sum(name.endswith(".faiss") for name in files(occurrences)) == 3
    rows = None if word is None else occurrences.rows(word=word)
    among = np.arange(COUNT) if rows is None else rows
    shares = []
    for query in vectors[:50] + np.float32(0.01):
        wanted = among[np.argsort(-cosine(vectors[among], query))[:10]]
        proposed = opened.propose(query, 18, rows)
        assert proposed.dtype == np.int64
        assert len(np.unique(proposed)) == 18
        assert np.isin(proposed, among).all()
        shares.append(np.isin(wanted, proposed).mean())
    assert np.mean(shares) >= 0.95


def test_progress_counts_each_row_twice(occurrences: Occurrences) -> None:
    done: list[int] = []
    build(occurrences, 0, done.append)
    assert done == sorted(done)
    assert done[-1] == 2 * COUNT


def test_fewer_rows_than_asked_for(occurrences: Occurrences) -> None:
    opened = build(occurrences, 0)
    rows = np.array([3, 5_999])
    assert sorted(opened.propose(np.ones(HIDDEN, np.float32), 18, rows).tolist()) == [3, 5_999]


def test_an_index_is_of_one_layer_and_of_these_parts(occurrences: Occurrences) -> None:
    assert open_index(occurrences, 0) is None
    build(occurrences, 0)
    assert open_index(occurrences, 0) is not None
    assert open_index(occurrences, 2) is None
    write_part(occurrences.folder, WIDER, 1, [Row("bank", [1] * HIDDEN)])
    grown = Occurrences.open(occurrences.folder)
    assert open_index(grown, 0) is None
    build(grown, 0)  # in the place of the other one
    opened = open_index(grown, 0)
    assert opened is not None
    assert opened.propose(np.ones(HIDDEN, np.float32), 1).max() <= 3_500


@pytest.mark.parametrize("damage", ["cut", "about", "missing", "other"])
def test_a_damaged_index_is_none(occurrences: Occurrences, damage: str) -> None:
    build(occurrences, 0)
    folder = occurrences.folder / "index-layer_0"
    shard = folder / "shard-000.faiss"
    if damage == "cut":
        shard.write_bytes(shard.read_bytes()[:1_000])
    elif damage == "about":
        (folder / "about.json").write_text("{}")
    elif damage == "missing":
        shard.unlink()
    else:
        shard.write_bytes(b"no index".ljust(shard.stat().st_size))
    assert open_index(occurrences, 0) is None


def test_a_full_disk_leaves_nothing(
    occurrences: Occurrences, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object, path: str) -> None:
        Path(path).write_bytes(b"half")
        raise RuntimeError("Error: 'ret == (1)' failed: write error: No space left on device")

    before = files(occurrences)
    monkeypatch.setattr(faiss, "write_index", refuse)
    with pytest.raises(UserInputError, match=r"The index cannot be written to .*shard-000"):
        build(occurrences, 0)
    assert files(occurrences) == before


def test_what_a_killed_run_left_is_removed_a_day_later(occurrences: Occurrences) -> None:
    left, begun = (occurrences.folder / f"index-layer_0.unfinished-{i}" for i in range(2))
    for folder in (left, begun):
        folder.mkdir()
        (folder / "shard-000.faiss").write_bytes(b"half")
    day_ago = time.time() - 25 * 3600
    os.utime(left, (day_ago, day_ago))
    build(occurrences, 0)
    assert not left.exists()
    assert begun.exists()


def test_without_faiss_one_is_told_what_to_install(
    occurrences: Occurrences, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(occurrences, 0)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(UserInputError, match="needs FAISS, which is not installed"):
        build(occurrences, 0)
    assert open_index(occurrences, 0) is None  # all are compared instead


def test_nothing_to_index(tmp_path: Path) -> None:
    write_manifest(tmp_path, JOB)
    with pytest.raises(UserInputError, match="no occurrence, so nothing to index"):
        build(Occurrences.open(tmp_path), 0)
