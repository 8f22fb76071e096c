"""What is meant to take the server down, and what it costs it (Linux, ten minutes).

    python -m benchmarks.hostile             # both
    python -m benchmarks.hostile sockets     # or one: sockets, uploads

Each input is just beyond a bound of this app's own, so that none is a weapon elsewhere. Sockets,
twelve at once: `large`, a hundred messages of a tenth more than a message may have; `states`, as
many with a few more fields than one may have, all empty widget states; `templates`, ten of nearly
the largest size, each of which makes Streamlit log what it says. Then 400 that do nothing. Uploads:
eight viewers at once open NPZ archives that are a little larger inside than what is opened, or as
large. Then sessions fill all they may hold, and idle, until no room is left. Beside each somebody
opens a page, or a small honest file.
"""

import asyncio
import io
import resource
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from statistics import median
from urllib.error import HTTPError, URLError

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from benchmarks import report
from benchmarks.app_server import ROOT, RunningApp, own_app
from benchmarks.session import Viewer, ViewerError
from benchmarks.watch import look_at, memory_of, open_files, watching
from bertviz_core.ui.server import MAX_FIELDS

FRAMES, IDLE, VISITS = 12, 400, 5  # sockets at once, idle ones, pages whose median counts
MAX_GROWTH, MAX_KEPT = 150, 50  # MB of the server: at its peak, and ten seconds later
MAX_BESIDE_IDLE, MAX_TIMES = 5.0, 2.0  # seconds of a page; what it takes, over that in quiet
MAX_FILES, GONE = 40, 75.0  # more open files, so many seconds after the sessions have left
VIEWERS, FILLED, FULL = 8, 4, 10  # who upload at once; sessions that fill all they may hold
MINUTE = 61  # seconds after which a file that nobody looks at makes room
MAX_MEGABYTES, MAX_SECONDS = 1_000.0, 60.0  # with children; until all have an answer
SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
LARGEST = SETTINGS["server"]["maxUploadSize"] * 1024 * 1024 - 1024  # less a frame of the request
MAX_SIZE = 1_000_000 * SETTINGS["server"]["maxWidgetStateSize"]  # of a message


async def send(address: str, content: bytes, times: int = 1, *, seconds: float = 10) -> int | None:
    """Send a message, compressed if the server agrees; with what code it closed within a while."""
    async with connect(address, subprotocols=["streamlit"]) as socket:  # type: ignore[list-item]
        with suppress(ConnectionClosed, TimeoutError):
            async with asyncio.timeout(seconds):
                for _ in range(times):
                    await socket.send(content)
                async for _ in socket:
                    pass
        return socket.close_code


def large(size: int) -> bytes:
    """A `BackMsg` of a few more bytes that asks for a run of a fragment of such a name."""
    message = BackMsg()
    message.rerun_script.fragment_id = "x" * size
    return message.SerializeToString()


def empty_states(count: int) -> bytes:
    """A `BackMsg` with so many states of widgets, all empty: two fields more."""
    message = BackMsg()
    for _ in range(count):
        message.rerun_script.widget_states.widgets.add()
    return message.SerializeToString()


async def visit(url: str) -> float:
    """How long an ordinary viewer waits for a page; infinite where it does not come."""
    begun = time.perf_counter()
    try:
        async with asyncio.timeout(60), Viewer(url) as viewer:
            run = await viewer.open("Input_Embeddings", a="I love my pet python")
            return time.perf_counter() - begun if not run.problems else float("inf")
    except Exception as error:  # whatever it is, the viewer was not served
        print(f"the ordinary viewer was not served: {type(error).__name__}: {error}"[:200])
        return float("inf")


async def send_at_once(name: str, app: RunningApp, content: bytes, times: int) -> None:
    """Send a message from a dozen sockets; print what it costs beside the bounds."""
    quiet = median([await visit(app.url) for _ in range(VISITS)])
    before = look_at(app.pid).megabytes
    with watching(app.pid) as watch:
        sending = (send(app.stream, content, times) for _ in range(FRAMES))
        attack = asyncio.gather(*sending, return_exceptions=True)
        waited = median([await visit(app.url) for _ in range(VISITS)])
        await attack
    await asyncio.sleep(10)
    after = look_at(app.pid).megabytes
    report.figure(f"{name}: more at the peak", watch.peak - before, "MB", most=MAX_GROWTH)
    report.figure(f"{name}: more ten seconds later", after - before, "MB", most=MAX_KEPT)
    report.figure(f"{name}: a page, over a page in quiet", waited / quiet, "x", most=MAX_TIMES)


