import pytest

from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.attention import TARGETS, word_attention
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
