"""What a server takes of the machine (Linux)."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple


class Server(NamedTuple):
    """What a process takes now."""

    megabytes: float  # proportional memory
    processor: float  # seconds used so far


def look_at(pid: int) -> Server:
    """Read it from the system."""
    return Server(memory_sizes(pid)["Pss"], processor_seconds(pid))


def memory_sizes(pid: int) -> dict[str, float]:
    """What Linux says of a process's memory, in MB of 1,000,000 bytes, by its names."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    parts = [line.split() for line in lines]
    return {name.rstrip(":"): int(kilobytes) * 1024 / 1e6 for name, kilobytes, _ in parts}


def processor_seconds(pid: int) -> float:
    """What a process has used so far, all threads together, in nanosecond steps."""
    # The number of another process's clock: see clock_getcpuclockid(3).
    return time.clock_gettime((~pid << 3) | 2)


def open_files(pid: int) -> int:
    """How many files and sockets a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory_of(pid: int) -> float:
    """What a process and its children take now, in MB."""
    total = look_at(pid).megabytes
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            children = (task / "children").read_text(encoding="ascii").split()
            total += sum(memory_of(int(child)) for child in children)
    return total


@contextmanager
def watching(pid: int) -> Iterator[SimpleNamespace]:
    """Watch a process for the time of the block: the `peak` of its memory with its children, MB."""
    watch, ended = SimpleNamespace(peak=0.0), threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            watch.peak = max(watch.peak, memory_of(pid))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watch
    finally:
        ended.set()
        thread.join()
