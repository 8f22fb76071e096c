"""From Enter to painted heatmaps, for a short sentence and for the longest one BERT reads."""

import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from benchmarks import base_shaped, report
from benchmarks.app_server import RunningApp, copied_app, running, small_app
from benchmarks.browser import (
    chromium,
    fresh_page,
    time_of_enter,
    time_of_heatmaps,
    time_of_text,
)

SHORT_RUNS, LONG_RUNS = 9, 5
SHORT, LONG = 12, 512  # tokens, [CLS] and [SEP] included
HEATMAPS = 5
FIELD = "Sentence A"
BARE = f"""import streamlit as st

st.code(st.text_input("{FIELD}", "some text"))
"""
# What Plotly itself takes: five plain heatmaps with the words as labels, and nothing else.
PLAIN = f"""import numpy as np
import streamlit as st
from plotly.subplots import make_subplots

words = ["[CLS]", *st.text_input("{FIELD}", "some text").split(), "[SEP]"]
values = np.random.default_rng(0).normal(size=({HEATMAPS}, len(words), 384)).astype(np.float32)
labels = [f"{{i}} {{word}}" for i, word in enumerate(words)]
figure = make_subplots(rows={HEATMAPS}, shared_xaxes=True)
for row, part in enumerate(values, start=1):
    figure.add_heatmap(z=part, y=labels, showscale=False, row=row, col=1)
st.plotly_chart(figure.update_layout(height=1450))
"""
# One marker a sentence, in no other sentence: its label shows that a chart is the new one.
MARKERS = (
    "apple bridge camera desert engine forest garden hammer island jacket kitchen lemon mirror "
    "needle orange pencil rabbit silver table uncle valley window yellow zebra anchor basket"
).split()
WORDS = (
    "the of and in to was he is as for on with that it his by at from her she you had an were but "
    "be this are not my they one which or have him me first all also their has up who out been "
    "when after there into new two its time would no what about said we over then other so more "
    "can if like back them only some could where just during before do made school through than "
    "now years most world may between down well three year while will later city under around did "
    "such being used state people part know against your many second university both national "
    "these don known off way until re how even get head didn team american because de born united "
    "film since still long work south us became any high again day family see right man eyes house"
).split()


def main() -> None:
    """Print the figures."""
    report.heading("Paint: Enter to painted heatmaps, in an open session")
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        base = base_shaped.made_in(scratch / "base")
        app = copied_app(scratch / "app")
        embedded = stack.enter_context(running(app))
        shaped = stack.enter_context(running(app, base_shaped.offered(base)))
        bare = stack.enter_context(running(small_app(scratch / "bare", BARE)))
        plain = stack.enter_context(running(small_app(scratch / "plain", PLAIN)))
        browser = stack.enter_context(chromium())

        def opened(server: RunningApp, path: str = "") -> Page:
            page = stack.enter_context(fresh_page(browser))
            page.goto(server.url + path)
            page.get_by_label(FIELD, exact=True).wait_for()
            return page

        pages = {
            "384": opened(embedded, "/Input_Embeddings"),
            "768": opened(shaped, "/Input_Embeddings"),
            "plain": opened(plain),
            "bare": opened(bare),
        }
        markers = iter(MARKERS)
        short = _interleaved(pages, SHORT, SHORT_RUNS, lambda: next(markers))
        del pages["384"], pages["plain"]
        long = _interleaved(pages, LONG, LONG_RUNS, lambda: next(markers))

    for size in ("384", "768"):
        report.figure(
            f"{SHORT} tokens x {size} dimensions, {HEATMAPS} heatmaps",
            median(short[size]),
            "s",
            spread=short[size],
        )
    report.figure(
        f"{SHORT} tokens x 384, {HEATMAPS} plain heatmaps alone",
        median(short["plain"]),
        "s",
        spread=short["plain"],
    )
    against = report.ratio(short["384"], short["plain"])
    report.target("ours / plain heatmaps", against, "x", most=1.0)
    total = median(long["768"])
    report.figure(f"{LONG} tokens x 768, {HEATMAPS} heatmaps", total, "s", spread=long["768"])
    report.target(f"{LONG} tokens x 768, a heatmap", total / HEATMAPS, "s", most=0.4)
    everything = short["bare"] + long["bare"]
    report.figure("rerun of a bare page", median(everything), "s", spread=everything)
    for size in ("384", "768"):
        report.figure(
            f"{SHORT} tokens x {size} / bare page", report.ratio(short[size], short["bare"]), "x"
        )
    report.figure(f"{LONG} tokens x 768 / bare page", report.ratio(long["768"], long["bare"]), "x")


def sentence(marker: str, tokens: int, seed: int) -> str:
    """Words that are one token each, the first and every sixth being the marker.

    However a long axis is thinned out, some label then shows the marker.
    """
    pick = random.Random(seed)
    places = range(1, tokens - 1)  # position 0 is [CLS], the last [SEP]
    return " ".join(marker if i == 1 or i % 6 == 0 else pick.choice(WORDS) for i in places)


def _interleaved(
    pages: dict[str, Page], tokens: int, runs: int, marker: Callable[[], str]
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in pages}
    for run in range(-1, runs):  # the one before the first warms what is loaded on first use
        word = marker()
        text = sentence(word, tokens, run)
        for name, page in pages.items():
            seconds = _enter(page, text, word, heatmaps=name != "bare")
            if run >= 0:
                times[name].append(seconds)
    return times


def _enter(page: Page, text: str, marker: str, *, heatmaps: bool) -> float:
    field = page.get_by_label(FIELD, exact=True)
    _settle(page)
    field.fill(text)
    field.press("Enter")
    if heatmaps:
        painted = time_of_heatmaps(page, HEATMAPS, marker)
    else:
        painted = time_of_text(page, "code", marker)
    return painted - time_of_enter(page)


def _settle(page: Page) -> None:
    """Let the run before come to its end."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_timeout(400)


if __name__ == "__main__":
    main()
