"""Vectors of many sentences, and a map of 2,000 occurrences."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page

from benchmarks import report
from benchmarks.app_server import EMBEDDED, copied_app, running, small_app
from benchmarks.browser import chromium, fresh_page
from benchmarks.random_text import WORD, lines_with_word, random_sentences

SENTENCES, SHORTEST, LONGEST = 512, 3, 60  # words
ROUNDS = 5
WARM_RUNS = 5
REST = 4.0  # seconds in which a visitor chooses a file, and the browser reads its scripts
OCCURRENCES = 2_000
WORDS_A_LINE = (2, 24)  # and the one that is looked for
POINTS = ".st-key-chart_senses-pca .scatterlayer .point"
# What Streamlit and Plotly themselves take: a file is read, and its lines are points, no more.
PLAIN = """import numpy as np
import plotly.graph_objects as go
import streamlit as st

file = st.file_uploader("Text", type=["txt"])
if file is not None:
    lines = file.getvalue().decode().splitlines()
    x, y = np.random.default_rng(0).normal(size=(2, len(lines))).astype(np.float32)
    with st.container(key="chart_senses-pca"):
        st.plotly_chart(go.Figure(go.Scatter(x=x, y=y, mode="markers", text=lines)))
"""


def main() -> None:
    """Print the figures."""
    _throughput()
    _map()


def _throughput() -> None:
    report.heading(f"Vectors of {SENTENCES} sentences of {SHORTEST} to {LONGEST} words, {EMBEDDED}")
    runs = _encoders([" ".join(words) for words in random_sentences(SENTENCES, SHORTEST, LONGEST)])
    times = report.in_turn(runs, ROUNDS)
    for ours in ("ours, all tokens at all layers", "ours, one word at all layers"):
        pipeline = report.ratio(times["transformers pipeline, batch_size=32"], times[ours])
        report.target(f"{ours}: throughput / pipeline", pipeline, "x", least=1.6)
        sentence = report.ratio(times["sentence-transformers, token embeddings"], times[ours])
        report.target(f"{ours}: / sentence-transformers", sentence, "x", least=1.0)


def _encoders(sentences: list[str]) -> dict[str, Callable[[], Any]]:
    from sentence_transformers import SentenceTransformer
    from transformers import pipeline

    from bertviz_core.bert import load_bert
    from bertviz_core.encoder import load_encoder
    from bertviz_core.tokens import tokenize

    bert = load_bert(EMBEDDED)
    encoder, folder = load_encoder(bert), str(bert.checkpoint.folder)
    features: Any = pipeline("feature-extraction", model=folder, tokenizer=folder, device="cpu")
    sentence_encoder = SentenceTransformer(folder, device="cpu")

    def all_tokens() -> None:
        for _ in encoder.iter_hidden_states([tokenize(bert, text) for text in sentences]):
            pass

    def one_word() -> None:
        texts = [tokenize(bert, text) for text in sentences]
        encoder.piece_vectors_many(texts, [(1,)] * len(texts))

    return {
        "ours, all tokens at all layers": all_tokens,
        "ours, one word at all layers": one_word,
        "transformers pipeline, batch_size=32": lambda: features(sentences, batch_size=32),
        "sentence-transformers, token embeddings": lambda: sentence_encoder.encode(
            sentences, output_value="token_embeddings", show_progress_bar=False
        ),
    }


def _map() -> None:
    report.heading(f"A map of {OCCURRENCES:,} occurrences of a word in an uploaded file")
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        corpus = scratch / "lines.txt"
        lines = lines_with_word(OCCURRENCES, *WORDS_A_LINE)
        corpus.write_text("\n".join(lines), encoding="utf-8")
        browser = stack.enter_context(chromium())
        app = stack.enter_context(running(copied_app(scratch / "app")))
        ours = f"{app.url}/Word_Senses?from=text+file&senseword={WORD}"
        with fresh_page(browser) as page:
            given = _upload(page, ours, corpus)
            mapped = _time_of(page, POINTS, OCCURRENCES) - given
            report.target("cold: a fresh server, nothing loaded", mapped, "s", most=12.0)
        plain = stack.enter_context(running(small_app(scratch / "plain", PLAIN))).url
        times: dict[str, list[float]] = {ours: [], plain: []}
        for _ in range(WARM_RUNS):
            for address, seconds in times.items():
                with fresh_page(browser) as page:
                    given = _upload(page, address, corpus, rest=REST)
                    seconds.append(_time_of(page, POINTS, OCCURRENCES) - given)
        report.figure(
            "warm: vectors kept, page at rest", median(times[ours]), "s", spread=times[ours]
        )
        report.figure("    a plain page", median(times[plain]), "s", spread=times[plain])
        against = report.ratio(times[ours], times[plain])
        report.target("    ours / plain", against, "x", most=0.7)


def _upload(page: Page, address: str, corpus: Path, *, rest: float = 0.0) -> float:
    """Open a page and give it a file, after some seconds of rest; returns `time.time()` then."""
    page.set_default_timeout(300_000)
    page.goto(address)
    page.wait_for_selector("input[type=file]", state="attached")
    page.wait_for_timeout(rest * 1000)
    given = time.time()
    page.set_input_files("input[type=file]", corpus)
    return given


def _time_of(page: Page, selector: str, count: int) -> float:
    found: float = page.evaluate(
        """([selector, count]) => bench.timeOf(() => {
            const all = [...document.querySelectorAll(selector)];
            return all.length >= count ? all.slice(0, 1) : null;
        })""",
        [selector, count],
    )
    return found / 1000


if __name__ == "__main__":
    main()
