"""Percentiles by hand, and which pairs are measured."""

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.calibration import Calibration
from bertviz_core.calibration.measuring import calibration_of, percentiles_among


def by_hand(quantiles: list[float]) -> Calibration:
    rows = np.float32([quantiles])
    mean, percents = np.float32([[1, 0]]), np.linspace(0, 100, len(quantiles))
    errors = np.float32([[1, 2, 3, 2, 1]])
    return Calibration(
        *("by hand", 2, 4, 500, rows, rows - 1, rows[:, 0], rows[:, 0], mean, "pairs"),
        *(errors, errors / 2, percents),
    )


def test_percentile_by_hand() -> None:
    scale = by_hand([0, 0.25, 0.5, 0.5, 1])
    cosines = [-0.1, 0, 0.125, 0.25, 0.375, 0.5, 0.75, 1, 1.5]
    # Quantiles 2 and 3 of 4 are equal: the middle of both.
    wanted = [0, 0, 12.5, 25, 37.5, 62.5, 87.5, 100, 100]
    assert [scale.percentile(cosine) for cosine in cosines] == wanted
    assert scale.percentiles(np.float32([cosines])).tolist() == [wanted]
    assert scale.percentile(-0.75, centred=True) == 25
    assert np.isnan(scale.percentile(float("nan")))
    assert scale.percentiles_by_layer(np.float32([0.75])).tolist() == [87.5]
    equal = by_hand([0.9, 0.9, 0.9])
    assert [equal.percentile(cosine) for cosine in (0.8, 0.9, 1)] == [0, 50, 100]


def test_interval_by_hand() -> None:
    scale = by_hand([0, 1])
    assert scale.interval(50).tolist() == pytest.approx([50 - 1.96 * 3, 50 + 1.96 * 3])
    assert scale.interval(85, centred=True).tolist() == pytest.approx([83.53, 86.47])  # 0.75
    assert scale.interval(0.5).tolist() == pytest.approx([0.304, 0.696])  # 0.1
    assert scale.interval(100).tolist() == [100, 100]
    assert scale.interval(98).tolist() == pytest.approx([97.216, 98.784])  # 0.4


def test_percentiles_among_the_pairs_of_some_vectors() -> None:
    angles = np.deg2rad([0, 10, 30, 70])  # apart: 10, 20, 30, 40, 60 and 70 degrees
    vectors = np.float32([[np.cos(a), np.sin(a)] for a in angles])
    cosines = np.cos(np.deg2rad(np.float32([5, 10, 35, 60, 80])))
    percentiles, pairs = percentiles_among(vectors, cosines)
    assert pairs == 6
    assert percentiles == pytest.approx(np.array([6, 5.5, 3, 1.5, 0]) / 6 * 100)
    assert percentiles_among(np.tile(vectors, (10, 1)), cosines, most=20)[1] == 190


def test_centred_cosine_by_hand() -> None:
    scale = by_hand([0, 1])  # its mean is (1, 0)
    a, b, mean = np.float32([2, 1]), np.float32([0, 1]), np.float32([1, 0])
    found = scale.centred_cosines(a[None], np.stack([b, a, mean]))
    assert found == pytest.approx(np.array([[0, 1, 0]]))  # (1, 1) with (-1, 1), (1, 1), (0, 0)


def test_wrong_layers_and_shapes() -> None:
    scale = by_hand([0, 1])
    with pytest.raises(ValueError, match="layer 1 of by hand; expected 0 to 0"):
        scale.percentile(0.5, 1)
    with pytest.raises(ValueError, match="layer -1"):
        scale.centred_cosines(np.zeros((1, 2)), np.zeros((1, 2)), -1)
    with pytest.raises(ValueError, match=r"shape \(2,\), layers \(1,\)"):
        scale.percentiles_by_layer(np.float32([0.5, 0.5]))
    with pytest.raises(ValueError, match=r"shape \(1, 3\) and \(1, 2\), mean \(2,\)"):
        scale.centred_cosines(np.zeros((1, 3)), np.zeros((1, 2)))


def test_which_pairs_are_unrelated() -> None:
    # 20 vectors make two groups of 10, which meet once: 100 pairs, less those that share a token.
    vectors = np.random.default_rng(3).normal(size=(1, 20, 4)).astype(np.float32)
    origins = np.arange(20)
    apart = calibration_of("x", vectors, np.arange(20), origins, sentences=20, kind="pairs")
    assert (apart.pairs, apart.vectors) == (100, 20)
    cosines = cosine_matrix(vectors[0], vectors[0])[:10, 10:].ravel()
    assert apart.anisotropy[0] == pytest.approx(cosines.mean(), abs=1e-6)
    assert apart.quantiles[0, [0, 59, 118]] == pytest.approx(
        [cosines.min(), np.median(cosines), cosines.max()], abs=1e-6
    )
    three = np.random.default_rng(3).normal(size=(1, 300, 4)).astype(np.float32)
    same = np.arange(300) % 150  # vector i and vector i + 150 are the same token
    found = calibration_of("x", three, same, np.arange(300), sentences=300, kind="pairs")
    cosines = cosine_matrix(three[0], three[0])
    groups = ((0, 1), (1, 2), (2, 0))
    wanted = [
        cosines[100 * g + i, 100 * h + j]
        for g, h in groups for i in range(100) for j in range(100)
        if same[100 * g + i] != same[100 * h + j]
    ]  # fmt: skip
    assert found.pairs == len(wanted) < 30_000
    assert found.anisotropy[0] == pytest.approx(np.mean(wanted), abs=1e-6)
