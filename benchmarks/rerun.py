"""What a rerun costs the server, page by page, beside a plain page with as much on it."""

import asyncio
import json
import time
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import report
from benchmarks.app_server import EMBEDDED, RunningApp, copied_app, running, small_app
from benchmarks.session import Run, Viewer
from benchmarks.viewers import WORDS
from benchmarks.watch import processor_seconds
from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.tokens import tokenize

PLAIN = Path(__file__).parent / "plain_page.py"
ROUNDS = 9  # so many reruns of each side are counted, taken in turn
WARM = 3
SETTLED = 0.3  # seconds after a rerun in which the server may still tidy up
FIELDS = (
    "text_input", "text_area", "number_input", "selectbox", "slider", "button_group", "checkbox",
)  # fmt: skip
NOUNS = WORDS[:20]
HOME = "Home"
ANCHORS = ["snake", "programming"]  # what Home and Word in Context compare with at first


class Page(NamedTuple):
    """A page and what a viewer does there again and again."""

    address: str
    key: str  # of the widget that is changed
    value: Callable[[int], object]  # that it is set to, by the number of the change
    most: float | None = None  # of its seconds over those of the plain page and of one pass
    texts: Callable[[int], list[str]] = lambda number: []  # that the model has to run


def sentence(number: int) -> str:
    """Seven words, no two numbers below 400 alike."""
    first, second = NOUNS[number % len(NOUNS)], NOUNS[number // len(NOUNS) % len(NOUNS)]
    return f"the {first} stood by the {second} again"


def python(number: int) -> str:
    """The same, with the word of Home's second sentence."""
    return f"{sentence(number)} in python"


def compared(number: int) -> list[str]:
    """What the model reads: both sentences, and the words that they are compared with."""
    return [python(number), "I love coding in python", *ANCHORS]


PAGES = (
    Page("", "a", python, 1.15, texts=compared),
    Page("Tokens", "a", sentence, 1.15),
    Page("Input_Embeddings", "a", sentence, 1.15),
    Page("Nearest_Neighbors", "q", lambda n: f"{NOUNS[n % 20]} + {NOUNS[n // 20 % 20]}", 1.15),
    Page("Positions_and_Segments", "row", lambda n: [20.0 + n], 1.15),
    Page("Word_in_Context", "a", python, 1.4, texts=compared),
    Page("Word_Senses", "layer", lambda n: [float(n % 6)]),
)  # fmt: skip


@dataclass
class Side:
    """One side of a comparison: a viewer, and what its reruns cost."""

    server: RunningApp
    viewer: Viewer
    seconds: list[float] = field(default_factory=list)

    async def change(self, key: str, value: object, *, counted: bool) -> None:
        """Change a widget and count the processor time until the server is at rest again."""
        begun = processor_seconds(self.server.pid)
        run = await self.viewer.change(key, value)
        await asyncio.sleep(SETTLED)
        if run.problems:
            raise RuntimeError(f"{self.viewer.page}: {run.problems}")
        if counted:
            self.seconds.append(processor_seconds(self.server.pid) - begun)


def main() -> None:
    """Print the figures."""
    report.heading("Rerun: processor time of the server, one viewer")
    encoder = load_encoder(load_bert(EMBEDDED))
    with TemporaryDirectory() as scratch:
        app = copied_app(Path(scratch) / "app")
        for page in PAGES:
            plain = plain_pages(app, Path(scratch) / (page.address or HOME), [page.address])
            _print(page, *asyncio.run(_compare(page, app, plain, encoder)))


async def _compare(
    page: Page, app: Path, plain_app: Path, encoder: Encoder
) -> tuple[Side, Side, list[float]]:
    """Rerun a page and a plain one in turn, and run the model beside them where it takes part.

    The last result are the model's seconds, one entry a round.
    """
    async with AsyncExitStack() as stack:
        ours = await _opened(app, page.address, stack)
        plain = await _opened(plain_app, page.address, stack)
        model = []
        for number in range(1, WARM + ROUNDS + 1):
            counted = number > WARM
            await ours.change(page.key, page.value(number), counted=counted)
            await plain.change("text", "x" * number, counted=counted)
            texts = [tokenize(encoder.bert, text) for text in page.texts(number)]
            begun = time.process_time()
            if texts:
                encoder.hidden_states_many(texts)
            if counted:
                model.append(time.process_time() - begun)
    return ours, plain, model


def _print(page: Page, ours: Side, plain: Side, model: list[float]) -> None:
    name = page.address.replace("_", " ") or HOME
    for title, side in ((name, ours), ("  a plain page with as much", plain)):
        run = side.viewer.last
        report.figure(
            f"{title}: {run.frames} messages, {run.sent / 1000:,.0f} kB",
            1000 * median(side.seconds), "ms", spread=[1000 * one for one in side.seconds],
        )  # fmt: skip
    ratio = "  ours / plain"
    if page.texts(0):
        report.figure("  one pass of the model over the texts", 1000 * median(model), "ms")
        ratio = "  ours / (plain + pass)"
    least = [sum(both) for both in zip(plain.seconds, model, strict=True)]
    report.figure(ratio, report.ratio(ours.seconds, least), "x", most=page.most)


async def _opened(folder: Path, page: str, stack: AsyncExitStack) -> Side:
    """Start an app on a machine that never ran it, and open a page: its first minute counts."""
    cache = stack.enter_context(TemporaryDirectory())
    server = stack.enter_context(running(folder, {"HF_HUB_CACHE": cache}))
    viewer = await stack.enter_async_context(Viewer(server.url))
    opened = await viewer.open(page)
    if opened.problems:
        raise RuntimeError(f"{page}: {opened.problems}")
    return Side(server, viewer)


def plain_pages(app: Path, folder: Path, addresses: Collection[str]) -> Path:
    """Write the plain pages that go with some of an app's, by their addresses: "" is the first one.

    Each has as many links and fields as our whole page sent, and the traces and the table that ours
    sends after a change.
    """

    async def shown_by(url: str) -> dict[str, tuple[Run, Run]]:
        """What a page sends that is opened, and then after a change of its field."""
        found = {}
        async with Viewer(url) as viewer:
            for page in (one for one in PAGES if one.address in addresses):
                await viewer.open(page.address)
                await viewer.change(page.key, page.value(0))
                again = await viewer.rerun()
                found[page.address] = again, await viewer.change(page.key, page.value(0))
        return found

    with running(app) as server:
        shown = asyncio.run(shown_by(server.url))
    script = PLAIN.read_text(encoding="utf-8")
    small_app(folder, script)
    pages = folder / "pages"
    pages.mkdir()
    for number in range(max(len(page.of_kind("page_link")) for page, _ in shown.values())):
        (pages / f"Page_{number}.py").touch()
    for name, (page, run) in shown.items():
        own = pages / f"{name}.py" if name else folder / "app.py"
        own.write_text(script, encoding="utf-8")
        charts = [json.loads(one.plotly_chart.spec) for one in run.of_kind("plotly_chart")]
        content = {
            "fields": sum(len(page.of_kind(kind)) for kind in FIELDS),
            "links": len(page.of_kind("page_link")),
            "traces": [trace for chart in charts for trace in chart["data"]],
        }
        own.with_suffix(".json").write_text(json.dumps(content), encoding="utf-8")
        tables = [one.dataframe.arrow_data.data for one in run.of_kind("dataframe")]
        if tables:
            own.with_suffix(".arrow").write_bytes(max(tables, key=len))
    return folder


if __name__ == "__main__":
    main()
    report.end()
