from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from bertviz_core.contextual import WordInContext, word_in_context
from bertviz_core.contextual.attention import (
    TARGETS,
    agreement_with_changes,
    word_attention,
)
from bertviz_core.contextual.occlusion import OtherWord
from bertviz_core.encoder import Encoder


def test_of_split_words(minilm_encoder: Encoder) -> None:
    """Mean over the pieces of the word, sum over those of each other one."""
    word = word_in_context(minilm_encoder, "such [awesomesauce] on her flabbergasted dog")
    attention = word_attention(minilm_encoder, word)
    every = minilm_encoder.attention(word.text, range(len(word.text)))
    assert word.token_positions == (2, 3, 4)
    expected = every[:, :, 2:5].mean(axis=2)
    assert attention.weights == pytest.approx(expected, abs=1e-6)
    assert attention.weights.sum(axis=-1) == pytest.approx(1, abs=1e-5)
    to_words = attention.to_words(attention.others)
    (split,) = (i for i, other in enumerate(attention.others) if len(other.positions) > 1)
    pieces = attention.others[split].positions
    assert to_words[5, 3, split] == pytest.approx(expected[5, 3, list(pieces)].sum(), abs=1e-6)
    shares = dict(zip(TARGETS, attention.shares, strict=True))
    assert shares["itself"] == pytest.approx(expected[..., 2:5].sum(axis=-1), abs=1e-6)
    assert shares["first"] == pytest.approx(expected[..., 0], abs=1e-6)
    assert shares["special"] == pytest.approx(expected[..., -1], abs=1e-6)
    assert shares["other words"] == pytest.approx(to_words.sum(axis=-1), abs=1e-5)
    assert attention.shares.sum(axis=0) == pytest.approx(1, abs=1e-5)


def line_of(encoder: Encoder, count: int) -> tuple[WordInContext, tuple[OtherWord, ...]]:
    """A word at position 1 and `count` others to its right, at gaps 1, 2, 3, ..."""
    word = replace(word_in_context(encoder, "dog"), token_positions=(1,))
    return word, tuple(OtherWord(f"w{i}", (i + 2,)) for i in range(count))


def test_agreement_by_hand(minilm_encoder: Encoder) -> None:
    word, others = line_of(minilm_encoder, 5)
    # Sizes of the changes, ranked: 5 4 3 2 1, as nearness. The signs do not count.
    changes = np.float32([-0.5, 0.4, -0.3, 0.2, 0.1])
    weights = np.float32(
        [[[0.5, 0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4, 0.5]],
         [[0.4, 0.5, 0.3, 0.2, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2]]]
    )  # fmt: skip
    agreement = agreement_with_changes(weights, changes, others, word)
    assert agreement is not None
    # Two neighbours exchanged: 1 - 6 * (1 + 1) / (5 * 24) = 0.9.
    assert agreement.correlations == pytest.approx(np.array([[1, -1], [0.9, np.nan]]), nan_ok=True)
    assert agreement.highest == (0, 0)
    assert agreement.median == pytest.approx(0.9)
    assert agreement.nearness == pytest.approx(1)
    # Of the 120 orders one agrees with the first head, one with the second, one with the third.
    assert agreement.chance == pytest.approx(3 / 120, abs=0.015)


def test_nothing_to_rank(minilm_encoder: Encoder) -> None:
    word, others = line_of(minilm_encoder, 6)
    varied, equal = np.random.default_rng(1).random((2, 3, 6)), np.ones((2, 3, 6))
    assert agreement_with_changes(varied[..., :4], np.arange(4), others[:4], word) is None
    assert agreement_with_changes(varied, np.zeros(6), others, word) is None
    assert agreement_with_changes(equal, np.arange(6), others, word) is None


def test_agreement_equals_scipy(minilm_encoder: Encoder) -> None:
    word, others = line_of(minilm_encoder, 13)
    draw = np.random.default_rng(2)
    weights, changes = draw.random((6, 12, 13)), draw.normal(size=13)
    agreement = agreement_with_changes(weights, changes, others, word)
    assert agreement is not None
    for layer, head in np.ndindex(6, 12):
        expected = spearmanr(weights[layer, head], np.abs(changes)).statistic
        assert agreement.correlations[layer, head] == pytest.approx(expected, abs=1e-9)
    assert agreement.correlations[agreement.highest] == agreement.correlations.max()
