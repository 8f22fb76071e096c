"""Calibrations written to disk and read again."""

import os
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from huggingface_hub import constants
from hypothesis import given

from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Calibration, calibrate
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.disk import cache_file, save_calibration, saved_calibration
from bertviz_core.encoder import load_encoder
from tests.fuzz import FILES, Damage, damage


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


@pytest.fixture(scope="module")
def whole(tiny: Bert, calibration_of_tiny: Calibration) -> bytes:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(constants, "HF_HUB_CACHE", f"{folder}/hub")
        assert save_calibration(tiny, calibration_of_tiny)
        return cache_file(tiny).read_bytes()


@pytest.fixture(scope="module")
def calibration_of_tiny(tiny: Bert) -> Calibration:
    words = [f"{a} {b}" for a in ("the", "my", "a") for b in ("cat", "dog")]
    return calibrate(load_encoder(tiny), [f"{word} sat on the mat" for word in words] * 20)


@given(changes=damage())
@FILES
def test_a_damaged_file_gives_none_or_what_was_saved(
    hub: Path, tiny: Bert, calibration_of_tiny: Calibration, whole: bytes, changes: Damage
) -> None:
    path = cache_file(tiny)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(changes(whole))
    found = saved_calibration(tiny)
    assert found is None or same(found, calibration_of_tiny)


def test_headers_that_numpy_fails_on(hub: Path, calibration: Calibration, minilm: Bert) -> None:
    """A header that is cut open raised TokenError; one of 8 TB must not take memory."""
    save_calibration(minilm, calibration)
    path = cache_file(minilm)
    for header in (b"{'descr': '<f4", b"{'shape': (1000000000000, 2), 'descr': '<f8', "):
        with zipfile.ZipFile(path, "w") as archive:
            content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
            archive.writestr("key.npy", content)
        assert saved_calibration(minilm) is None
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("key.npy", bytes(60_000_000))
    assert path.stat().st_size < 100_000
    assert saved_calibration(minilm) is None


def test_a_folder_that_cannot_be_written_is_no_error(
    hub: Path, calibration: Calibration, minilm: Bert
) -> None:
    (hub / "bertviz").write_text("a file stands in the way", encoding="utf-8")
    assert not save_calibration(minilm, calibration)
    assert saved_calibration(minilm) is None


def test_the_file_follows_the_model(
    hub: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, minilm: Bert, tmp_path: Path
) -> None:
    own = shutil.copytree(tiny_folder, tmp_path / "own")  # other tests hold the shared one open
    tiny = load_bert(own)
    first = cache_file(tiny)
    assert cache_file(load_bert(own)) == first != cache_file(minilm)
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
