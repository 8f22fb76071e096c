"""What is written appears whole, and nothing of it is left behind, however a process ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_core.disk_cache import PART, UNFINISHED, appearing_whole, locked, remove_unfinished
from tests.headless import ROOT

WRITES = """
import signal, sys
from pathlib import Path
from bertviz_core.disk_cache import appearing_whole, locked

# Ctrl+C, also where what started this in the background had it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = Path(sys.argv[1])
(folder / "model.part").mkdir()
with appearing_whole(folder / "whole") as path, locked(folder / "model.part"):
    path.write_bytes(bytes(1000))
    (folder / "model.part" / "weights").write_bytes(bytes(1000))
    print("half", flush=True)
    signal.pause()
"""
PATTERNS = (f"_*{UNFINISHED}", f"*{PART}")


def sweep(folder: Path) -> list[str]:
    """The names of what stays."""
    for pattern in PATTERNS:
        remove_unfinished(folder, pattern)
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("ends_by", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_another_process_writes_stays_until_it_has_ended(
    tmp_path: Path, ends_by: signal.Signals
) -> None:
    command = [sys.executable, "-c", WRITES, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        unfinished, part = sweep(tmp_path)
        assert unfinished.endswith(UNFINISHED)
        assert part == "model.part"
        process.send_signal(ends_by)
        process.wait()
    assert sweep(tmp_path) == []


def test_only_what_is_half_written_goes(tmp_path: Path) -> None:
    (tmp_path / "nouns.npz").write_bytes(b"whole")
    (tmp_path / "model").mkdir()
    for name in ("_0123.unfinished", "_part-000002.parquet.0123.unfinished"):
        (tmp_path / name).write_bytes(bytes(1000))
    (tmp_path / "tmp1" / "model").mkdir(parents=True)
    (tmp_path / "tmp1").rename(tmp_path / "tmp1.part")
    (tmp_path / "_dangling.unfinished").symlink_to(tmp_path / "nowhere")
    remove_unfinished(tmp_path / "no folder")
    assert [name for name in sweep(tmp_path) if "dangling" not in name] == ["model", "nouns.npz"]


@pytest.mark.parametrize("failure", [OSError("No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_the_file_that_was_there(tmp_path: Path, failure: BaseException) -> None:
    (tmp_path / "kept").write_bytes(b"before")

    def write() -> None:
        with appearing_whole(tmp_path / "kept") as path:
            path.write_bytes(b"half")
            assert sweep(tmp_path) == [path.name, "kept"]
            raise failure

    with pytest.raises(type(failure)):
        write()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]


def test_a_folder_has_one_owner(tmp_path: Path) -> None:
    with locked(tmp_path) as first, locked(tmp_path) as second:
        assert (first, second) == (True, False)
    with locked(tmp_path, wait=True) as again:
        assert again
