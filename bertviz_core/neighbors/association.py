"""An association test of words: WEAT (Caliskan, Bryson & Narayanan 2017), on token rows."""

from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, cosine_matrix
from bertviz_core.errors import UserInputError

MIN_LISTED = 2  # words of a list
MAX_DIVISIONS, BATCH, SEED = 20_000, 1_000, 0  # of more divisions as many are drawn; at a time


class Association(NamedTuple):
    """How much more one list of words leans to some attributes than another list does."""

    scores: Exact  # of each word: its mean cosine with one list of attributes less the other
    effect: float  # d: the difference of both lists' means, over the standard deviation of all
    p: float  # share of divisions into two such lists with at least this difference
    tried: int  # divisions: all, or `MAX_DIVISIONS` that were drawn


def association_test(first: Any, second: Any, near: Any, other: Any) -> Association:
    """Test whether a list of words is nearer than another one to some attributes than to others.

    All are vectors (n, hidden_size), 2 at least; else a UserInputError. The test is one-sided, as
    published; the deviation divides by the number of words less one. Drawn divisions count the
    given one as well, so that p is never 0.
    """
    from scipy.stats import permutation_test

    if min(map(len, (first, second, near, other))) < MIN_LISTED:
        raise UserInputError(f"Each list needs {MIN_LISTED} words that are one token. Add some.")
    words = np.concatenate([first, second])
    scores = cosine_matrix(words, near).mean(axis=1) - cosine_matrix(words, other).mean(axis=1)
    if scores.std() < 1e-9:
        raise UserInputError("No word is nearer to one side than to the other. Change a side.")
    tested = permutation_test(
        np.split(scores, [len(first)]),
        lambda one, two, axis: one.mean(axis=axis) - two.mean(axis=axis),
        vectorized=True,
        n_resamples=MAX_DIVISIONS,
        batch=BATCH,
        alternative="greater",
        rng=SEED,
    )
    effect = float(tested.statistic / scores.std(ddof=1))
    return Association(scores, effect, float(tested.pvalue), len(tested.null_distribution))
