"""Which words are drawn, and the scales of their pairs, against brute force."""

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales, calibration_sentences
from bertviz_core.calibration.run import LONGEST, content_words
from bertviz_core.calibration.scales import kinds
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize

LAYER = 3


def drawn(bert: Bert) -> tuple[list[str], dict]:
    texts = [(sentence, tokenize(bert, sentence)) for sentence in calibration_sentences()]
    short = [(sentence, text) for sentence, text in texts if len(text) <= LONGEST]
    sentences = [sentence for sentence, _ in short]
    return sentences, content_words(bert, sentences, [text for _, text in short])


@pytest.fixture(scope="module")
def of_many_pieces(minilm_encoder: Encoder) -> tuple[np.ndarray, list[WordInContext], list]:
    """Words of three pieces and more: their sentences' numbers, in these, and alone."""
    sentences, words = drawn(minilm_encoder.bert)
    marked = []
    for word in words[3]:
        text = tokenize(minilm_encoder.bert, sentences[word.sentence])
        start, end = text.offsets[word.positions[0], 0], text.offsets[word.positions[-1], 1]
        sentence = sentences[word.sentence]
        marked.append(f"{sentence[:start]}[{sentence[start:end]}]{sentence[end:]}")
    origins = np.array([word.sentence for word in words[3]])
    alone = words_in_context(minilm_encoder, [f"[{word.word}]" for word in words[3]])
    return origins, words_in_context(minilm_encoder, marked), alone


def test_content_words_by_hand(minilm: Bert) -> None:
    sentences = ["The dog didn't bark at half-time.", "A dog, an awesomesauce dish; 12 x 3!"]
    words = content_words(minilm, sentences, [tokenize(minilm, text) for text in sentences])
    found = {word.word: (pieces, word.sentence) for pieces in words for word in words[pieces]}
    # "dog" once, nothing of "didn't" and "half-time", no function word, number or letter.
    assert found == {"dog": (1, 0), "bark": (1, 0), "awesomesauce": (3, 1), "dish": (1, 1)}


@pytest.mark.parametrize("pooling", ["mean", "first", "last", "max"])
@pytest.mark.parametrize("alone", [False, True])
def test_scale_against_brute_force(
    scales: Scales, of_many_pieces, pooling: str, alone: bool
) -> None:
    origins, first, second = of_many_pieces
    join = {
        "mean": lambda pieces: pieces.mean(axis=0),
        "first": lambda pieces: pieces[0],
        "last": lambda pieces: pieces[-1],
        "max": lambda pieces: pieces.max(axis=0),
    }[pooling]
    left, right = (
        np.stack([join(word.pieces[LAYER]) for word in words])
        for words in (first, second if alone else first)
    )
    apart = origins[:, None] != origins
    counted = apart if alone else np.triu(apart, 1)
    cosines = np.sort(cosine_matrix(left, right)[counted])
    scale = scales.between(5, 3, pooling, alone=alone)
    assert scale.pairs == len(cosines)
    assert scale.anisotropy[LAYER] == pytest.approx(cosines.mean(), abs=1e-5)
    wanted = np.linspace(cosines[0], cosines[-1], 101)
    below = 100 * np.searchsorted(cosines, wanted) / len(cosines)
    assert np.abs(scale.percentiles(wanted, LAYER) - below).max() < 0.15


def test_intervals_against_drawing_sentences_anew(scales: Scales, of_many_pieces) -> None:
    """At the ends too: a straight line from 95% to 0 at 100% was too narrow by 1.4 to 4 times."""
    origins, words, _ = of_many_pieces
    vectors = np.stack([word.vectors[LAYER] for word in words])
    cosines, apart = cosine_matrix(vectors, vectors), origins[:, None] != origins
    scale, percents = scales.between(3, 3), [0.1, 0.3, 1, 2, 5, 25, 50, 75, 95, 98, 99, 99.7, 99.9]
    limits = np.interp(percents, scale.percents, scale.quantiles[LAYER])
    numbers, rows = np.unique(origins, return_inverse=True)
    random = np.random.default_rng(2)
    shares = []
    for _ in range(500):
        times = np.bincount(random.integers(0, len(numbers), len(numbers)), None, len(numbers))
        weights = np.outer(times[rows], times[rows]) * apart
        shares.append([(weights * (cosines < limit)).sum() / weights.sum() for limit in limits])
    lows, highs = 100 * np.quantile(shares, [0.025, 0.975], axis=0)
    for percent, low, high in zip(percents, lows, highs, strict=True):
        found = scale.interval(percent, LAYER)
        assert found[1] - found[0] == pytest.approx(high - low, rel=0.35), percent


def test_every_kind_has_a_scale(scales: Scales) -> None:
    assert list(scales.words) == list(kinds())
    assert len(scales.words) == 54
    assert scales.between(1, 4, "max") is scales.between(3, 1, "max")
    assert scales.between(1, 1, "max") is scales.between(1, 1, "first")
    assert scales.between(2, 1, alone=True) is not scales.between(1, 2, alone=True)


def test_why_one_scale_is_not_enough(scales: Scales) -> None:
    """Two words in pieces are more alike than two of one piece, as docs/methods.md says."""
    words = scales.between(1, 1)
    for other, low, high in (
        (scales.between(3, 3), 90, 100),
        (scales.between(3, 3, "max"), 99, 100),
        (scales.between(1, 1, alone=True), 40, 50),  # nearly the same scale, for this model
    ):
        middle = float(np.interp(50, other.percents, other.quantiles[LAYER]))
        assert low < words.percentile(middle, LAYER) < high
