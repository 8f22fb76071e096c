"""One query over 30,522 x 768 rows: ours against the libraries users would pick instead.

Ours uses one thread, so each of the others gets one, and processor time is counted: a second thread
would hide in the time on the wall what it costs the other viewers of a server.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import faiss
import numpy as np
from gensim.models import KeyedVectors
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits
from usearch.index import search

from benchmarks import base_shaped, report
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration.token_table import nearest_scores
from bertviz_core.neighbors import nearest_tokens

QUERY, K = "dog", 10
RUNS, OTHERS_RUNS = 60, 3


def main() -> None:
    """Print the figures, after all libraries have given the same answer."""
    report.heading("Neighbours: one exact query over 30,522 x 768, top 10 by cosine, one thread")
    with TemporaryDirectory() as scratch, threadpool_limits(1):
        bert = load_bert(base_shaped.made_in(Path(scratch) / "base"))
        searches = _searches(bert)
        found = {name: run() for name, run in searches.items()}
        assert all(rows == found["ours"] for rows in found.values()), found
        times: dict[str, list[float]] = {name: [] for name in searches}
        for run in range(RUNS):
            # Each follows each of the others as often: threads of the one before may be awake.
            for name in random.Random(run).sample(list(searches), len(searches)):
                times[name].append(_processor_seconds(searches[name]))
        others = [_processor_seconds(lambda: nearest_scores(bert)) for _ in range(OTHERS_RUNS)]
    for name, seconds in times.items():
        report.figure(name, 1000 * median(seconds), "ms", spread=[1000 * s for s in seconds])
    ours = times["ours"]
    report.target("ours / gensim", report.ratio(ours, times["gensim"]), "x", most=1.0)
    faster = report.ratio(times["scikit-learn"], ours)
    report.target("faster than scikit-learn", faster, "x", least=8.0)
    for name in ("faiss", "usearch"):
        report.figure(f"ours / {name}", report.ratio(ours, times[name]), "x")
    name = "nearest neighbours of 2,000 other tokens, once a model"
    report.target(name, median(others), "s", most=10, spread=others)


def _searches(bert: Bert) -> dict[str, Callable[[], list[int]]]:
    """The same search in every library; what an index needs beforehand is done here."""
    rows = np.array(bert.tables.word_embeddings)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    row = bert.vocabulary.ids[QUERY]
    vectors = KeyedVectors(rows.shape[1])
    vectors.add_vectors(list(bert.vocabulary.tokens), rows)
    brute = NearestNeighbors(metric="cosine", algorithm="brute").fit(rows)
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(unit)

    def of_gensim() -> list[int]:
        return [vectors.key_to_index[token] for token, _ in vectors.most_similar(QUERY, topn=K)]

    def of_others(search: Callable[[], np.ndarray]) -> Callable[[], list[int]]:
        return lambda: [int(i) for i in search() if i != row][:K]

    one = slice(row, row + 1)
    return {
        "ours": lambda: nearest_tokens(bert, QUERY, k=K, unused=True).token_ids.tolist(),
        "gensim": of_gensim,
        "scikit-learn": of_others(
            lambda: brute.kneighbors(rows[one], K + 1, return_distance=False)[0]
        ),
        "faiss": of_others(lambda: flat.search(unit[one], K + 1)[1][0]),
        "usearch": of_others(
            lambda: search(rows, rows[row], K + 1, "cos", exact=True, threads=1).keys
        ),
    }


def _processor_seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
