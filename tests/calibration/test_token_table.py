"""What a nearest neighbour's score is compared with: the same search for 2,000 other tokens."""

from itertools import product

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import CHOICES, NearestScores, nearest_scores
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import METRICS


@pytest.mark.parametrize("metric", METRICS)
def test_every_choice_against_searches_one_by_one(tiny: Bert, metric) -> None:
    scores = nearest_scores(tiny)
    words = tiny.vocabulary
    assert scores.token_ids.tolist() == np.flatnonzero(words.is_ordinary).tolist()
    for keep, unused in product(KEEPS, (False, True)):
        found = [
            nearest_tokens(tiny, words.tokens[i], 1, metric, keep, unused=unused).scores[0]
            for i in scores.token_ids
        ]
        assert scores.scores[CHOICES.index((metric, keep, unused))] == pytest.approx(
            found, abs=1e-5
        )


@pytest.mark.parametrize(
    ("query", "metric"),
    [("king - man + woman", "cosine"), ("dog", "cosine"), ("dog", "euclidean")],
)
def test_percentiles_by_counting(
    minilm: Bert, nearest_of_others: NearestScores, query: str, metric
) -> None:
    neighbors = nearest_tokens(minilm, query, 3, metric)
    others, near = nearest_of_others.of_others(neighbors), -1 if metric == "euclidean" else 1
    expected = [100 * (near * others < near * score).mean() for score in neighbors.scores]
    assert nearest_of_others.percentiles(neighbors).tolist() == pytest.approx(expected)
    assert expected[0] > 40


def test_a_query_is_not_among_its_others(minilm: Bert, nearest_of_others: NearestScores) -> None:
    drawn = minilm.vocabulary.tokens[nearest_of_others.token_ids[5]]
    assert nearest_of_others.of_others(nearest_tokens(minilm, drawn)).size == 1999


@pytest.mark.parametrize("query", ["king - man + woman", "awesomesauce"])
def test_lengths_of_sums_and_means_are_not_those_of_rows(
    minilm: Bert, nearest_of_others: NearestScores, query: str
) -> None:
    assert nearest_of_others.compares(nearest_tokens(minilm, query))
    for metric in ("dot", "euclidean"):
        neighbors = nearest_tokens(minilm, query, metric=metric)
        assert not nearest_of_others.compares(neighbors)
        assert np.isnan(nearest_of_others.percentiles(neighbors)).all()
