"""Cosines of unrelated sentences by hand, and that what is shown holds on other texts."""

import re
from itertools import combinations, product

import numpy as np
import pytest

from bertviz_core.arrays import Exact, cosine, cosine_matrix
from bertviz_core.calibration.percentiles import PERCENTS
from bertviz_core.calibration.sentences import (
    LENGTHS,
    NAMED,
    STYLES,
    length_of,
    style_sentences,
    unrelated_pairs,
    unrelated_texts,
)
from bertviz_core.contextual.sentence_vectors import WAYS, sentence_vectors
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize
from scripts import scales


def vectors_of(encoder: Encoder, texts: list[str], way: str, layer: int) -> Exact:
    return sentence_vectors(encoder, tokenize(encoder.bert, texts))[way][layer].astype(float)


@pytest.mark.parametrize("style", [*STYLES[1:], "notes", "examples"])
def test_the_texts_are_whole_sentences(minilm_encoder: Encoder, style: str) -> None:
    examples = [re.sub(r"[\[\]]", "", row["sentence"]) for row in scales.examples()]
    outside = {"notes": scales.lines("notes.txt"), "examples": examples}
    texts = outside[style] if style in outside else style_sentences(style)
    assert len(set(texts)) == len(texts) >= 300
    assert not [text for text in texts if not re.fullmatch(r"[^a-z\s].*[.!?…][\"'”’)]?", text)]
    pieces = [len(text) - 2 for text in tokenize(minilm_encoder.bert, list(texts))]
    assert 4 <= min(pieces) <= max(pieces) <= 40


@pytest.mark.parametrize(
    ("way", "layer", "pair"),
    [("max", 6, (0, 2)), ("[CLS]", 3, (2, 1)), ("mean", 0, (1, 1)), ("token table", 0, (0, 0))],
)
def test_the_middle_of_two_styles(
    minilm_encoder: Encoder, way: str, layer: int, pair: tuple[int, int]
) -> None:
    found = unrelated_pairs(minilm_encoder).middles(way, layer, pair)
    assert tuple(found) == NAMED
    for style, ends in found.items():
        drawn = unrelated_texts(minilm_encoder.bert, style)
        assert [len(own) for own in drawn] == [30, 30, 30]
        first, second = (vectors_of(minilm_encoder, drawn[i], way, layer) for i in pair)
        cosines = cosine_matrix(first, second)
        each_once = combinations(range(30), 2) if pair[0] == pair[1] else np.ndindex(30, 30)
        among = [cosines[ends] for ends in each_once]
        assert ends == pytest.approx(np.percentile(among, [5, 95]), abs=1e-5)


def test_a_cosine_less_what_both_have_with_others(minilm_encoder: Encoder) -> None:
    sentences, found = ["My train leaves.", "Why does it rain in June here?"], 0.0
    one, other = vectors_of(minilm_encoder, sentences, "mean", 6)
    for vector, length in ((one, 1), (other, 0)):  # with those as long as the other
        for style in STYLES:
            texts = unrelated_texts(minilm_encoder.bert, style)[length]
            found += cosine(vector, vectors_of(minilm_encoder, texts, "mean", 6)).mean() / 4
    unrelated = unrelated_pairs(minilm_encoder)
    scaled = unrelated.scaled(np.stack([one, other]), np.array([0, 1]), 6)
    expected = (cosine(one, other) - found / 2) / unrelated.measured["spread"][6, 0, 1]
    assert scaled[0, 1] == scaled[1, 0] == pytest.approx(expected, abs=1e-3)
    percentile = unrelated.percentiles("mean", np.stack([one, other]), np.array([0, 1]), 6)[0, 1]
    low, high = np.interp(
        [percentile - 0.1, percentile + 0.1], PERCENTS, unrelated.measured["quantiles"][6]
    )
    assert low < expected < high


