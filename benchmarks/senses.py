"""Vectors of many sentences, beside transformers' pipeline and sentence-transformers."""

import sys
import threading
from collections.abc import Callable
from typing import Any

from sentence_transformers import SentenceTransformer
from transformers import pipeline

from benchmarks import report
from benchmarks.app_server import EMBEDDED
from benchmarks.random_text import random_sentences
from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.process import SWITCH
from bertviz_core.tokens import tokenize

SENTENCES, WORDS = 512, (3, 60)  # how many, and how long each may be
ROUNDS = 5


def main() -> None:
    """Print the figures."""
    encoder = load_encoder(load_bert(EMBEDDED))
    _many_sentences(encoder, [" ".join(words) for words in random_sentences(SENTENCES, *WORDS)])
    _beside_busy_threads(encoder)


def _many_sentences(encoder: Encoder, sentences: list[str]) -> None:
    report.heading(f"Vectors of {SENTENCES} sentences, {EMBEDDED}")
    bert, folder = encoder.bert, str(encoder.bert.checkpoint.folder)
    features: Any = pipeline("feature-extraction", model=folder, tokenizer=folder, device="cpu")
    sentence_encoder = SentenceTransformer(folder, device="cpu")

    def all_tokens() -> None:
        texts = tokenize(bert, sentences)
        for _ in encoder.iter_batches(texts, [range(len(text)) for text in texts]):
            pass

    def one_word() -> None:
        texts = tokenize(bert, sentences)
        encoder.piece_vectors_many(texts, [(1,)] * len(texts))

    ours = {
        "ours, all tokens at all layers": all_tokens,
        "ours, one word at all layers": one_word,
    }
    others = {
        "transformers pipeline, batch_size=32": lambda: features(sentences, batch_size=32),
        "sentence-transformers, token embeddings": lambda: sentence_encoder.encode(
            sentences, output_value="token_embeddings", show_progress_bar=False
        ),
    }
    runs = {name: report.timed(run) for name, run in (ours | others).items()}
    times = report.in_turn(runs, ROUNDS)
    for name in ours:
        for other, least in zip(others, (1.6, 1.0), strict=True):
            ratio = report.ratio(times[other], times[name])
            report.figure(f"{name} / {other.partition(',')[0]}", ratio, "x", least=least)


def _beside_busy_threads(encoder: Encoder) -> None:
    """One pass of the model while two threads compute in Python, as runs of pages do."""
    report.heading("One pass beside two busy threads")
    texts = [tokenize(encoder.bert, " ".join(words)) for words in random_sentences(2, 8, 8)]
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            sum(number**2 for number in range(1_000))

    def one_pass(interval: float) -> Callable[[], float]:
        def work() -> None:
            sys.setswitchinterval(interval)
            encoder.hidden_states_many(texts)

        return report.timed(work)

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    runs = {"Python's own interval": one_pass(0.005), "ours": one_pass(SWITCH)}
    own, ours = report.in_turn(runs, ROUNDS).values()
    stop.set()
    report.figure("Python's own interval / ours", report.ratio(own, ours), "x", least=1.1)


if __name__ == "__main__":
    main()
    report.end()
