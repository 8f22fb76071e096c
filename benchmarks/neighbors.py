"""One query over 30,522 x 768 rows: ours against the libraries users would pick instead.

Ours uses one thread, so each of the others gets one, and processor time is counted: a second thread
would hide in the time on the wall what it costs the other viewers of a server.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from gensim.models import KeyedVectors
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

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
        answers = {name: run() for name, run in searches.items()}
        assert all(rows == answers["ours"] for rows in answers.values()), answers
        runs = {name: partial(_processor_ms, run) for name, run in searches.items()}
        times = report.in_turn(runs, RUNS, "ms")
        others = [_processor_ms(lambda: nearest_scores(bert)) / 1000 for _ in range(OTHERS_RUNS)]
    ours = times["ours"]
    report.figure("ours / gensim", report.ratio(ours, times["gensim"]), "x", most=1.0)
    faster = report.ratio(times["scikit-learn"], ours)
    report.figure("faster than scikit-learn", faster, "x", least=8.0)
    name = "nearest neighbours of 2,000 other tokens, once a model"
    report.figure(name, median(others), "s", most=10, spread=others)


def _searches(bert: Bert) -> dict[str, Callable[[], list[int]]]:
    """The same search in every library; what an index needs beforehand is done here."""
    rows = np.array(bert.tables.word_embeddings)
    row = bert.vocabulary.ids[QUERY]
    vectors = KeyedVectors(rows.shape[1])
    vectors.add_vectors(list(bert.vocabulary.tokens), rows)
    brute = NearestNeighbors(metric="cosine", algorithm="brute").fit(rows)

    def of_gensim() -> list[int]:
        return [vectors.key_to_index[token] for token, _ in vectors.most_similar(QUERY, topn=K)]

    def of_scikit_learn() -> list[int]:
        nearest = brute.kneighbors(rows[row : row + 1], K + 1, return_distance=False)[0]
        return [int(i) for i in nearest if i != row][:K]

    return {
        "ours": lambda: nearest_tokens(bert, QUERY, k=K, unused=True).token_ids.tolist(),
        "gensim": of_gensim,
        "scikit-learn": of_scikit_learn,
    }


def _processor_ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return 1000 * (time.process_time() - begun)


if __name__ == "__main__":
    main()
    report.end()
