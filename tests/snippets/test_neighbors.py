import re

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import NearestScores, nearest_scores
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.neighbors import (
    Neighbors,
    nearest_tokens,
    pca_map,
    term_cosines,
)
from bertviz_core.neighbors.layout import lay_out
from bertviz_core.neighbors.search import METRICS, Metric
from tests.snippets.running import as_it_stands, numbers, run_filled

# Each metric with each kind of token, and each of these with and without rows usually left out.
EVERY_PAIR = [
    (metric, keep, (row + column) % 2 == 1)
    for row, metric in enumerate(METRICS)
    for column, keep in enumerate(KEEPS)
]


@pytest.mark.parametrize(("metric", "keep", "more"), EVERY_PAIR)
def test_neighbors(minilm: Bert, metric: Metric, keep: Keep, more: bool) -> None:
    unused = count_own = more
    query = "king - man + sinan"
    found = nearest_tokens(minilm, query, 5, metric, keep, unused=unused, count_own=count_own)
    terms = [(term.sign, list(term.token_ids)) for term in found.terms]
    printed, _ = run_filled(
        "neighbors/neighbors",
        minilm,
        terms=terms,
        k=5,
        metric=metric,
        keep=keep,
        unused=unused,
        count_own=count_own,
    )
    lines = [line.split() for line in printed.splitlines()]
    ranked, by_term = lines[: -len(terms)], lines[-len(terms) :]
    tokens = [minilm.vocabulary.tokens[i] for i in found.ranked_ids]
    assert [line[:2] for line in ranked] == [[str(n), t] for n, t in enumerate(tokens, start=1)]
    assert [float(line[2]) for line in ranked] == pytest.approx(found.ranked_scores, abs=1e-4)
    left_out = [] if count_own else found.ranked_own.tolist()
    assert [line[3:] == ["left", "out"] for line in ranked] == (left_out or [False] * len(ranked))
    best = found.token_ids[~found.is_own][:1]
    cosines = term_cosines(minilm, found, best)[:, 0]
    assert [float(line[-1]) for line in by_term] == pytest.approx(cosines, abs=1e-4)
    assert {line[-2] for line in by_term} == {minilm.vocabulary.tokens[best[0]]}


@pytest.mark.parametrize(
    ("query", "metric", "keep", "unused"),
    [("##ing", "dot", "words", True), ("snake", "euclidean", "subwords", False)],
)
def test_other_tokens(tiny: Bert, query: str, metric: Metric, keep: Keep, unused: bool) -> None:
    """The query is no answer itself: it is not the nearest one of its nearest one."""
    found = nearest_tokens(tiny, query, 1, metric, keep, unused=unused)
    printed, _ = run_filled(
        "neighbors/other_tokens",
        tiny,
        own=found.own_ids.tolist(),
        score=round(float(found.scores[0]), 6),
        metric=metric,
        keep=keep,
        unused=unused,
    )
    check_other_tokens(printed, nearest_scores(tiny), found)


def test_other_tokens_of_the_embedded_model(minilm: Bert, nearest_of_others: NearestScores) -> None:
    printed, names = as_it_stands("neighbors/other_tokens")
    (own,) = names["own"]
    found = nearest_tokens(minilm, minilm.vocabulary.tokens[own], 1)
    assert names["score"] == pytest.approx(found.scores[0], abs=1e-6)
    check_other_tokens(printed, nearest_of_others, found)


def check_other_tokens(printed: str, scores: NearestScores, found: Neighbors) -> None:
    assert re.search(r"less close$", printed)
    count, median, percent = numbers(printed)
    others = scores.of_others(found)
    assert count == others.size
    half = pytest.approx(0.5, abs=max(0.01, 1 / others.size))
    assert (others < median + 1e-3).mean() == half
    assert percent == pytest.approx(scores.percentiles(found)[0], abs=0.1)
    assert 1 < percent < 99


def test_token_map(minilm: Bert, tiny: Bert) -> None:
    """By PCA; and by t-SNE, from where it can be followed: signs of its axes are left open."""
    printed, names = as_it_stands("neighbors/token_map")
    assert names["map_of"] == "PCA"
    found = pca_map(minilm)
    *points, kept = printed.splitlines()
    for row, line in zip(names["rows"], points, strict=True):
        assert line.split()[:2] == [str(row), minilm.vocabulary.tokens[row]]
        values = np.array(line.split()[2:], dtype=np.float64)
        assert np.abs(values) == pytest.approx(np.abs(found.points[row]), abs=2e-4)
    assert numbers(kept).tolist() == [pytest.approx(found.kept, abs=2e-3), 10, 100]

    printed, _ = run_filled("neighbors/token_map", tiny, map_of="t-SNE", rows=[8])
    layout = lay_out(tiny)
    assert numbers(printed.splitlines()[-1])[0] == pytest.approx(layout.kept, abs=0.1)
