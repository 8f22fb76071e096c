"""Vectors of many sentences, beside transformers' pipeline and sentence-transformers."""

import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import report
from benchmarks.app_server import EMBEDDED
from benchmarks.random_text import random_sentences
from bertviz_core.process import SWITCH

SENTENCES, WORDS = 512, (3, 60)  # how many, and how long each may be
ROUNDS = 5
OWN = 0.005  # seconds, sys.getswitchinterval() at first


def main() -> None:
    """Print the figures."""
    report.heading(f"Vectors of {SENTENCES} sentences, {EMBEDDED}")
    runs = _encoders([" ".join(words) for words in random_sentences(SENTENCES, *WORDS)])
    times = report.in_turn(runs, ROUNDS)
    for ours in ("ours, all tokens at all layers", "ours, one word at all layers"):
        pipeline = report.ratio(times["transformers pipeline, batch_size=32"], times[ours])
        report.target(f"{ours}: throughput / pipeline", pipeline, "x", least=1.6)
        sentence = report.ratio(times["sentence-transformers, token embeddings"], times[ours])
        report.target(f"{ours}: / sentence-transformers", sentence, "x", least=1.0)

    _beside_busy_threads()


def _beside_busy_threads() -> None:
    """One pass of the model while two threads compute in Python, as runs of pages do."""
    from bertviz_core.bert import load_bert
    from bertviz_core.encoder import load_encoder
    from bertviz_core.tokens import tokenize

    report.heading("One pass beside two busy threads")
    bert = load_bert(EMBEDDED)
    encoder = load_encoder(bert)
    texts = [tokenize(bert, " ".join(words)) for words in random_sentences(2, 8, 8)]
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            sum(number**2 for number in range(1_000))

    def one_pass(interval: float) -> None:
        sys.setswitchinterval(interval)
        encoder.hidden_states_many(texts)

    names = "Python's own interval", "ours"
    runs = dict(zip(names, (partial(one_pass, own) for own in (OWN, SWITCH)), strict=True))
    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    own, ours = report.in_turn(runs, ROUNDS).values()
    stop.set()
    report.target("Python's own interval / ours", report.ratio(own, ours), "x", least=1.1)


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


if __name__ == "__main__":
    main()
