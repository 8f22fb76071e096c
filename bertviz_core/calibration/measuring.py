"""Cosines of many pairs measured: their quantiles, their mean, and how sure these are."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, frozen, ratio, unit_rows
from bertviz_core.calibration.cosines import ERRORS_AT, PERCENTS, Calibration
from bertviz_core.errors import UserInputError

PARTNERS = 100
LEAST_PAIRS = 100
TINY = 1e-12  # a vector that is the mean itself has cosine 0 with all


def calibration_of(
    model: str,
    vectors: Array,
    token_ids: Ids,
    origins: Ids,
    *,
    sentences: int,
    kind: str,
) -> Calibration:
    """Measure the cosines of pairs of different tokens among vectors in random order.

    The vectors are split into groups of 100. Each vector is paired with the 100 of the next group,
    and those of the last group with the first. A pair counts when token and origin both differ. So
    all vectors are in about equally many pairs, at the cost of one small matrix product a group.

    Args:
        model: Name of the checkpoint.
        vectors: float32 (layers, n, hidden_size); their order must be random.
        token_ids: int64 (n,), the token of each.
        origins: int64 (n,), the sentence of each.
        sentences: How many sentences there are.
        kind: What is paired, in words.

    Returns:
        The calibration, from about 100 n pairs.

    Raises:
        UserInputError: Fewer than 100 pairs are left.
    """
    size = max(min(PARTNERS, len(token_ids) // 2), 1)
    groups = len(token_ids) // size
    used = groups * size
    differ = _differ(token_ids[:used], size) & _differ(origins[:used], size)
    if np.count_nonzero(differ) < LEAST_PAIRS:
        raise UserInputError(
            f"Only {np.count_nonzero(differ)} unrelated pairs of tokens can be made for {model}; "
            f"a calibration needs at least {LEAST_PAIRS}."
        )
    by_layer = (rows.reshape(groups, size, -1) for rows in vectors[:, :used])
    grouped = origins[:used].reshape(groups, size)
    return calibration_of_pairs(
        model,
        ((first, _next_group(first)) for first in by_layer),
        differ,
        (grouped, _next_group(grouped)),
        sentences=sentences,
        vectors=used,
        means=frozen(vectors.mean(axis=1, dtype=np.float64)),
        kind=kind,
    )


def percentiles_among(vectors: Array, cosines: Array, most: int = 300) -> tuple[Exact, int]:
    """Say how many pairs of some vectors have a lower cosine.

    For occurrences of one word no other words are a scale: all its pairs are more alike than nearly
    all pairs of different words. Their scale is each other.

    Args:
        vectors: float32 (n, hidden_size), at least two.
        cosines: The cosines to judge.
        most: How many of the vectors are paired; more are drawn at random, always the same ones.

    Returns:
        float64, of the shape of `cosines`, percent of the pairs, those of the very same cosine
        half; and how many pairs there are.
    """
    drawn = np.random.default_rng(0).permutation(len(vectors))[:most]
    units = unit_rows(vectors[drawn], np.float32)
    pairs = np.sort((units @ units.T)[np.triu_indices(len(units), 1)])
    # In pairs of the drawn ones the last digits may differ by the order of sums.
    below, up_to = (np.searchsorted(pairs, cosines + step) for step in (-1e-6, 1e-6))
    return 50 * (below + up_to) / len(pairs), len(pairs)


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
    """Measure the cosines of groups of vectors with groups of others.

    Args:
        model: Name of the checkpoint.
        layers: Of each layer, float32 (g, n, hidden_size) and (g, m, hidden_size): each vector of a
            group is paired with each of the other side's group.
        counted: bool (g, n, m), which pairs count; at least one.
        origins: int64 (g, n) and (g, m), the sentence of each vector.
        sentences: How many sentences there are.
        vectors: How many vectors there are.
        means: (layers, hidden_size), what centring takes away.
        kind: What is paired, in words.
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
        means=means,
        kind=kind,
        errors=frozen(raw_errors),
        centred_errors=frozen(centred_errors),
    )


def _next_group(groups: NDArray[Any]) -> NDArray[Any]:
    return np.roll(groups, -1, axis=0)


def _differ(labels: Ids, size: int) -> NDArray[np.bool_]:
    """Where the labels of a pair differ: bool (groups, size, size)."""
    groups = labels.reshape(-1, size)
    differ: NDArray[np.bool_] = groups[:, :, None] != _next_group(groups)[:, None, :]
    if len(groups) == 2:
        differ[1] = False  # two groups meet once, not twice
    return differ


def _cosines(first: Array, second: Array, mean: Array) -> Iterator[Array]:
    """Cosines of each vector with those of the other side's group, float32 (g, n, m), as they are
    and centred.

    Both come from one product: (a - c) (b - c) = ab - ac - bc + cc takes a third of the time.
    """
    products = first @ second.transpose(0, 2, 1)
    for centre in (np.zeros_like(mean), mean):
        left, right = (rows @ centre for rows in (first, second))  # (g, n) and (g, m)
        square = centre @ centre
        squares = (
            np.einsum("gnh,gnh->gn", rows, rows) - 2 * onto + square
            for rows, onto in ((first, left), (second, right))
        )
        lengths, others = (np.sqrt(np.maximum(values, TINY)) for values in squares)
        dots = products - left[:, :, None] - right[:, None, :] + square
        yield np.clip(dots / lengths[:, :, None] / others[:, None, :], -1, 1)


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
    """Standard errors of the percentiles `ERRORS_AT`, in points: leave each sentence out in turn.

    Whole sentences, because words of one sentence are not independent of each other.
    """
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
    left = np.bincount(first.ravel(), ones.sum(axis=2).ravel(), sentences)
    right = np.bincount(second.ravel(), ones.sum(axis=1).ravel(), sentences)
    return (left + right).astype(np.float64)
