import pytest

from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.attention import attention_to_words, word_attention
from bertviz_core.contextual.occlusion import other_words
from bertviz_core.encoder import Encoder


def test_of_split_words(minilm_encoder: Encoder) -> None:
    """Mean over the pieces of the word, sum over those of each other one."""
    word = word_in_context(minilm_encoder, "such [awesomesauce] on her flabbergasted dog")
    weights, others = word_attention(minilm_encoder, word), other_words(word)
    every = minilm_encoder.attention(word.text, range(len(word.text)))
    assert word.token_positions == (2, 3, 4)
    expected = every[:, :, 2:5].mean(axis=2)
    assert weights == pytest.approx(expected, abs=1e-6)
    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-5)
    to_words = attention_to_words(weights, others)
    (split,) = (i for i, other in enumerate(others) if len(other.positions) > 1)
    assert to_words[5, 3, split] == pytest.approx(
        expected[5, 3, list(others[split].positions)].sum(), abs=1e-6
    )
    outside = expected[..., [0, 2, 3, 4, -1]].sum(axis=-1)  # [CLS], [SEP] and the word itself
    assert to_words.sum(axis=-1) == pytest.approx(1 - outside, abs=1e-5)
