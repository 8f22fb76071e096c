"""Cosines of many pairs measured: their quantiles, their mean, and how sure these are."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, frozen, ratio
from bertviz_core.calibration.percentiles import ERRORS_AT, PERCENTS, Calibration

TINY = 1e-12  # a vector that is the mean itself has cosine 0 with all


def calibration_of_pairs(
    model: str,
    layers: Iterable[tuple[Array, Array]],
    counted: NDArray[np.bool_],
    origins: tuple[Ids, Ids],
    *,
    sentences: int,
    vectors: int,
    means: Array,
    kind: str,
) -> Calibration:
    """Measure the cosines of n vectors with m others, layer by layer.

    `counted`, bool (n, m), says which pairs count, `origins` the sentence of each vector.
    """
    measured: list[list[Any]] = []
    for (first, second), mean in zip(layers, means, strict=True):
        row: list[Any] = []
        for cosines in _cosines(first, second, mean):
            among = cosines[counted]
            quantiles = _quantiles(among)
            errors = _errors(cosines, counted, quantiles, origins)
            row += [quantiles, among.mean(dtype=np.float64), errors]
        measured.append(row)
    raw, raw_means, raw_errors, centred, centred_means, centred_errors = zip(*measured, strict=True)
    return Calibration(
        model=model,
        sentences=sentences,
        vectors=vectors,
        pairs=int(np.count_nonzero(counted)),
        quantiles=frozen(raw),
        centred_quantiles=frozen(centred),
        anisotropy=frozen(raw_means),
        centred_anisotropy=frozen(centred_means),
        kind=kind,
        errors=frozen(raw_errors),
        centred_errors=frozen(centred_errors),
    )


def _cosines(first: Array, second: Array, mean: Array) -> Iterator[Array]:
    """Cosines of each vector with each of the other side, float32 (n, m), raw and centred.

    Both come from one product: (a - c) (b - c) = ab - ac - bc + cc takes a third of the time.
    """
    products = first @ second.T
    for centre in (np.zeros_like(mean), mean):
        left, right = (rows @ centre for rows in (first, second))  # (n,) and (m,)
        square = centre @ centre
        squares = (
            np.einsum("nh,nh->n", rows, rows) - 2 * onto + square
            for rows, onto in ((first, left), (second, right))
        )
        lengths, others = (np.sqrt(np.maximum(values, TINY)) for values in squares)
        dots = products - left[:, None] - right + square
        yield np.clip(dots / lengths[:, None] / others, -1, 1)


def _quantiles(cosines: Array) -> Array:
    ordered = np.sort(cosines)  # faster than picking 119 quantiles
    at = np.linspace(0, 100, len(ordered)) if len(ordered) > 1 else np.zeros(1)
    return np.interp(PERCENTS, at, ordered).astype(np.float32)


def _errors(
    cosines: Array,
    counted: NDArray[np.bool_],
    quantiles: Array,
    origins: tuple[Ids, Ids],
) -> list[float]:
    """Standard errors of the percentiles `ERRORS_AT`, in points: leave each sentence out."""
    pairs = _by_sentence(counted, origins)
    errors = []
    for limit in np.interp(ERRORS_AT, PERCENTS, quantiles):
        below = _by_sentence(counted & (cosines < limit), origins)
        # No pair is of one sentence, so each pair is in two of the sums.
        shares = ratio(below.sum() / 2 - below, pairs.sum() / 2 - pairs)[pairs > 0]
        errors.append(100 * float(np.sqrt((len(shares) - 1) * shares.var())))
    return errors


def _by_sentence(pairs: NDArray[np.bool_], origins: tuple[Ids, Ids]) -> Exact:
    """Count the pairs that a vector of each sentence is in."""
    first, second = origins
    sentences = int(max(first.max(), second.max())) + 1
    ones = pairs.astype(np.float32)  # NumPy adds them faster than booleans
    left = np.bincount(first, ones.sum(axis=1), sentences)
    right = np.bincount(second, ones.sum(axis=0), sentences)
    return (left + right).astype(np.float64)
