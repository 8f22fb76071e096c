"""What sentence vectors are compared with: unrelated sentences, and pairs that people judged."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, Ids, cosine, frozen, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import Calibration
from bertviz_core.calibration.run import LONGEST, SEED, calibration_sentences
from bertviz_core.calibration.scales import LEAST_WORDS, measured
from bertviz_core.contextual.sentence_vectors import sentence_vectors
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize

JUDGED = Path(__file__).parents[1] / "data" / "sentence_pairs.tsv"
KIND = "pairs of unrelated sentences"
MOST = 200  # sentences of a scale
DRAWS = 1000


class JudgedPairs(NamedTuple):
    """Pairs of sentences and how alike they mean, in one author's judgement."""

    scores: Ids  # int64 (n,), 0 for unrelated to 5 for the same
    first: tuple[str, ...]
    second: tuple[str, ...]


class Agreement(NamedTuple):
    """How far the cosines of one way order the judged pairs as their author does, by layer."""

    cosines: Exact  # float64 (layers, n): those of [CLS] at low layers differ by 1e-6
    correlation: Exact  # float64 (layers,), Spearman's; 0 where all cosines are equal
    drawn: Exact  # float64 (layers, 1000), of pairs drawn with replacement; the same for all ways

    @property
    def interval(self) -> Exact:
        """The 95% interval of the correlation: float64 (2, layers)."""
        ends: Exact = np.percentile(self.drawn, [2.5, 97.5], axis=1)
        return ends


@cache
def judged_pairs() -> JudgedPairs:
    """The pairs that ship with the project."""
    with JUDGED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    scores = frozen([row["score"] for row in rows], np.int64)
    return JudgedPairs(scores, *(tuple(row[key] for row in rows) for key in ("first", "second")))


def unrelated_sentences(bert: Bert) -> list[str]:
    """Sentences of this project that a scale is measured on: 200, drawn among the shorter ones."""
    every = [(sentence, tokenize(bert, sentence)) for sentence in calibration_sentences()]
    short = [one for one, text in every if len(text) <= LONGEST and not text.truncated]
    return [short[i] for i in np.random.default_rng(SEED).permutation(len(short))[:MOST]]


def sentence_scales(encoder: Encoder) -> dict[str, Calibration]:
    """The percentile scale of each way; none with fewer than 50 sentences that fit the model."""
    texts = [tokenize(encoder.bert, one) for one in unrelated_sentences(encoder.bert)]
    if len(texts) < LEAST_WORDS:
        return {}
    numbers = np.arange(len(texts))
    each_once = np.triu(np.ones((len(texts), len(texts)), dtype=bool), 1)
    about = KIND, len(texts), len(texts)
    return {
        way: measured(own, own, own.mean(axis=1), each_once, (numbers, numbers), about)
        for way, own in sentence_vectors(encoder, texts).items()
    }


def agreements(encoder: Encoder) -> dict[str, Agreement]:
    """Compare the cosines of the judged pairs with their scores, for each way and layer."""
    scores, *sides = judged_pairs()
    draws = np.random.default_rng(SEED).integers(len(scores), size=(DRAWS, len(scores)))
    # One run for both sides, so that equal sentences get equal vectors.
    texts = [tokenize(encoder.bert, sentence) for side in sides for sentence in side]
    judged, judged_draws = standard_ranks(scores), standard_ranks(scores[draws])
    found = {}
    for way, vectors in sentence_vectors(encoder, texts).items():
        cosines = cosine(*np.split(vectors, 2, axis=1))
        drawn = np.stack([(judged_draws * standard_ranks(own[draws])).sum(1) for own in cosines])
        found[way] = Agreement(cosines, standard_ranks(cosines) @ judged, drawn)
    return found
