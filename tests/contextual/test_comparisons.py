from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.contextual import WordInContext, similarity_by_layer, word_in_context
from bertviz_core.contextual.words import (
    comparable_layers,
    compare_models,
    compare_poolings,
    piece_similarity,
    rank_correlation,
    self_similarity,
    words_in_context,
)
from bertviz_core.encoder import POOLINGS, Encoder


@pytest.fixture
def word(minilm_encoder: Encoder) -> WordInContext:
    return word_in_context(minilm_encoder, "snake")


def test_self_similarity_and_pieces_by_hand(word: WordInContext) -> None:
    rows = np.float32([[1, 0], [0, 2], [3, 4]])
    east, north, between = (replace(word, vectors=row[None]) for row in rows)
    assert self_similarity([east, north]).tolist() == [0]
    assert self_similarity([east, north, between]) == pytest.approx([(0 + 0.6 + 0.8) / 3])
    assert piece_similarity(replace(word, pieces=rows[None])) == pytest.approx([1.4 / 3])


def test_poolings_and_pieces_of_real_words(minilm_encoder: Encoder) -> None:
    marked = ["such [awesomesauce] here", "snake", "sauce"]
    by_pooling = {pool: words_in_context(minilm_encoder, marked, pool) for pool in POOLINGS}
    long, snake, sauce = by_pooling["mean"]
    found = compare_poolings([(long, snake), (long, sauce), (snake, sauce)])
    assert found.shape == (4, 7, 3)
    for number, pool in enumerate(POOLINGS):
        a, b, c = by_pooling[pool]
        assert found[number, :, 0] == pytest.approx(similarity_by_layer(a, b))
        assert found[number, :, 1] == pytest.approx(similarity_by_layer(a, c))
    spread = np.ptp(found, axis=0)
    assert (spread[:, 0] > 0.01).all()
    assert (spread[:, 2] == 0).all(), "words of one piece have one vector"
    assert not long.pieces.flags.writeable
    curve = piece_similarity(long)
    assert curve.shape == (7,)
    assert curve[0] < curve[3], "pieces grow together in context"


def test_rank_correlation() -> None:
    a = np.random.default_rng(3).normal(size=20).astype(np.float32)
    assert rank_correlation(a, 3 * a + 1) == pytest.approx(1)
    assert rank_correlation(a, -a) == pytest.approx(-1)
    # Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
    tied = rank_correlation(np.float32([1, 2, 2, 5]), np.float32([1, 2, 3, 4]))
    assert tied == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert np.isnan(rank_correlation(a[:2], a[:2]))
    assert np.isnan(rank_correlation(a, np.ones_like(a)))


def test_comparable_depth_by_hand() -> None:
    assert comparable_layers(6, 12).tolist() == [[i, 2 * i] for i in range(7)]
    assert comparable_layers(6, 2)[:, 1].tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert comparable_layers(2, 6).tolist() == [[0, 0], [1, 3], [2, 6]]
    first = np.float32([[1, 2, 3], [1, 2, 3], [3, 2, 1]])
    second = np.float32([[1, 2, 3], [0, 0, 0], [5, 4, 9], [9, 9, 9], [1, 3, 2]])
    found = compare_models(first, second)
    assert found.layers.tolist() == [[0, 0], [1, 2], [2, 4]]
    assert found.correlation == pytest.approx([1, 0.5, -0.5])
