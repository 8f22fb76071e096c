"""Calibrations written to disk and read again."""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from huggingface_hub import constants
from hypothesis import given

from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Calibration, Scales, calibrate
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.disk import cache_file, save_calibration, saved_calibration
from bertviz_core.encoder import load_encoder
from tests.fuzz import FILES, Damage, damage
from tests.headless import ROOT
from tests.waiting import wait_for


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub cache of its own; calibrations lie beside it, in its parent."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


def same(a: Scales | None, b: Scales) -> bool:
    return (
        a is not None
        and list(a.words) == list(b.words)
        and (a.model, a.sentences) == (b.model, b.sentences)
        and np.array_equal(a.means, b.means)
        and all(
            np.array_equal(getattr(one, name), getattr(other, name))
            for one, other in zip(a.words.values(), b.words.values(), strict=True)
            for name in Calibration.__annotations__
        )
    )


def test_on_disk_and_back(hub: Path, scales: Scales, minilm: Bert) -> None:
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, scales)
    (path,) = (hub / "bertviz").iterdir()  # one file, and no part of one left
    assert path == cache_file(minilm)
    assert path.stat().st_size < 450_000
    again = saved_calibration(minilm)
    assert same(again, scales)
    assert not again.means.flags.writeable


def test_a_damaged_or_foreign_file_is_ignored(hub: Path, scales: Scales, minilm: Bert) -> None:
    save_calibration(minilm, scales)
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
    np.savez(path, **{**parts, "quantiles": parts["quantiles"][..., ::-1]})
    assert saved_calibration(minilm) is None
    for kinds in (parts["kinds"][:-1], parts["kinds"] + 1, parts["kinds"] * 0):
        np.savez(path, **{**parts, "kinds": kinds})
        assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "means": np.array([{}], dtype=object)})  # would have to be unpickled
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, scales)
    assert same(saved_calibration(minilm), scales)


@pytest.fixture(scope="module")
def whole(tiny: Bert, calibration_of_tiny: Scales) -> bytes:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(constants, "HF_HUB_CACHE", f"{folder}/hub")
        assert save_calibration(tiny, calibration_of_tiny)
        return cache_file(tiny).read_bytes()


@pytest.fixture(scope="module")
def calibration_of_tiny(tiny: Bert) -> Scales:
    words = [f"{a} {b}" for a in ("the", "my", "a") for b in ("cat", "dog")]
    return calibrate(load_encoder(tiny), [f"{word} sat on the mat" for word in words] * 20)


@given(changes=damage())
@FILES
def test_a_damaged_file_gives_none_or_what_was_saved(
    hub: Path, tiny: Bert, calibration_of_tiny: Scales, whole: bytes, changes: Damage
) -> None:
    path = cache_file(tiny)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(changes(whole))
    found = saved_calibration(tiny)
    assert found is None or same(found, calibration_of_tiny)


def test_headers_that_numpy_fails_on(hub: Path, scales: Scales, minilm: Bert) -> None:
    """A header that is cut open raised TokenError; one of 8 TB must not take memory."""
    save_calibration(minilm, scales)
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
    hub: Path, scales: Scales, minilm: Bert
) -> None:
    (hub / "bertviz").write_text("a file stands in the way", encoding="utf-8")
    assert not save_calibration(minilm, scales)
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


# Writes the same file again and again in a process of its own, which is killed at any moment, and
# followed by the next one.
WRITER = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from huggingface_hub import constants
from bertviz_core.bert import load_bert
from bertviz_core.calibration import Scales
from bertviz_core.calibration.disk import save_calibration

constants.HF_HUB_CACHE, folder, arrays, seed = sys.argv[1:]
bert, chance = load_bert(Path(folder)), random.Random(int(seed))
with np.load(arrays) as file:
    calibration = Scales(bert.name, 120, file["means"], {})
kills = 0
while kills < 25:
    pid = os.fork()
    if not pid:
        while save_calibration(bert, calibration):
            pass
        os._exit(1)
    time.sleep(chance.uniform(0.005, 0.08))
    os.kill(pid, signal.SIGKILL)
    kills += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
print(kills)
"""


def test_two_writers_that_are_killed_leave_a_whole_file(
    hub: Path, tiny_folder: Path, tiny: Bert, calibration_of_tiny: Scales
) -> None:
    arrays = hub / "arrays.npz"
    np.savez(arrays, means=calibration_of_tiny.means)
    program = [sys.executable, "-c", WRITER, constants.HF_HUB_CACHE, str(tiny_folder), str(arrays)]
    writers = [
        subprocess.Popen([*program, str(seed)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for seed in range(2)
    ]
    try:
        wait_for(cache_file(tiny).exists)
        versions, reads = set(), 0
        while any(writer.poll() is None for writer in writers):
            assert same(saved_calibration(tiny), calibration_of_tiny)
            versions.add(cache_file(tiny).stat().st_mtime_ns)
            reads += 1
    finally:
        for writer in writers:
            writer.kill()
    assert [writer.communicate()[0].strip() for writer in writers] == ["25", "25"]
    assert reads > 20
    assert len(versions) > 2  # it was replaced while it was read
    assert list((hub / "bertviz").glob("*.part"))  # and writers were killed before they were done
    assert same(saved_calibration(tiny), calibration_of_tiny)
