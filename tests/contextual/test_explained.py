"""What predicts a token's vector, against cases whose answer is known and the trained model."""

import numpy as np
import pytest

from bertviz_core.contextual import explained as module
from bertviz_core.contextual.explained import (
    STRENGTHS,
    explained_at,
)
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from tests.tiny import SENTENCES, explained_variance

TOKENS, LENGTH, SIZE = 3000, 10, 12


@pytest.fixture(scope="module")
def known():
    """Of 300 sentences: token rows, positions, sentences, and the three parts, variance 1 each."""
    draw = np.random.default_rng(1)
    table = draw.standard_normal((200, SIZE))
    table -= table.mean(axis=0)
    table /= table.std(axis=0)
    rows = table[draw.integers(200, size=TOKENS)]
    sentence_of, positions = np.divmod(np.arange(TOKENS), LENGTH)
    by_position = draw.standard_normal((LENGTH, SIZE))
    by_position = (by_position - by_position.mean(axis=0)) / by_position.std(axis=0)
    of_sentence = draw.standard_normal((TOKENS // LENGTH, SIZE))
    turned = rows @ np.linalg.qr(draw.standard_normal((SIZE, SIZE)))[0]
    noise = draw.standard_normal((TOKENS, SIZE))
    parts = (turned, by_position[positions], of_sentence[sentence_of], noise)
    return rows.astype(np.float32), positions, sentence_of, parts


def test_shares_of_a_known_sum(known) -> None:
    """4 of 16 from the token row, 1 from the position, 9 from the sentence, 2 from nothing."""
    rows, positions, sentence_of, (token, position, sentence, noise) = known
    vectors = 2 * token + position + 3 * sentence + np.sqrt(2) * noise
    alone, together = explained_at(vectors.astype(np.float32), rows, positions, sentence_of)
    assert np.diff(together, prepend=0)[:2] == pytest.approx([4 / 16, 1 / 16], abs=0.02)
    assert alone[:2] == pytest.approx([4 / 16, 1 / 16], abs=0.02)
    # The mean of nine other tokens is the sentence and a ninth of their own variance, which a
    # regression on it can no more tell apart.
    assert 0.85 * 9 / 16 < together[2] - together[1] < 9 / 16
    assert alone[2] == pytest.approx(together[2] - together[1], abs=0.02)


def test_what_has_nothing_to_do_with_the_vectors_explains_nothing(known) -> None:
    rows, positions, sentence_of, (token, _, _, noise) = known
    alone, together = explained_at(noise.astype(np.float32), rows, positions, sentence_of)
    assert np.abs([alone, together]).max() < 0.02
    alone, together = explained_at(token.astype(np.float32), rows, positions, sentence_of)
    assert together == pytest.approx([1, 1, 1], abs=0.005)
    assert np.abs(alone[1:]).max() < 0.03
    equal = np.ones((TOKENS, SIZE), np.float32)
    alone, together = explained_at(equal, rows, positions, sentence_of)
    assert [*alone, *together] == [0] * 6


def test_ridge_as_scikit_learn_finds_it(known) -> None:
    """The token row alone, on the same held-out sentences."""
    from sklearn.linear_model import Ridge

    rows, positions, sentence_of, parts = known
    vectors = sum(parts).astype(np.float32)
    alone, _ = explained_at(vectors, rows, positions, sentence_of)
    fold = np.random.default_rng(0).permutation(TOKENS // LENGTH)[sentence_of] % 5
    centred = rows - rows.mean(axis=0)
    x = centred / np.sqrt((centred**2).mean())
    errors, total = np.zeros(len(STRENGTHS)), 0.0
    for number in range(5):
        train, held = fold != number, fold == number
        for i, strength in enumerate(STRENGTHS):
            ridge = Ridge(alpha=strength * train.sum()).fit(x[train], vectors[train])
            errors[i] += ((vectors[held] - ridge.predict(x[held])) ** 2).sum()
        total += ((vectors[held] - vectors[train].mean(axis=0)) ** 2).sum()
    assert alone[0] == pytest.approx(1 - errors.min() / total, abs=1e-5)


def test_input_embedding_of_a_random_model(tiny_encoder: Encoder) -> None:
    """Layer 0 is row + position + segment but for LayerNorm."""
    words = "the cat dog sat on a mat python snake code king queen man woman i love my pet".split()
    draw = np.random.default_rng(0)
    sentences = [" ".join(draw.choice(words, size=10)) for _ in range(100)]
    found = explained_variance(tiny_encoder, [*sentences, *SENTENCES, "zebra", "cat"])
    assert found.sentences == 108
    assert found.added.shape == (3, 3)
    assert found.added.sum(axis=0) + found.rest == pytest.approx([1, 1, 1])
    token, position, sentence = found.added[:, 0]
    assert token + position > 0.9
    assert position > 0.1
    assert abs(sentence) < 0.01


def test_memory_bounds_the_tokens(tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [f"{a} {b}" for a in SENTENCES for b in SENTENCES]
    monkeypatch.setattr(module, "MOST_BYTES", 150 * 4 * 8 * 3)
    assert 120 < explained_variance(tiny_encoder, sentences).tokens <= 150


def test_too_few_sentences(tiny_encoder: Encoder) -> None:
    with pytest.raises(UserInputError, match="of 10 there are 8"):
        explained_variance(tiny_encoder, [*SENTENCES, "cat", "zebra zebra"])
