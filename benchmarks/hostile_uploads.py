"""Viewers who upload what is small and becomes large, and sessions that fill the room of uploads.

    python -m benchmarks.hostile_uploads
    python -m benchmarks.hostile_uploads --url http://127.0.0.1:8501 --pid 123

Eight viewers at once upload and open: a Parquet file of 25 kB that becomes gigabytes; NPZ archives
of zeros, some larger inside than can be opened, some just not; tables of as many cells, and of as
many rows, as can be. Then four sessions fill all they may hold, and idle; then so
many that no room is left. Beside each, or after it, somebody opens a small honest file. Traffic
goes to the loopback alone and ends by itself after some minutes; where a bound is missed, the code
is 1 (Linux). Bounds in seconds go with the speed of the machine, as in `benchmarks/load.py`.
"""

import argparse
import asyncio
import io
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import report
from benchmarks.app_server import ROOT, copied_app, running
from benchmarks.load import LOOPBACK, look_at, slowness
from benchmarks.session import Viewer, ViewerError

VIEWERS, IDLE, FULL = 8, 4, 10
MINUTE = 61  # seconds after which a file that nobody looks at makes room
MOST_MEGABYTES = 1_000.0  # of the server and its children
MOST_SECONDS = 60.0  # until eight have an answer, one after the other
MOST_REFUSED = 5.0  # ... where it is that their file is none
MOST_HONEST = 60.0  # seconds until a small file is open beside them
SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
LARGEST = SETTINGS["server"]["maxUploadSize"] * 1024 * 1024 - 1024  # less a frame of the request
HEADER = b"sentence,start,end,layer_0_0\n"
HONEST = HEADER + b"".join(b"A bank number %d.,2,6,%d\n" % (row, row % 7) for row in range(150))


def parquet_bomb() -> bytes:
    """A dictionary of two sentences of 9 MB, and a million rows that use it."""
    rows = 1_000_000
    sentences = pa.array(["a bank " * 1_285_714, "a bank. " * 1_125_000])
    turns = pa.array(np.arange(rows, dtype=np.int32) % 2)
    table = pa.table(
        {
            "word": pa.DictionaryArray.from_arrays(turns, pa.array(["bank", "bank "])),
            "sentence": pa.DictionaryArray.from_arrays(turns, sentences),
            "start": pa.array(np.full(rows, 2, np.int32)),
            "end": pa.array(np.full(rows, 6, np.int32)),
            "layer_0": pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(rows, np.float32)), 1),
        }
    )
    file = io.BytesIO()
    pq.write_table(table, file, compression="zstd", dictionary_pagesize_limit=1 << 30)
    return file.getvalue()


def npz_bomb(rows: int, text: int) -> bytes:
    """Zeros and blanks, deflated: 36 kB of vectors a row, and a text of so many characters."""
    file = io.BytesIO()
    np.savez_compressed(
        file,
        vectors=np.zeros((rows, 6, 1_500), np.float32),
        sentence=np.full(rows, "a bank", f"U{text}"),
        start=np.full(rows, 2),
        end=np.full(rows, 6),
    )
    return file.getvalue()