async def sockets(app: RunningApp) -> None:
    """Twelve that send too much, or as much as they may; then many that do nothing."""
    report.heading("Hostile sockets")
    await visit(app.url)
    files, refused = open_files(app.pid), 0
    await send_at_once("large", app, large(MAX_SIZE * 11 // 10), 100)
    await send_at_once("states", app, empty_states(MAX_FIELDS), 100)
    await send_at_once("templates", app, large(MAX_SIZE * 9 // 10), 10)
    async with AsyncExitStack() as stack:
        for _ in range(IDLE):
            idle = connect(app.stream, subprotocols=["streamlit"], open_timeout=10)  # type: ignore[list-item]
            try:
                await stack.enter_async_context(idle)
            except (OSError, InvalidHandshake, TimeoutError):
                refused += 1
        waited = await visit(app.url)
    report.figure(f"idle: of {IDLE} sockets refused", refused, "n")
    report.figure("idle: a page beside them", waited, "s", most=MAX_BESIDE_IDLE)
    await asyncio.sleep(GONE)
    await visit(app.url)
    await asyncio.sleep(1)
    left = open_files(app.pid) - files
    report.figure(f"idle: more open files {GONE:.0f} s later", left, "n", most=MAX_FILES)


def archive(rows: int, text: int, width: int = 1_500) -> bytes:
    """Zeros and blanks, deflated: six layers of vectors a row, and a text of so many characters."""
    vectors, sentence = np.zeros((rows, 6, width), np.float32), np.full(rows, "a bank", f"U{text}")
    start, end = np.full(rows, 2), np.full(rows, 6)
    file = io.BytesIO()
    np.savez_compressed(file, vectors=vectors, sentence=sentence, start=start, end=end)
    return file.getvalue()


HONEST = archive(150, 20, width=1)


async def come(app: RunningApp, stack: AsyncExitStack) -> Viewer:
    """A viewer on the page that takes files of vectors."""
    viewer = await stack.enter_async_context(Viewer(app.url))
    await viewer.open("Word_Senses", **{"from": "file of vectors"})
    return viewer


async def bring(viewer: Viewer, content: bytes) -> str:
    """Upload a file and have the page open it; "a map", or what is said instead."""
    try:
        await viewer.upload("vectors", "mine.npz", content)
        run = await viewer.rerun()
    except HTTPError as error:
        return f"upload refused with {error.code}"
    except URLError:  # the answer came, and the end of the connection, before all was sent
        return "upload refused"
    except ViewerError as error:
        return str(error)
    return "a map" if run.of_kind("plotly_chart") and not run.problems else " ".join(run.problems)


async def bring_honest(viewer: Viewer) -> None:
    """Open a small file, which has to be there within a minute."""
    begun = time.monotonic()
    answer = await bring(viewer, HONEST)
    took = time.monotonic() - begun if answer == "a map" else float("inf")
    report.figure("an honest file of 4 kB is open after", took, "s", most=MAX_SECONDS)


async def upload_at_once(app: RunningApp, files: Sequence[bytes]) -> None:
    """Have eight viewers bring files, in turn one of these, and one an honest file."""
    sizes = ", ".join(f"{len(one) / 1e3:.0f}" for one in files)
    report.heading(f"{VIEWERS} viewers with NPZ files of {sizes} kB")
    async with AsyncExitStack() as stack:
        friend = await come(app, stack)
        viewers = [await come(app, stack) for _ in range(VIEWERS)]
        begun = time.monotonic()
        with watching(app.pid) as watch:
            work = asyncio.gather(
                *(bring(one, files[number % len(files)]) for number, one in enumerate(viewers))
            )
            await asyncio.sleep(0.5)  # it comes when the others are at it
            await bring_honest(friend)
            answers = await work
    for answer, count in Counter(answers).items():
        print(f"    {count} x {answer[:160]}")
    report.figure("all have an answer after", time.monotonic() - begun, "s", most=MAX_SECONDS)
    report.figure("memory of the server at most", watch.peak, "MB", most=MAX_MEGABYTES)


async def fill(app: RunningApp, count: int, wait: float) -> None:
    """Have sessions fill what they may hold, and idle; then somebody brings an honest file."""
    report.heading(f"{count} sessions with {LARGEST / 1e6:.0f} MB each that idle, {wait:g} s later")
    async with AsyncExitStack() as stack:
        friend = await come(app, stack)
        with watching(app.pid) as watch:
            for _ in range(count):
                await (await come(app, stack)).upload("vectors", "mine.npz", b"x" * LARGEST)
            await asyncio.sleep(wait)
            await bring_honest(friend)
    report.figure("memory of the server at most", watch.peak, "MB", most=MAX_MEGABYTES)


async def uploads(app: RunningApp) -> None:
    """All of them, one after the other."""
    async with AsyncExitStack() as stack:
        report.heading("Before the uploads")
        await bring_honest(await come(app, stack))
        report.figure("memory", memory_of(app.pid), "MB")
    shapes = ((1_800, 10), (800, 10_001), (1_680, 500))  # 65, 61 (32 are text) and 64 MB inside
    await upload_at_once(app, [*map(archive, *zip(*shapes, strict=True)),
                               archive(500_000, 10, width=1)])  # fmt: skip
    await asyncio.sleep(MINUTE)  # else the room is still full of theirs
    await fill(app, FILLED, 0)
    await asyncio.sleep(MINUTE)
    await fill(app, FULL, MINUTE)


def main(which: Sequence[str]) -> None:
    """Attack a server of its own; exit with 1 where a bound is missed."""
    if "sockets" in which:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        # The server gets what a login shell has; the attacker needs a handle for each socket.
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))
        with own_app() as app:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
            asyncio.run(sockets(app))
    if "uploads" in which:
        with own_app() as app:
            asyncio.run(uploads(app))
    report.end()


if __name__ == "__main__":
    main(sys.argv[1:] or ("sockets", "uploads"))
