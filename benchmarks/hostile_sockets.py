"""A few requests that are meant to take the server down, and what they cost it.

    python -m benchmarks.hostile_sockets

- `frames`: 12 WebSocket frames of 185 kB each, which inflate to 190 MB where the server inflates.
- `states`: 12 messages of 24 MB, all empty widget states: 2 bytes on the way, 68 as objects.
- `small`: the same in messages of 1 MB, which are not too large, ten in a row.
- `idle`: 400 sockets that are opened and do nothing, then leave.

During each an ordinary viewer opens pages. Prints the server's peak memory, its open files, and
how long that viewer waited; ends with 1 where a bound is missed. Traffic goes to the loopback alone
and ends by itself, after five minutes at most.
"""

import asyncio
import resource
import statistics
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from benchmarks import report
from benchmarks.app_server import copied_app, running
from benchmarks.session import Viewer
from benchmarks.watch import look_at, open_files, watching

FRAMES, INFLATED = 12, 190_000_000
IDLE = 400
MAX_GROWTH, MAX_KEPT = 150, 50  # MB of the server: at its peak, and ten seconds later
MAX_SECONDS = 5.0  # that the ordinary viewer waits beside the idle
MAX_TIMES = 2.0  # ... beside the others, of what he waits in quiet
QUIET_VISITS = 5
MAX_FILES = 40  # more than before the attack, once its sessions are gone
GONE = 75.0  # seconds after which a session that has left is let go, see .streamlit/config.toml


async def send(address: str, content: bytes, times: int = 1) -> int | None:
    """Send a message, compressed if the server agrees; with what code it closed within a while."""
    async with connect(address, subprotocols=["streamlit"]) as socket:  # type: ignore[list-item]
        with suppress(ConnectionClosed, TimeoutError):
            async with asyncio.timeout(10):
                for _ in range(times):
                    await socket.send(content)
                async for _ in socket:
                    pass
        return socket.close_code


def empty_states(size: int) -> bytes:
    """A `BackMsg` of about so many bytes: `rerun_script.widget_states.widgets`, all empty."""
    content = bytes((10, 0)) * (size // 2)
    for field in (2, 11):
        content = bytes([field << 3 | 2]) + _varint(len(content)) + content
    return content


def _varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])


async def many(name: str, url: str, pid: int, content: bytes, times: int = 1) -> None:
    """Send a message from a dozen sockets at once; print what it costs beside the bounds."""
    quiet = statistics.median([await visit(url) for _ in range(QUIET_VISITS)])
    before = look_at(pid).megabytes
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    with watching(pid) as watch:
        sending = asyncio.gather(
            *(send(address, content, times) for _ in range(FRAMES)), return_exceptions=True
        )
        waited = statistics.median([await visit(url) for _ in range(QUIET_VISITS)])
        await sending
    await asyncio.sleep(10)
    after = look_at(pid).megabytes
    report.target(f"{name}: more at the peak", watch.peak - before, "MB", most=MAX_GROWTH)
    report.target(f"{name}: more ten seconds later", after - before, "MB", most=MAX_KEPT)
    report.target(f"{name}: a page, over a page in quiet", waited / quiet, "x", most=MAX_TIMES)


async def idle(url: str, address: str) -> float:
    """Open sockets that do nothing; meanwhile, how long an ordinary viewer waits."""
    async with AsyncExitStack() as sockets:
        refused = 0
        for _ in range(IDLE):
            try:
                await sockets.enter_async_context(
                    connect(address, subprotocols=["streamlit"], open_timeout=10)  # type: ignore[list-item]
                )
            except (OSError, InvalidHandshake, TimeoutError):
                refused += 1
        report.figure(f"idle: of {IDLE} sockets refused", refused, "n")
        return await visit(url)


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


async def attack(url: str, pid: int) -> None:
    """Run all attacks."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    await visit(url)
    files = open_files(pid)
    attacks = {
        "frames": (bytes(INFLATED), 1),
        "states": (empty_states(24_000_000), 1),
        "small": (empty_states(990_000), 10),
    }
    for name, (content, times) in attacks.items():
        await many(name, url, pid, content, times)
    with watching(pid) as watch:
        waited = await idle(url, address)
        at_most = open_files(pid)
    report.figure("idle: memory at the peak", watch.peak, "MB")
    report.target("idle: a page beside them", waited, "s", most=MAX_SECONDS)
    report.figure("idle: more open files as they leave", at_most - files, "n")
    await asyncio.sleep(GONE)
    await visit(url)
    await asyncio.sleep(1)
    left = open_files(pid) - files
    report.target(f"idle: more open files {GONE:.0f} s later", left, "n", most=MAX_FILES)


def main() -> None:
    """Attack a server of its own; exit with 1 where a bound is missed."""
    report.heading("Hostile requests")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with tempfile.TemporaryDirectory() as folder:
        app_folder = copied_app(Path(folder) / "app")
        # The server gets what a login shell has; the attacker needs a handle for each socket.
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))
        with running(app_folder) as app:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
            asyncio.run(attack(app.url, app.pid))
    report.end()


if __name__ == "__main__":
    main()
