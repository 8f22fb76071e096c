"""Two replicas behind nginx, a hall of viewers, and what they see when one replica is killed.

    python -m benchmarks.replicas --viewers 100 --think 5 --most 1.5 --minutes 4
    python -m benchmarks.replicas --viewers 20 --minutes 0.5

nginx runs on the loopback, without root, with the configuration of `docs/nginx.conf`; the replicas
share the model's files and the folder of percentile scales. At half-time one replica is killed; at
three quarters it is started again. See
`benchmarks.load` for the scenarios and for what `--most` means; it holds while both replicas live.
"""

import argparse
import asyncio
import os
import re
import signal
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from websockets.exceptions import WebSocketException

from benchmarks import report
from benchmarks.app_server import RunningApp, copied_app, running
from benchmarks.load import crowd, look_at, options_of_a_crowd, p95, print_times, slowness
from benchmarks.proxy import proxied, status
from benchmarks.session import Run, Viewer, ViewerError
from benchmarks.viewers import RETRY, SCENARIOS, Results, warm_up

NAMES = ("a", "b")  # of the replicas, as the cookie has them
SHAKEN = 10.0  # seconds after the kill which are looked at by themselves
SHARED = {  # addresses that somebody has shared
    "Word_in_Context": {"s": "A [bat] flew\nHe swung the [bat]", "layer": "2"},
    "Input_Embeddings": {"a": "I am Sinan", "b": "She is Zoe"},
}
LINES = "\n".join(f"{number} boats lay at the bank" for number in range(12))


@dataclass(frozen=True)
class Pair:
    """Two replicas and what is in front of them.

    Attributes:
        url: Of nginx.
        replicas: Their own addresses and processes, in the order of `NAMES`.
        app: The folder they run.
        environment: They were started with.
    """

    url: str
    replicas: list[RunningApp]
    app: Path
    environment: dict[str, str]

    @property
    def scales(self) -> list[str]:
        """The files of percentile scales that both share."""
        return sorted(path.name for path in self._scratch.glob("bertviz/*"))

    @property
    def _scratch(self) -> Path:
        return Path(self.environment["HF_HUB_CACHE"]).parent


@contextmanager
def replicated() -> Iterator[Pair]:
    """Two replicas of the real app behind nginx, until the block ends."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        scratch = Path(name)
        app = copied_app(scratch / "app")
        environment = {"HF_HUB_CACHE": str(scratch / "cache" / "hub")}
        replicas = [stack.enter_context(running(app, environment)) for _ in NAMES]
        (scratch / "nginx").mkdir()
        url = stack.enter_context(proxied(scratch / "nginx", [replica.url for replica in replicas]))
        yield Pair(url, replicas, app, environment)


def view(run: Run) -> tuple[dict[str, list[str]], list[str]]:
    """What a run shows: values by name, and the charts with their data."""
    values: dict[str, list[str]] = {}
    for element in run.of_kind("html"):
        for name, value in re.findall(r'<bdi data-name="([^"]*)">(.*?)</bdi>', element.html.body):
            values.setdefault(name, []).append(value)
    return values, [element.plotly_chart.spec for element in run.of_kind("plotly_chart")]


async def seen(viewer: Viewer, page: str, query: dict[str, str]) -> Run:
    """Open an address, wait until nothing runs by itself any more, and look at all of the page."""
    await viewer.open(page, **query)
    run = await viewer.rerun()  # with the encoder there, the percentile scale is measured, once
    while viewer.fragments:
        await asyncio.sleep(1)
        if not viewer.fragments:
            run = await viewer.rerun()
    if run.problems or not view(run)[1]:
        raise ViewerError(f"{page}: {run.problems or 'no chart'}")
    return run


async def upload(viewer: Viewer) -> bool:
    """Send a file of words; whether the page of the viewer's own session shows its map."""
    await viewer.open("Word_Senses", **{"from": "text file", "senseword": "bank"})
    await viewer.upload("text", "lines.txt", LINES.encode())
    run = await viewer.rerun()
    return bool(view(run)[1]) and not run.problems


async def comes_back(lost: Viewer, stack: AsyncExitStack) -> Viewer:
    """Wait until a connection is gone, and connect again as a browser does."""
    await lost.gone.wait()
    while True:
        try:
            return await stack.enter_async_context(lost.again())
        except (WebSocketException, OSError):
            await asyncio.sleep(RETRY)


def check_proxy(url: str) -> None:
    """What nginx adds to the replicas' answers, and what it keeps from visitors."""
    for path in ("_stcore/metrics", "Tokens/_stcore/metrics"):
        report.target(f"status of /{path}", status(f"{url}/{path}"), "", most=404, least=404)
    with urllib.request.urlopen(url) as answer:
        for name in ("Content-Security-Policy", "X-Frame-Options"):
            print(f"  {name}: {answer.headers[name]}")


