"""A worker: what it writes is what the page would compute, always with the same bytes."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Job, Model, Part
from bertviz_core.corpus.part_files import Receipt, finished
from bertviz_core.corpus.work import Outcome, Worker, attempt
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.devices import too_little_memory
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.senses import find_occurrences, sense_vectors
from tests.corpus.small_job import LINES, content, rows, tiny_job


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out/parts").mkdir(parents=True)
    return tmp_path / "out"


def made(worker: Worker, part: Part) -> Receipt:
    outcome = worker(part)
    assert (outcome.made, outcome.reason) == (True, "")
    assert outcome.receipt is not None
    return outcome.receipt


def test_the_parts_hold_what_the_page_would_compute(
    tiny: Bert, tiny_encoder: Encoder, text: Path, out: Path
) -> None:
    job = tiny_job(tiny, [text], ["Cat", "mat=mat,dog", "snake"])
    worker = Worker(job, out, tiny_encoder)
    parts = list(job.parts())
    receipts = [made(worker, part) for part in parts]
    written = rows(out)
    expected = sense_vectors(tiny_encoder, find_occurrences(LINES, "cat").occurrences)
    cats = [row for row in written if row["word"] == "Cat"]
    assert [row["sentence"] for row in cats] == [o.sentence for o in expected.occurrences]
    assert [(row["start"], row["end"]) for row in cats] == [(4, 7)] * 60
    for layer in (0, 2):
        vectors = np.float32([row[f"layer_{layer}"] for row in cats])
        assert np.abs(vectors - expected.vectors[:, layer]).max() < 1e-5
    assert {row["source"] for row in written} == {"corpus.txt"}
    lines = text.read_bytes()
    assert all(lines[row["offset"] :].startswith(row["sentence"].encode()) for row in written)
    mats = [row["sentence"][row["start"] : row["end"]] for row in written if row["word"] == "mat"]
    assert (mats.count("mat"), mats.count("dog")) == (90, 30)
    assert sum(receipt.occurrences for receipt in receipts) == 180
    assert sum(receipt.bytes for receipt in receipts) == len(lines)
    assert sum(r.sentences for r in receipts) <= 90  # one that comes again in a part runs once
    assert [finished(job, out, part) for part in parts] == receipts


def test_equal_parts_are_equal_bytes_on_any_number_of_threads(
    minilm: Bert, minilm_encoder: Encoder, tmp_path: Path
) -> None:
    """With the embedded model, whose vectors do differ where torch itself has two threads."""
    import torch

    (tmp_path / "parts").mkdir()
    path = tmp_path / "a.txt"
    path.write_text("\n".join(f"{'We sat ' * (i % 9)} on the bank of {i}." for i in range(40)))
    model = Model("all-MiniLM-L6-v2", "", "", 7, 384)
    job = replace(tiny_job(minilm, [path], ["bank"]), model=model, layers=(6,))
    before, written = torch.get_num_threads(), set()
    try:
        for threads, side_by_side in ((1, 1), (2, 1), (1, 2), (2, 3)):
            torch.set_num_threads(threads)
            worker = Worker(job, tmp_path, minilm_encoder, threads=side_by_side)
            for part in sorted(job.parts(), key=lambda part: part.number * (-1) ** threads):
                (tmp_path / part.name).unlink(missing_ok=True)
                worker(part)
            assert torch.get_num_threads() == threads  # of this thread: as it was
            written.add(tuple(content(tmp_path).values()))
    finally:
        torch.set_num_threads(before)
    assert len(written) == 1


def test_a_word_beyond_the_last_position_is_counted(
    tiny: Bert, tiny_encoder: Encoder, tmp_path: Path, out: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text("the cat " + "the " * 30 + "cat\n\u200bcat")
    job = tiny_job(tiny, [path])
    receipt = made(Worker(job, out, tiny_encoder), next(job.parts()))
    assert (receipt.occurrences, receipt.left_out, receipt.sentences) == (2, 1, 2)
    assert receipt.tokens == 16 + 3


def test_another_model_of_the_same_name_is_refused(job: Job, out: Path) -> None:
    Worker(job, out)
    for other in ({"sha256": "0" * 64}, {"tokenizer": "0" * 64}, {"name": "gone"}):
        with pytest.raises(ModelUnavailableError, match=r"begun|gone"):
            Worker(replace(job, model=replace(job.model, **other)), out)


def test_what_goes_wrong_with_a_part_is_a_sentence(
    job: Job, out: Path, text: Path, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(job, out, tiny_encoder)
    part = next(job.parts())
    text.write_text("shorter")
    assert "its size has changed" in attempt(worker, part).reason
    text.unlink()
    assert "No such file" in attempt(worker, part).reason
    text.write_text("\n".join(LINES))
    monkeypatch.setattr(worker, "_table", lambda *_: 1 / 0)
    assert "ZeroDivisionError: division by zero" in attempt(worker, part).reason

    def says_nothing(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(worker, "_table", says_nothing)
    assert attempt(worker, part) == Outcome(reason="OSError")

    def full(*_: object) -> None:
        raise too_little_memory("cuda:0", "8,192 tokens at once")

    monkeypatch.setattr(tiny_encoder, "iter_batches", full)
    failure = attempt(Worker(job, out, tiny_encoder), part)
    assert (failure.ends_run, "on the CPU" in failure.reason) == (True, True)
    assert list(out.rglob("*")) == [out / "parts"]  # nothing half written


def test_a_full_disk_while_writing(
    job: Job, out: Path, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every point where something is written."""
    worker = Worker(job, out, tiny_encoder)
    part = next(job.parts())

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for owner, name in ((pq, "ParquetWriter"), (os, "fsync"), (os, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, full)
            failure = attempt(worker, part)
        assert (failure.ends_run, "No space left on device" in failure.reason) == (True, True)
        assert list(out.rglob("*")) == [out / "parts"]
    assert attempt(worker, part).made
