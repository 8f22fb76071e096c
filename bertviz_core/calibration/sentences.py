"""Baselines for sentence vectors: unrelated texts, and pairs of sentences that were judged."""

import csv
from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import (
    Array,
    Exact,
    Ids,
    cosine,
    frozen,
    standard_ranks,
    unit_rows,
)
from bertviz_core.bert import Bert
from bertviz_core.calibration.influence import LENGTHS, length_of
from bertviz_core.calibration.percentiles import percentiles_among
from bertviz_core.calibration.word_scales import SEED, STYLES, style_sentences
from bertviz_core.contextual.sentence_vectors import sentence_vectors
from bertviz_core.disk_cache import key_of, made_once
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize

JUDGED = Path(__file__).parents[1] / "data" / "sentence_pairs.tsv"
NAMED = ("news", "stories")  # those whose cosines are said: one high, one low
# A cosine is compared with those of sentences as long: among few tokens, [CLS] and [SEP] are a
# large part of the mean.
PAIRS = tuple(combinations_with_replacement(range(len(LENGTHS)), 2))
MAX_TEXTS, MIN_TEXTS = 30, 20  # of each style and length
FORMAT = 1  # raise it when the way of measuring changes in more than these
DRAWS = 1000  # resamples of the judged pairs


class Agreement(NamedTuple):
    """How far the cosines of one way rank the judged pairs as their author does, by layer."""

    cosines: Exact  # float64 (layers, n): those of [CLS] at low layers differ by 1e-6
    correlation: Exact  # float64 (layers,), Spearman's; 0 where all cosines are equal
    resampled: Exact  # float64 (layers, 1000), of pairs drawn with replacement, equal for all ways


@cache
def judged_pairs() -> tuple[Ids, tuple[str, ...], tuple[str, ...]]:
    """How similar two sentences are, as one author judged, and the n first and second sentences.

    int64 (n,), from 0 for unrelated to 5 for the same meaning.
    """
    with JUDGED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    scores = frozen([row["score"] for row in rows], np.int64)
    return scores, tuple(row["first"] for row in rows), tuple(row["second"] for row in rows)


def unrelated_texts(bert: Bert, style: str) -> list[list[str]]:
    """Draw 30 sentences of a style for each of `LENGTHS`, or none of fewer than 20."""
    sentences = style_sentences(style)
    found: list[list[str]] = [[] for _ in LENGTHS]
    for i in np.random.default_rng(SEED).permutation(len(sentences)):
        text = tokenize(bert, sentences[i])
        if not text.truncated and (length := length_of(len(text))) >= 0:
            found[length].append(sentences[i])
        if min(map(len, found)) >= MAX_TEXTS:
            break
    return [own[:MAX_TEXTS] if len(own) >= MIN_TEXTS else [] for own in found]


class UnrelatedPairs(NamedTuple):
    """The cosines of pairs of unrelated sentences, by way, layer and the two `LENGTHS`.

    By way float32 (layers, 2, 3, 3, 2): the cosines of nine of ten pairs of each of `NAMED` styles,
    from and to; NaN where too few sentences are as long. What ships has a scale of means as well,
    made and tried by scripts/scales.py: "means", float16 (layers, 3, hidden_size), of unit vectors;
    "spread", float32 (layers, 3, 3), and "quantiles", float32 (layers, 119), of `normalized`
    cosines. The quantiles are in units of the spread, and NaN at layers where they do not hold on
    other texts.
    """

    measured: Mapping[str, NDArray[Any]]

    def middles(self, way: str, layer: int, pair: tuple[int, int]) -> dict[str, list[float]]:
        """From and to what cosine nine of ten pairs of each style have; {} without a scale."""
        ends = self.measured[way][(layer, slice(None), *pair)]
        known = min(pair) >= 0 and np.isfinite(ends).all()
        return dict(zip(NAMED, ends.tolist(), strict=True)) if known else {}

    def scaled(self, means: NDArray[Any], lengths: Ids, layer: int) -> Exact:
        """`normalized` cosines of n texts in units of their spread: float64 (n, n), or NaN."""
        units = unit_rows(means)
        found = normalized(units, units @ self.measured["means"][layer].T, lengths)
        found /= self.measured["spread"][layer][lengths[:, None], lengths]
        found[lengths < 0] = found[:, lengths < 0] = np.nan
        return found

    def percentiles(self, way: str, vectors: NDArray[Any], lengths: Ids, layer: int) -> Exact:
        """How many percent of unrelated pairs are less alike: float64 (n, n), or NaN."""
        if way != "mean" or "quantiles" not in self.measured:
            return np.full((len(vectors), len(vectors)), np.nan)
        scaled = self.scaled(vectors, lengths, layer)
        return percentiles_among(scaled, self.measured["quantiles"][layer])


