"""What else than its sense sets the occurrences of a word apart: form, position, length, line."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.senses.occurrences import Occurrence
from bertviz_core.senses.pairs import (
    Kinds,
    pair_auc,
    pair_cosines,
    resampled_auc,
    same_label,
    sampled,
)
from bertviz_core.senses.scores import INTERVAL, SenseScores, label_numbers
from bertviz_core.tokens import tokenize

FORM, POSITION, LENGTH, LINE = "form", "position", "length", "line"


class Confound(NamedTuple):
    """What pairs that are alike in something other than the sense have in common."""

    name: str  # `FORM`, `POSITION`, `LENGTH` or `LINE`
    # float32 (layers,): the chance that two occurrences that are alike have a higher cosine than
    # two that are not; NaN where all are alike, or none
    auc: Array
    # With labels: the chance that two of one sense are alike where two of different senses are not,
    # which is how well this predicts senses without any vector.
    alone: float = np.nan
    # float32 (layers,): the AUC of senses among alike pairs only, for `LINE` among pairs of
    # different lines; NaN where these hold one kind only
    held: Array = frozen([])
    low: float = np.nan  # lower end of the 95% interval of `held` at the best layer
    high: float = np.nan
    pairs: int = 0  # how many `held` compares


def confound_scores(
    vectors: Array,
    occurrences: Sequence[Occurrence],
    bert: Bert | None,
    scores: SenseScores | None = None,
) -> tuple[Confound, ...]:
    """Score every layer against form, position, length and line, as `scores` against senses."""
    rows = sampled(range(len(occurrences))) if scores is None else scores.rows
    cosines = pair_cosines(vectors[rows])
    found = []
    for name, alike in alike_pairs([occurrences[row] for row in rows], bert).items():
        if alike.all() or not alike.any():
            continue
        auc = frozen(pair_auc(cosines, alike))
        if scores is None:
            found.append(Confound(name, auc))
            continue
        one_sense = same_label(label_numbers([occurrences[row].sense for row in rows]))
        kept = ~alike if name == LINE else alike
        held = pair_auc(cosines[kept], one_sense[kept])
        low = high = np.nan
        if not np.isnan(held).any():
            best = cosines[:, [scores.best[0]]]
            draws = resampled_auc(best, one_sense, len(rows), kept)
            low, high = np.nanpercentile(draws, INTERVAL)
        alone = float(pair_auc(alike[:, None].astype(np.float64), one_sense)[0])
        found.append(Confound(name, auc, alone, frozen(held), low, high, int(kept.sum())))
    return tuple(found)


def alike_pairs(occurrences: Sequence[Occurrence], bert: Bert | None) -> dict[str, Kinds]:
    """Which pairs are alike in each respect: bool (pairs,), as `np.triu_indices(n, 1)`."""
    forms, positions, lengths = zip(*(_read(one, bert) for one in occurrences), strict=True)
    return {
        FORM: same_label(label_numbers(forms)),
        POSITION: _near(positions),
        LENGTH: _near(lengths),
        LINE: same_label(np.array([one.line for one in occurrences])),
    }


def _read(occurrence: Occurrence, bert: Bert | None) -> tuple[tuple[str, ...], int, int]:
    """The word's form, its position, and the length of its sentence, without a model as typed."""
    sentence, start, end = occurrence.sentence, occurrence.start, occurrence.end
    if bert is None:
        return (occurrence.word,), len(sentence[:start].split()), len(sentence.split())
    text = tokenize(bert, sentence)
    pieces = pieces_of(MarkedText(sentence, start, end), text)
    return tuple(text.tokens[i] for i in pieces), pieces[0], len(text)


def _near(values: Sequence[int]) -> Kinds:
    """Which pairs differ by at most the median difference."""
    numbers = np.array(values)
    differences = np.abs(numbers[:, None] - numbers)[np.triu_indices(len(numbers), 1)]
    median = np.median(differences)
    near: Kinds = differences <= median
    # Where over half of the pairs differ by the most there is, those that differ by less are near.
    return differences < median if near.all() else near
