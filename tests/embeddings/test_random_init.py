"""Random tables, drawn here, and the trained ones of the embedded model."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chi, norm

from bertviz_core.bert import Bert
from bertviz_core.embeddings.random_init import random_init_comparison


def test_by_hand() -> None:
    table = np.array([[3, 4], [0, 0], [6, 8], [3, 4]], np.float32)
    found = random_init_comparison(table, 1.0)
    assert found.length == 5
    assert found.fresh_length == pytest.approx(np.sqrt(np.pi / 2))  # of a Rayleigh distribution
    assert found.fresh_deviation == pytest.approx(np.sqrt(2 - np.pi / 2))
    assert found.cosine == pytest.approx(6 / 12)  # three rows of one direction, one of none
    assert found.score == pytest.approx((150 / 8 - 1) / 0.5)
    assert random_init_comparison(table[:1], 1.0).cosine == 1


def test_a_large_table_is_measured_in_blocks(minilm: Bert) -> None:
    table = minilm.tables.word_embeddings
    found = random_init_comparison(table, 0.02)
    exact = table.astype(np.float64)
    assert found.length == pytest.approx(np.median(np.linalg.norm(exact, axis=1)), rel=1e-12)
    unit = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    cosines = np.square(unit.sum(axis=0)).sum() - len(unit)
    assert found.cosine == pytest.approx(cosines / len(unit) / (len(unit) - 1), rel=1e-9)
    assert found.changed


def test_fresh_tables_are_not_called_changed() -> None:
    generator = np.random.default_rng(0)
    for size in (8, 384):
        table = generator.normal(0, 0.02, (2000, size)).astype(np.float32)
        found = random_init_comparison(table, 0.02)
        assert found.fresh_length == pytest.approx(0.02 * chi(size).mean())
        assert found.fresh_deviation == pytest.approx(0.02 * chi(size).std())
        assert found.length == pytest.approx(found.fresh_length, rel=0.02)
        assert not found.changed
        assert abs(found.cosine) < 0.01
    # A normal distribution that is cut off at two deviations, as some models are drawn.
    shares = generator.uniform(norm.cdf(-2), norm.cdf(2), (30522, 64))
    assert not random_init_comparison((0.02 * ndtri(shares)).astype(np.float32), 0.02).changed
