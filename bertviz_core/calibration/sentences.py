"""Baselines for sentence vectors: unrelated texts, and pairs of sentences that were judged."""

import csv
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, cosine, frozen, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import Baseline
from bertviz_core.calibration.words import (
    MAX_TOKENS,
    MIN_WORDS,
    SEED,
    WORD,
    baseline,
    calibration_sentences,
    function_words,
)
from bertviz_core.contextual.sentence_vectors import sentence_vectors
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize

JUDGED = Path(__file__).parents[1] / "data" / "sentence_pairs.tsv"
KIND = "pairs of unrelated texts of such lengths"
# Numbers of tokens, [CLS] and [SEP] too, from and to. A cosine is compared with those of texts as
# long: among few tokens, [CLS] and [SEP] are a large part of the mean.
LENGTHS = ((3, 3), (4, 4), (5, 6), (7, 8), (9, 11), (12, 15), (16, MAX_TOKENS))
MAX_TEXTS = 80  # of each length
DRAWS = 1000  # resamples of the judged pairs


class JudgedPairs(NamedTuple):
    """Pairs of sentences and how similar their meanings are, as one author judged."""

    scores: Ids  # int64 (n,), 0 for unrelated to 5 for the same
    first: tuple[str, ...]
    second: tuple[str, ...]


class Agreement(NamedTuple):
    """How far the cosines of one way rank the judged pairs as their author does, by layer."""

    cosines: Exact  # float64 (layers, n): those of [CLS] at low layers differ by 1e-6
    correlation: Exact  # float64 (layers,), Spearman's; 0 where all cosines are equal
    resampled: Exact  # float64 (layers, 1000), of pairs drawn with replacement, equal for all ways

    @property
    def interval(self) -> Exact:
        """The 95% interval of the correlation: float64 (2, layers)."""
        ends: Exact = np.percentile(self.resampled, [2.5, 97.5], axis=1)
        return ends


@cache
def judged_pairs() -> JudgedPairs:
    """The pairs that ship with the project."""
    with JUDGED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    scores = frozen([row["score"] for row in rows], np.int64)
    return JudgedPairs(scores, *(tuple(row[key] for row in rows) for key in ("first", "second")))


def length_of(tokens: int) -> int | None:
    """The number in `LENGTHS` for a text of so many tokens; None if it is not among them."""
    found = (i for i, (low, high) in enumerate(LENGTHS) if low <= tokens <= high)
    return next(found, None)


def unrelated_texts(bert: Bert) -> list[list[tuple[int, str]]]:
    """Up to 80 texts of each of `LENGTHS`, each with the number of the sentence it comes from.

    They are a sample of this project's sentences. Where too few have a length, parts of others are
    added.
    """
    sentences, rng = calibration_sentences(), np.random.default_rng(SEED)
    order, places = rng.permutation(len(sentences)).tolist(), rng.random(len(sentences))
    tokens = [_tokens(bert, sentence) for sentence in sentences]
    found = []
    for low, high in LENGTHS:
        whole = [(i, sentences[i]) for i in order if low <= tokens[i] <= high]
        parts = (
            (i, part)
            for i in order
            if not low <= tokens[i] <= high
            and (part := _cut(bert, sentences[i], low, high, float(places[i])))
        )
        found.append(list(islice(chain(whole, parts), MAX_TEXTS)))
    return found


def _cut(bert: Bert, sentence: str, low: int, high: int, place: float) -> str:
    """A part of a sentence with `low` to `high` tokens, between two content words; "" if none fits.

    It begins at `place`, 0 to 1, of the content words.
    """
    words = WORD.finditer(sentence)
    spans = [word.span() for word in words if word.group().lower() not in function_words()]
    start = int(place * len(spans))
    for _, end in spans[start:]:
        part = sentence[spans[start][0] : end]
        if (tokens := _tokens(bert, part)) >= low:
            return part if tokens <= high else ""
    return ""


def _tokens(bert: Bert, text: str) -> int:
    """How many tokens a text has; 0 if it does not fit the model."""
    found = tokenize(bert, text)
    return 0 if found.truncated else len(found)


class UnrelatedVectors(NamedTuple):
    """The vectors of unrelated texts of each length: a baseline for texts as long."""

    by_way: dict[str, Array]  # (layers, n, hidden_size)
    lengths: Ids  # int64 (n,), numbers in `LENGTHS`
    origins: Ids  # int64 (n,), the sentence that each comes from

    def scale(self, way: str, first: int | None, second: int | None) -> Baseline | None:
        """The baseline for two of `LENGTHS`; None if fewer than 50 texts are as long."""
        rows = [np.flatnonzero(self.lengths == length) for length in (first, second)]
        if None in (first, second) or min(map(len, rows)) < MIN_WORDS:
            return None
        counted = self.origins[rows[0]][:, None] != self.origins[rows[1]]
        if first == second:
            counted &= np.triu(np.ones_like(counted), 1)  # each pair once
        left, right = (self.by_way[way][:, row] for row in rows)
        return baseline(left, right, counted, KIND)


def unrelated_vectors(encoder: Encoder) -> UnrelatedVectors:
    """Run the unrelated texts of all lengths."""
    by_length = unrelated_texts(encoder.bert)
    texts = tokenize(encoder.bert, [text for own in by_length for _, text in own])
    return UnrelatedVectors(
        sentence_vectors(encoder, texts),
        np.repeat(np.arange(len(by_length)), [len(own) for own in by_length]),
        np.array([number for own in by_length for number, _ in own], dtype=np.int64),
    )


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