async def measure(options: argparse.Namespace, pair: Pair, stack: ExitStack, scale: float) -> None:
    """Let viewers come, kill the first replica in the middle, and print what is seen."""
    victim = pair.replicas[0]
    async with AsyncExitStack() as viewers:
        # Both measure the percentile scale at once, into the same folder.
        on = {}
        for name in NAMES:
            on[name] = [Viewer(pair.url) for _ in (*SHARED, "an upload")]
            for viewer in on[name]:
                viewer.cookies = {"replica": name}
                await viewers.enter_async_context(viewer)
        before = {}
        for (page, query), *both in zip(SHARED.items(), *on.values(), strict=False):
            for _ in range(20):  # each measures its percentiles at its own pace
                runs = await asyncio.gather(*(seen(viewer, page, query) for viewer in both))
                if view(runs[0]) == view(runs[1]):
                    break
                await asyncio.sleep(2)
            before[page] = view(runs[0])
            _check(f"{page}: both replicas show the same", before[page] == view(runs[1]))
        parts = [name for name in pair.scales if not name.endswith(".npz")]
        report.target("files of percentile scales", len(pair.scales), "", most=1, least=1)
        report.target("... not whole", len(parts), "", most=0)
        for name in NAMES:
            _check(f"an upload reaches its session on {name}", await upload(on[name][-1]))
        await asyncio.gather(
            *(warm_up(one.url, SCENARIOS[options.scenario]) for one in pair.replicas)
        )

        results, begun = Results(), time.monotonic()
        used = [look_at(replica.pid).processor for replica in pair.replicas]
        leaves = begun + 60 * options.minutes
        killing, again = begun + 30 * options.minutes, begun + 45 * options.minutes
        tasks = crowd(options, pair.url, results, leaves)
        await asyncio.sleep(killing - time.monotonic())
        for name, replica, start in zip(NAMES, pair.replicas, used, strict=True):
            took = look_at(replica.pid).processor - start
            report.target(f"processor seconds of {name} until then", took, "s", least=0.01)
        os.kill(victim.pid, signal.SIGKILL)
        killed = time.monotonic()
        print(f"  {NAMES[0]} is killed after {killed - begun:.0f} s", flush=True)
        back = await asyncio.gather(*(comes_back(one, viewers) for one in on["a"]))
        for viewer, (page, query) in zip(back, SHARED.items(), strict=False):
            same = view(await seen(viewer, page, query)) == before[page]
            took = time.monotonic() - killed
            _check(f"{page}: the address brings the same view back", same)
            report.figure("... after the kill by", took, "s")
            _check("... from the other one", viewer.cookies["replica"] == NAMES[1])
        run = await back[-1].open(back[-1].page, **back[-1].query)
        _check("... the upload is gone, and the page asks for it", _asks(run))
        _check("... sent again it reaches the new session", await upload(back[-1]))
        await asyncio.sleep(again - time.monotonic())
        port = int(victim.url.rpartition(":")[2])
        restarted = running(pair.app, pair.environment, port=port)
        revived = await asyncio.to_thread(stack.enter_context, restarted)
        print(f"  {NAMES[0]} is there again after {time.monotonic() - begun:.0f} s", flush=True)
        _check("... who has moved stays with his session", await upload(back[-1]))
        await asyncio.gather(*tasks)
        took = look_at(revived.pid).processor
    print_times(results, time.monotonic() - begun, killed=True)
    moved = len([at for at in results.lost if at >= killed])
    report.target("connections lost before", len(results.lost) - moved, "", most=0)
    report.figure(f"connections lost by the kill, of {options.viewers}", moved, "")
    most = options.most * scale if options.most else None
    both = results.seconds(since=begun + options.ramp, until=killed)
    report.target("95th percentile while both live", p95(both), "s", most=most)
    shaken = results.seconds(since=killed, until=killed + SHAKEN)
    report.figure(
        f"... in the {SHAKEN:.0f} s after the kill, coming back included", p95(shaken), "s"
    )
    report.figure("... coming back alone", p95(results.seconds("come back")), "s")
    report.figure("... after that", p95(results.seconds(since=killed + SHAKEN)), "s")


def _asks(run: Run) -> bool:
    """Whether a page has an uploader and no chart."""
    return bool(run.of_kind("file_uploader")) and not view(run)[1] and not run.problems


def _check(name: str, met: bool) -> None:
    report.target(name, float(met), "", least=1)


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = options_of_a_crowd("replicas", __doc__)
    options = parser.parse_args(arguments)
    with replicated() as pair, ExitStack() as stack:
        report.heading(
            f"Two replicas: {options.viewers} viewers, {options.scenario}, an action every "
            f"{options.think:g} s, {options.minutes:g} minutes"
        )
        scale = slowness() if options.most else 1.0
        check_proxy(pair.url)
        asyncio.run(measure(options, pair, stack, scale))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # replicas and nginx end with it
    main()