def normalized(units: Exact, expected: Exact, lengths: Ids) -> Exact:
    """What cosines (..., n, n) are more than `expected`, half of each text's side.

    `expected` is (..., n, 3), the mean cosine of each text with unrelated ones of each length.
    """
    of_other = expected[..., lengths]
    return units @ units.swapaxes(-1, -2) - (of_other + of_other.swapaxes(-1, -2)) / 2


def unrelated_pairs(encoder: Encoder) -> UnrelatedPairs:
    """Those of a model: shipped or kept on disk; else they are measured, without a scale."""
    key, is_current = pairs_key(encoder.bert), encoder.bert.is_current
    return UnrelatedPairs(made_once("sentences", key, lambda: measure(encoder), is_current))


def pairs_key(bert: Bert) -> str:
    """Hex digest of the model, the sentences and the way of measuring."""
    method = (FORMAT, LENGTHS, MAX_TEXTS, MIN_TEXTS, SEED, NAMED)
    return key_of(method, bert.checkpoint.fingerprint(), *map(style_sentences, STYLES))


def measure(encoder: Encoder) -> dict[str, Array]:
    """Measure the cosines of pairs of the styles `NAMED`; see `UnrelatedPairs`."""
    drawn = [own for style in NAMED for own in unrelated_texts(encoder.bert, style)]
    texts = tokenize(encoder.bert, [text for own in drawn for text in own])
    ends, count = np.cumsum([len(own) for own in drawn])[:-1], len(LENGTHS)
    found = {}
    for way, vectors in sentence_vectors(encoder, texts).items():
        groups = np.split(unit_rows(vectors), ends, axis=1)
        middles = np.full((len(vectors), len(NAMED), count, count, 2), np.nan)
        for style, (i, j) in product(range(len(NAMED)), PAIRS):
            cosines = groups[style * count + i] @ groups[style * count + j].swapaxes(1, 2)
            each_once = np.tril(np.ones(cosines.shape[1:], np.bool_), -1) | (i != j)
            if cosines.size:
                of_pairs = np.percentile(cosines[:, each_once], (5, 95), axis=1).T
                middles[:, style, [i, j], [j, i]] = of_pairs[:, None]
        found[way] = frozen(middles)
    return found


def agreements(encoder: Encoder) -> dict[str, Agreement]:
    """Compare the cosines of the judged pairs with their scores, for each way and layer."""
    scores, *sides = judged_pairs()
    draws = np.random.default_rng(SEED).integers(len(scores), size=(DRAWS, len(scores)))
    # One run for both sides, so that equal sentences get equal vectors.
    texts = tokenize(encoder.bert, [sentence for side in sides for sentence in side])
    judged, judged_draws = standard_ranks(scores), standard_ranks(scores[draws])
    found = {}
    for way, vectors in sentence_vectors(encoder, texts).items():
        cosines = cosine(*np.split(vectors, 2, axis=1))
        resampled = [(judged_draws * standard_ranks(own[draws])).sum(axis=1) for own in cosines]
        found[way] = Agreement(cosines, standard_ranks(cosines) @ judged, np.stack(resampled))
    return found
