"""Which layer to take, or the last four together: how well each tells senses apart, over words."""

from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, frozen
from bertviz_core.senses.pairs import pair_auc, pair_cosines, same_label
from bertviz_core.senses.scores import INTERVAL, label_numbers
from bertviz_core.senses.vectors import SenseVectors

LAST = 4  # layers that are added or concatenated, as in Devlin et al. (2019), section 5.3
RESAMPLES = 10_000


class Mean(NamedTuple):
    """Means over words, and the 95% intervals that drawing words with replacement gives."""

    values: Array  # float32 (ways,)
    low: Array
    high: Array


def auc_by_way(found: SenseVectors) -> Array:
    """The AUC of pairs, (layers + 2,), as in `cosines_by_way`; NaN where all are of one kind."""
    from threadpoolctl import threadpool_limits

    one_sense = same_label(label_numbers([one.sense for one in found.occurrences]))
    if one_sense.all() or not one_sense.any():
        return frozen(np.full(found.vectors.shape[1] + 2, np.nan))
    with threadpool_limits(limits=1):  # a second thread would mostly wait
        return frozen(pair_auc(cosines_by_way(found.vectors), one_sense))


def cosines_by_way(vectors: Array) -> Exact:
    """Cosines of every two of n occurrences, of vectors (n, layers, size): (pairs, layers + 2).

    Of each layer, of the sum of the last four (without the input embedding), of these end to end.
    """
    last = vectors[:, 1:][:, -LAST:]
    added = np.concatenate([vectors, last.sum(axis=1, keepdims=True)], axis=1)
    both = (added, last.reshape(len(last), 1, -1))
    return np.concatenate([pair_cosines(vectors) for vectors in both], axis=1)


def mean_over_words(scores: Array) -> Mean:
    """The means of (words, ways) over the words; of differences, ways are compared word by word."""
    count = len(scores)
    # A word that is drawn comes with its own occurrences, so these are not drawn once more.
    times = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), RESAMPLES)
    low, high = np.percentile(times @ scores.astype(np.float64) / count, INTERVAL, axis=0)
    return Mean(frozen(scores.mean(axis=0, dtype=np.float64)), frozen(low), frozen(high))