def test_the_scale_leaves_out_a_sentences_own_part() -> None:
    rng = np.random.default_rng(0)
    kinds = list(product(STYLES, range(3), range(4)))
    vectors = rng.normal(size=(len(kinds), 5)) + 1
    lengths, styles = np.array([kind[1] for kind in kinds]), [kind[0] for kind in kinds]
    found = scales.scale_of_means(scales.Texts({"mean": np.float32([vectors])}, lengths, styles))
    cosines = cosine_matrix(vectors, vectors)

    def mean_with(i: int, length: int) -> float:
        others = [
            np.mean(
                [
                    cosines[i, j]
                    for j, kind in enumerate(kinds)
                    if kind[:2] == (style, length) and j != i
                ]
            )
            for style in STYLES
        ]
        return float(np.mean(others))

    pairs: dict[tuple[int, ...], list[float]] = {}
    for i, j in combinations(range(len(kinds)), 2):
        if styles[i] == styles[j]:
            less = (mean_with(i, lengths[j]) + mean_with(j, lengths[i])) / 2
            pairs.setdefault(tuple(sorted((lengths[i], lengths[j]))), []).append(
                cosines[i, j] - less
            )
    for (i, j), own in pairs.items():
        assert found["spread"][0, [i, j], [j, i]] == pytest.approx(np.std(own), abs=1e-3)
    scaled = np.concatenate([np.array(own) / np.std(own) for own in pairs.values()])
    assert found["quantiles"][0] == pytest.approx(np.percentile(scaled, PERCENTS), abs=0.01)


def test_what_ships_holds_on_other_texts(minilm_encoder: Encoder) -> None:
    measured = unrelated_pairs(minilm_encoder).measured
    shown = np.flatnonzero(np.isfinite(measured["quantiles"]).all(axis=1)).tolist()
    assert shown == [3, 4, 5, 6]
    rows = scales.rows_of_means(minilm_encoder, measured)
    assert all(rows[layer].holds for layer in shown)


@pytest.mark.parametrize(
    ("tokens", "length"), [(4, -1), (5, 0), (10, 0), (11, 1), (19, 1), (20, 2), (45, 2), (46, -1)]
)
def test_lengths_without_a_scale(minilm_encoder: Encoder, tokens: int, length: int) -> None:
    assert length_of(tokens) == length
    unrelated, vectors = unrelated_pairs(minilm_encoder), np.eye(2, 384)
    lengths = np.array([length, 0])
    assert bool(unrelated.middles("mean", 6, (length, 0))) == (length >= 0)
    percentile = unrelated.percentiles("mean", vectors, lengths, 6)[0, 1]
    assert np.isfinite(percentile) == (length >= 0)


@pytest.mark.usefixtures("fresh_caches")
def test_another_model_has_middles_only(tiny_encoder: Encoder) -> None:
    """It has few positions: only the shortest sentences fit."""
    unrelated = unrelated_pairs(tiny_encoder)
    assert unrelated.middles("mean", 2, (0, 0)).keys() == set(NAMED)
    assert not unrelated.middles("mean", 2, (0, len(LENGTHS) - 1))
    for way in WAYS:
        assert np.isnan(unrelated.percentiles(way, np.eye(2, 8), np.array([0, 0]), 0)).all()


def test_a_share_by_hand() -> None:
    subjects = [0, *range(20)]  # the first two rows are about one thing
    beyond = np.ones((21, 21), bool)
    beyond[20] = beyond[:, 20] = False
    counted = scales.apart(subjects)
    pairs, single = scales.share(beyond, subjects, counted), scales.share(beyond[0], subjects)
    assert (round(pairs.percent, 3), round(single.percent, 3)) == (90.431, 95.238)  # 378 of 418
    assert 60 < pairs.low < 80 < single.low < 95 < pairs.high <= single.high == 100


@pytest.mark.slow
def test_the_table_of_scales_is_what_is_measured(minilm_encoder: Encoder) -> None:
    written, measured = scales.in_methods(), scales.table(minilm_encoder)
    number = r"\d+\.\d"
    assert re.sub(number, "", written) == re.sub(number, "", measured)
    for own, new in zip(*(re.findall(number, text) for text in (written, measured)), strict=True):
        assert float(own) == pytest.approx(float(new), abs=0.3)
