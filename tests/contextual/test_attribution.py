import numpy as np
import pytest
from scipy.stats import spearmanr

from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.attribution import (
    added_by_words,
    attribution,
    correlation_with_masking,
)
from bertviz_core.contextual.influence import OtherWord, changed_contexts, influence
from bertviz_core.contextual.words import marked_words_in_context, words_in_context
from bertviz_core.encoder import Encoder

RIVER = "The old [bank] of the river was steep, so nobody sat there."


def test_of_two_sentences_and_of_one(minilm_encoder: Encoder) -> None:
    bank, shore = words_in_context(minilm_encoder, [RIVER, "shore"], "last")
    found = attribution(minilm_encoder, bank, shore, 4, "last")
    assert found.cosine == pytest.approx(similarity_by_layer(bank, shore)[4], abs=1e-5)
    assert [shares.shape[1] for shares in found.shares] == [16, 3]
    pair = marked_words_in_context(minilm_encoder, ["the [bank] by the [shore]"])
    inside = attribution(minilm_encoder, *pair, 4, hold_anchor=True)
    assert inside.cosine == pytest.approx(similarity_by_layer(*pair)[4], abs=1e-5)
    assert [shares.shape[1] for shares in inside.shares] == [7]
    assert inside.complete
    assert inside.shares[0].any()


def test_sums_of_pieces() -> None:
    shares = np.array([[0, 1, 2, 3], [0, 10, 20, 30], [0, 100, 200, 300]], dtype=float)
    others = [OtherWord("a", (1,)), OtherWord("bc", (2, 3))]
    assert added_by_words(shares, others).tolist() == [111, 555]


def test_correlation_by_hand() -> None:
    """What draws together has a loss below zero; two neighbours exchanged give 0.9."""
    added = np.array([0.5, 0.4, 0.1, 0.0, -0.2])
    found = correlation_with_masking(added, np.float32([-0.9, -0.3, -0.2, 0.1, 0.3]))
    assert found is not None
    assert found.value == pytest.approx(1)
    assert found.chance == pytest.approx(2 / 120, abs=0.01), "this order, and its opposite"
    other = correlation_with_masking(added, np.float32([-0.3, -0.9, -0.2, 0.1, 0.3]))
    assert other is not None
    assert other.value == pytest.approx(0.9)


def test_nothing_to_correlate() -> None:
    changes = np.arange(6, dtype=np.float32)
    assert correlation_with_masking(changes[:4], changes[:4]) is None
    assert correlation_with_masking(np.zeros(6), changes) is None
    assert correlation_with_masking(changes, np.zeros(6, np.float32)) is None


def test_the_embedded_model(minilm_encoder: Encoder) -> None:
    """Gradients and masking do not tell the same here: no correlation beyond chance."""
    bank, shore = words_in_context(minilm_encoder, [RIVER, "shore"])
    changed = changed_contexts(minilm_encoder, bank)
    changes = influence(bank, changed, shore)[6]
    for hold, baseline in ((False, 0.784), (True, -0.033)):
        found = attribution(minilm_encoder, bank, shore, 6, hold_anchor=hold)
        assert found.baseline == pytest.approx(baseline, abs=2e-3)
        assert found.cosine == pytest.approx(0.085, abs=2e-3)
        added = added_by_words(found.shares[0], changed.others)
        both = correlation_with_masking(added, changes)
        assert both is not None
        assert both.value == pytest.approx(spearmanr(added, -changes).statistic, abs=1e-9)
        assert abs(both.value) < 0.4
        assert both.chance > 0.2
