"""Rows of a fresh table, drawn here, beside those of a table."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chi, norm

from bertviz_core.views.positions_and_segments.segments import fresh_rows


def test_by_hand() -> None:
    table = np.array([[3, 4], [0, 0], [6, 8], [3, 4]], np.float32)  # mean square 150 / 8
    fresh = fresh_rows(table, 1.0)
    assert fresh.length == pytest.approx(np.sqrt(np.pi / 2))  # of a Rayleigh distribution
    assert fresh.deviation == pytest.approx(np.sqrt(2 - np.pi / 2))
    assert fresh.changed
    # (square - 1) / 0.5 deviations from a fresh table of as many numbers
    assert [fresh_rows(table, np.sqrt(150 / 8 / square)).changed for square in (3.9, 4.1)] == [
        False,
        True,
    ]


def test_fresh_tables_are_not_called_changed() -> None:
    generator = np.random.default_rng(0)
    for size in (8, 384):
        table = generator.normal(0, 0.02, (2000, size)).astype(np.float32)
        fresh = fresh_rows(table, 0.02)
        assert fresh.length == pytest.approx(0.02 * chi(size).mean())
        assert fresh.deviation == pytest.approx(0.02 * chi(size).std())
        assert np.median(np.linalg.norm(table, axis=1)) == pytest.approx(fresh.length, rel=0.02)
        assert not fresh.changed
    # A normal distribution that is cut off at two deviations, as some models are drawn.
    shares = generator.uniform(norm.cdf(-2), norm.cdf(2), (30522, 64))
    assert not fresh_rows((0.02 * ndtri(shares)).astype(np.float32), 0.02).changed
