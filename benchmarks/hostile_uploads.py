"""Viewers who upload what is small and becomes large, and sessions that fill the room of uploads.

    python -m benchmarks.hostile_uploads

Eight viewers at once upload and open NPZ archives of zeros, some larger inside than can be opened,
some just not, some of very many rows. Then four sessions fill all they may hold, and idle; then so
many that no room is left. Beside each, or after it, somebody opens a small honest file. Traffic
goes to the loopback alone and ends by itself after some minutes; where a bound is missed, the code
is 1 (Linux). Bounds in seconds go with the speed of the machine, as in `benchmarks/rerun.py`.
"""

import asyncio
import io
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from urllib.error import HTTPError, URLError

import numpy as np

from benchmarks import report
from benchmarks.app_server import ROOT, RunningApp, own_app
from benchmarks.rerun import slowness
from benchmarks.session import Viewer, ViewerError
from benchmarks.watch import memory_of, watching

VIEWERS, IDLE, FULL = 8, 4, 10
MINUTE = 61  # seconds after which a file that nobody looks at makes room
MAX_MEGABYTES = 1_000.0  # of the server and its children
MAX_SECONDS = 60.0  # until eight have an answer, and a small file beside them is open
SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
LARGEST = SETTINGS["server"]["maxUploadSize"] * 1024 * 1024 - 1024  # less a frame of the request


def archive(rows: int, text: int, width: int = 1_500) -> bytes:
    """Zeros and blanks, deflated: six layers of vectors a row, and a text of so many characters."""
    file = io.BytesIO()
    np.savez_compressed(
        file,
        vectors=np.zeros((rows, 6, width), np.float32),
        sentence=np.full(rows, "a bank", f"U{text}"),
        start=np.full(rows, 2),
        end=np.full(rows, 6),
    )
    return file.getvalue()


HONEST = archive(150, 20, width=1)


async def come(server: RunningApp, stack: AsyncExitStack) -> Viewer:
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


async def honest(viewer: Viewer, seconds: float) -> None:
    """Open a small file, which has to be there within so many seconds."""
    begun = time.monotonic()
    said = await bring(viewer, "mine.npz", HONEST)
    took = time.monotonic() - begun if said == "a map" else float("inf")
    name = f"an honest file of {len(HONEST) / 1e3:.0f} kB is open after"
    report.target(name, took, "s", most=seconds)


async def attack(server: RunningApp, title: str, files: Sequence[bytes], seconds: float) -> None:
    """Have eight viewers bring files at once, in turn one of these, and one an honest file."""
    report.heading(title)
    async with AsyncExitStack() as stack:
        friend = await come(server, stack)
        viewers = [await come(server, stack) for _ in range(VIEWERS)]
        begun = time.monotonic()
        with watching(server.pid) as watch:
            work = [
                asyncio.create_task(bring(viewer, "bomb.npz", files[number % len(files)]))
                for number, viewer in enumerate(viewers)
            ]
            await asyncio.sleep(0.5)  # it comes when the others are at it
            await honest(friend, seconds)
            answers = await asyncio.gather(*work)
        for said, count in Counter(answers).items():
            print(f"    {count} x {said[:160]}")
        report.target("all have an answer after", time.monotonic() - begun, "s", most=seconds)
        report.target("memory of the server at most", watch.peak, "MB", most=MAX_MEGABYTES)


async def idle(server: RunningApp, count: int, wait: float, seconds: float) -> None:
    """Have sessions fill what they may hold, and idle; then somebody brings an honest file."""
    report.heading(f"{count} sessions with {LARGEST / 1e6:.0f} MB each that idle, {wait:g} s later")
    async with AsyncExitStack() as stack:
        friend = await come(server, stack)
        with watching(server.pid) as watch:
            for number in range(count):
                viewer = await come(server, stack)
                await viewer.upload("vectors", f"{number}.npz", b"x" * LARGEST)
            await asyncio.sleep(wait)
            await honest(friend, seconds)
        report.target("memory of the server at most", watch.peak, "MB", most=MAX_MEGABYTES)


async def run(server: RunningApp, seconds: float) -> None:
    """All of them, one after the other; every answer has to come within so many seconds."""
    async with AsyncExitStack() as stack:
        report.heading("Before")
        await honest(await come(server, stack), seconds)
        report.figure("memory", memory_of(server.pid), "MB")
    archives = [archive(*shape) for shape in ((10_000, 10), (1_000, 50_000), (1_680, 500))]
    archives.append(archive(500_000, 10, width=1))
    sizes = ", ".join(f"{len(one) / 1e3:.0f}" for one in archives)
    title = f"{VIEWERS} viewers with NPZ files of {sizes} kB that unpack to 360, 236, 64 and 40 MB"
    await attack(server, title, archives, seconds)
    await asyncio.sleep(MINUTE)  # else the room is still full of theirs
    await idle(server, IDLE, 0, seconds)
    await asyncio.sleep(MINUTE)
    await idle(server, FULL, MINUTE, seconds)


def main() -> None:
    """Print the figures; exit with 1 where a bound is missed."""
    report.heading("This machine")
    scale = max(slowness(), 1.0)
    with own_app() as app:
        asyncio.run(run(app, MAX_SECONDS * scale))
    report.end()


if __name__ == "__main__":
    main()
