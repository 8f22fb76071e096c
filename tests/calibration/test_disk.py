"""Calibrations written to disk and read again."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Scales
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.disk import cache_file, save_calibration, saved_calibration

pytestmark = pytest.mark.usefixtures("hub_cache")


def everything(scales: Scales) -> dict:
    return vars(scales) | {"words": {pair: vars(scale) for pair, scale in scales.words.items()}}


def test_on_disk_and_back(hub_cache: Path, scales: Scales, minilm: Bert) -> None:
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, scales)
    (path,) = (hub_cache.parent / "bertviz").iterdir()  # one file, and no part of one left
    assert path == cache_file(minilm)
    assert path.stat().st_size < 450_000
    again = saved_calibration(minilm)
    np.testing.assert_equal(everything(again), everything(scales))
    assert not again.means.flags.writeable


def test_a_damaged_or_foreign_file_is_ignored(scales: Scales, minilm: Bert) -> None:
    save_calibration(minilm, scales)
    path = cache_file(minilm)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for damaged in (b"", b"PK", whole[: len(whole) // 2], b"x" * 5000, flipped):
        path.write_bytes(damaged)
        assert saved_calibration(minilm) is None
    path.write_bytes(whole)
    with np.load(path) as file:
        parts = dict(file)
    for changed in (
        {"key": np.array("another")},
        {"means": np.array([{}], dtype=object)},  # would have to be unpickled
    ):
        np.savez(path, **{**parts, **changed})
        assert saved_calibration(minilm) is None
    assert save_calibration(minilm, scales)
    assert saved_calibration(minilm) is not None


def test_the_file_follows_the_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch, minilm: Bert, tmp_path: Path
) -> None:
    tiny = load_bert(folder)
    first = cache_file(tiny)
    assert cache_file(load_bert(folder)) == first != cache_file(minilm)
    stamp = tiny.checkpoint.weights.stat()
    os.utime(tiny.checkpoint.weights, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1000))
    assert cache_file(tiny) != first
    pinned = replace(minilm, checkpoint=replace(minilm.checkpoint, revision="a" * 40))
    moved = replace(pinned, checkpoint=replace(pinned.checkpoint, folder=tmp_path))
    assert cache_file(pinned) == cache_file(moved) != cache_file(minilm)
    before = cache_file(pinned)
    monkeypatch.setattr(run_module, "SENTENCES", run_module.FUNCTION_WORDS)
    assert cache_file(pinned) != before