def table_of_cells() -> bytes:
    """Rows of 1,536 numbers of one digit."""
    names = b",".join(b"layer_0_%d" % number for number in range(1_536))
    row = b"a,0,1" + b",0" * 1_536 + b"\n"
    first = b"sentence,start,end," + names + b"\n"
    return first + row * ((LARGEST - len(first)) // len(row))


def table_of_rows() -> bytes:
    """As many rows as can be, of four cells of one letter."""
    return HEADER + b"a,0,1,0\n" * 1_000_000


class Watched:
    """A server, and what was asked of it.

    Attributes:
        url: Its address.
        pid: Of its process.
        scale: How much slower the machine is than the one on which the seconds were set.
        missed: The names of the bounds that were missed.
        peak: Most memory it had, in MB, since somebody set it to 0.
    """

    def __init__(self, url: str, pid: int, scale: float) -> None:
        self.url = url
        self.pid = pid
        self.scale = scale
        self.missed: list[str] = []
        self.peak = 0.0

    def bound(self, name: str, value: float, unit: str, most: float) -> None:
        """Print a number beside its bound."""
        most *= self.scale if unit == "s" else 1
        report.target(name, value, unit, most=most)
        if not value <= most:
            self.missed.append(name)

    async def look(self) -> None:
        """Watch its memory, children included, until cancelled."""
        while True:
            self.peak = max(self.peak, memory_of(self.pid))
            await asyncio.sleep(0.05)


def memory_of(pid: int) -> float:
    """What a process and its children take now, in MB."""
    total = look_at(pid).megabytes
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            children = (task / "children").read_text(encoding="ascii").split()
            total += sum(memory_of(int(child)) for child in children)
    return total


async def come(server: Watched, stack: AsyncExitStack) -> Viewer:
    """A viewer on the page that takes files of vectors."""
    viewer = await stack.enter_async_context(Viewer(server.url))
    await viewer.open("Word_Senses", **{"from": "file of vectors"})
    return viewer


async def bring(viewer: Viewer, name: str, content: bytes) -> str:
    """Upload a file and have the page open it; "a map", or what is said instead."""
    try:
        await viewer.upload("vectors", name, content)
    except HTTPError as error:
        return f"upload refused with {error.code}"
    except URLError:  # the answer came, and the end of the connection, before all was sent
        return "upload refused"
    try:
        run = await viewer.rerun()
    except ViewerError as error:
        return str(error)
    return "a map" if run.of_kind("plotly_chart") and not run.problems else " ".join(run.problems)


async def honest(server: Watched, viewer: Viewer) -> None:
    """Open a small file, which has to be there soon."""
    begun = time.monotonic()
    said = await bring(viewer, "mine.csv", HONEST)
    seconds = time.monotonic() - begun if said == "a map" else float("inf")
    server.bound(
        f"an honest file of {len(HONEST) / 1e3:.0f} kB is open after", seconds, "s", MOST_HONEST
    )


async def attack(
    server: Watched, title: str, files: Sequence[tuple[str, bytes]], most: float
) -> None:
    """Have eight viewers bring files at once, in turn one of these, and one an honest file."""
    report.heading(title)
    async with AsyncExitStack() as stack:
        friend = await come(server, stack)
        viewers = [await come(server, stack) for _ in range(VIEWERS)]
        server.peak, begun = 0.0, time.monotonic()
        work = [
            asyncio.create_task(bring(viewer, *files[number % len(files)]))
            for number, viewer in enumerate(viewers)
        ]
        await asyncio.sleep(0.5)  # it comes when the others are at it
        await honest(server, friend)
        for said, count in Counter(await asyncio.gather(*work)).items():
            print(f"    {count} x {said[:160]}")
        server.bound("all have an answer after", time.monotonic() - begun, "s", most)
        server.bound("memory of the server at most", server.peak, "MB", MOST_MEGABYTES)


async def idle(server: Watched, count: int, wait: float) -> None:
    """Have sessions fill what they may hold, and idle; then somebody brings an honest file."""
    report.heading(f"{count} sessions with {LARGEST / 1e6:.0f} MB each that idle, {wait:g} s later")
    async with AsyncExitStack() as stack:
        friend = await come(server, stack)
        server.peak = 0.0
        for number in range(count):
            viewer = await come(server, stack)
            await viewer.upload("vectors", f"{number}.csv", b"x" * LARGEST)
        await asyncio.sleep(wait)
        await honest(server, friend)
        server.bound("memory of the server at most", server.peak, "MB", MOST_MEGABYTES)


async def run(server: Watched) -> None:
    """All of them, one after the other."""
    watching = asyncio.create_task(server.look())
    async with AsyncExitStack() as stack:
        report.heading("Before")
        await honest(server, await come(server, stack))
        report.figure("memory", server.peak, "MB")
    bomb = parquet_bomb()
    for name in ("bomb.parquet", "bomb.csv"):
        title = f"{VIEWERS} viewers with a Parquet file of {len(bomb) / 1e3:.0f} kB, as {name}"
        await attack(server, title, [(name, bomb)], MOST_REFUSED)
    archives = [npz_bomb(10_000, 10), npz_bomb(1_000, 50_000), npz_bomb(1_680, 500)]
    sizes = ", ".join(f"{len(archive) / 1e3:.0f}" for archive in archives)
    title = f"{VIEWERS} viewers with NPZ files of {sizes} kB that unpack to 360, 236 and 64 MB"
    await attack(server, title, [("bomb.npz", archive) for archive in archives], MOST_SECONDS)
    tables = [("cells.csv", table_of_cells()), ("rows.csv", table_of_rows())]
    sizes = " and ".join(f"{len(table) / 1e6:.0f}" for _, table in tables)
    title = f"{VIEWERS} viewers with tables of {sizes} MB of tiny cells"
    await attack(server, title, tables, MOST_SECONDS)
    await asyncio.sleep(MINUTE)  # else the room is still full of theirs
    await idle(server, IDLE, 0)
    await asyncio.sleep(MINUTE)
    await idle(server, FULL, MINUTE)
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching  # raises what ended it before its time


def main(arguments: list[str] | None = None) -> None:
    """Print the figures; exit with 1 where a bound is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        prog="python -m benchmarks.hostile_uploads",
    )
    parser.add_argument("--url", help="of a running server on this machine; else one is started")
    parser.add_argument("--pid", type=int, help="of that server, for its memory")
    options = parser.parse_args(arguments)
    if options.url and urlsplit(options.url).hostname not in LOOPBACK:
        parser.error("only a server on this machine is attacked")
    if bool(options.url) != bool(options.pid):
        parser.error("--url and --pid go together")
    report.heading("This machine")
    scale = max(slowness(), 1.0)
    with ExitStack() as stack:
        url, pid = options.url, options.pid
        if not url:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "app"
            app = stack.enter_context(running(copied_app(folder)))
            url, pid = app.url, app.pid
        server = Watched(url, pid, scale)
        asyncio.run(run(server))
    if server.missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
