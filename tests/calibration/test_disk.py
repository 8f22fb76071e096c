"""Calibrations written to disk and read again."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import constants

from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Calibration
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.disk import cache_file, save_calibration, saved_calibration


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub cache of its own; calibrations lie beside it, in its parent."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


def same(a: Calibration | None, b: Calibration) -> bool:
    return a is not None and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in Calibration.__annotations__
    )


def test_on_disk_and_back(hub: Path, calibration: Calibration, minilm: Bert) -> None:
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, calibration)
    (path,) = (hub / "bertviz").iterdir()  # one file, and no part of one left
    assert path == cache_file(minilm)
    assert path.stat().st_size < 200_000
    again = saved_calibration(minilm)
    assert same(again, calibration)
    assert not again.means.flags.writeable


def test_a_damaged_or_foreign_file_is_ignored(
    hub: Path, calibration: Calibration, minilm: Bert
) -> None:
    save_calibration(minilm, calibration)
    path = cache_file(minilm)
    whole = path.read_bytes()
    for damaged in (b"", b"PK", whole[:1000], whole[: len(whole) // 2], b"x" * 5000):
        path.write_bytes(damaged)
        assert saved_calibration(minilm) is None
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    path.write_bytes(flipped)
    assert saved_calibration(minilm) is None
    path.write_bytes(whole)
    with np.load(path) as file:
        parts = dict(file)
    np.savez(path, **{**parts, "key": np.array("another")})
    assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "means": parts["means"][:, :8]})
    assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "quantiles": parts["quantiles"][:, ::-1]})
    assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "means": np.array([{}], dtype=object)})  # would have to be unpickled
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, calibration)
    assert same(saved_calibration(minilm), calibration)


def test_a_folder_that_cannot_be_written_is_no_error(
    hub: Path, calibration: Calibration, minilm: Bert
) -> None:
    (hub / "bertviz").write_text("a file stands in the way", encoding="utf-8")
    assert not save_calibration(minilm, calibration)
    assert saved_calibration(minilm) is None


def test_the_file_follows_the_model(
    hub: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, minilm: Bert, tmp_path: Path
) -> None:
    tiny = load_bert(tiny_folder)
    first = cache_file(tiny)
    assert cache_file(load_bert(tiny_folder)) == first != cache_file(minilm)
    stamp = tiny.checkpoint.weights.stat()
    os.utime(tiny.checkpoint.weights, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1000))
    assert cache_file(tiny) != first
    pinned = replace(minilm, checkpoint=replace(minilm.checkpoint, revision="a" * 40))
    moved = replace(pinned, checkpoint=replace(pinned.checkpoint, folder=tmp_path))
    assert cache_file(pinned) == cache_file(moved) != cache_file(minilm)
    before = cache_file(pinned)
    other = tmp_path / "sentences.txt"
    other.write_text("The cat sat.\n", encoding="utf-8")
    monkeypatch.setattr(run_module, "SENTENCES", other)
    assert cache_file(pinned) != before
