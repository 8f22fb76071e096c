"""Random tables, drawn here, and the trained ones of the embedded model."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chi, norm

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.settings import initial_spread
from bertviz_core.embeddings.random_init import RandomInitComparison, random_init_comparison


def drawn(rows: int, size: int, spread: float, *, seed: int = 0) -> RandomInitComparison:
    table = np.random.default_rng(seed).normal(0, spread, (rows, size)).astype(np.float32)
    return random_init_comparison(table, spread)


def test_by_hand() -> None:
    table = np.array([[3, 4], [0, 0], [6, 8], [3, 4]], np.float32)
    found = random_init_comparison(table, 1.0)
    assert (found.rows, found.size, found.length) == (4, np.sqrt(150 / 8), 5)
    assert found.fresh_length == pytest.approx(np.sqrt(np.pi / 2))  # of a Rayleigh distribution
    assert found.fresh_deviation == pytest.approx(np.sqrt(2 - np.pi / 2))
    assert found.beyond == 0.75
    assert found.cosine == pytest.approx(6 / 12)  # three rows of one direction, one of none
    assert found.score == pytest.approx((150 / 8 - 1) / 0.5)
    assert random_init_comparison(table[:1], 1.0).cosine == 1


@pytest.mark.parametrize("size", [8, 384])
def test_the_length_of_a_fresh_row(size: int) -> None:
    found = drawn(2000, size, 0.02)
    assert found.fresh_length == pytest.approx(0.02 * chi(size).mean())
    assert found.fresh_deviation == pytest.approx(0.02 * chi(size).std())
    assert found.length == pytest.approx(found.fresh_length, rel=0.02)
    assert found.beyond < 0.01
    assert abs(found.cosine) < 0.01


def test_a_large_table_is_measured_in_blocks(minilm: Bert) -> None:
    table = minilm.tables.word_embeddings
    found = random_init_comparison(table, 0.02)
    exact = table.astype(np.float64)
    assert found.length == pytest.approx(np.median(np.linalg.norm(exact, axis=1)), rel=1e-12)
    unit = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    cosines = np.square(unit.sum(axis=0)).sum() - len(unit)
    assert found.cosine == pytest.approx(cosines / len(unit) / (len(unit) - 1), rel=1e-9)


def test_fresh_tables_are_not_called_changed() -> None:
    scores = [drawn(2, 384, 0.02, seed=seed).score for seed in range(50)]
    assert 2 < max(scores) < 4.5
    # A normal distribution that is cut off at two deviations, as some models are drawn.
    shares = np.random.default_rng(0).uniform(norm.cdf(-2), norm.cdf(2), (30522, 64))
    assert not random_init_comparison((0.02 * ndtri(shares)).astype(np.float32), 0.02).changed


def tables_of(bert: Bert) -> list[RandomInitComparison]:
    spread = initial_spread(bert.settings)
    names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    return [random_init_comparison(getattr(bert.tables, name), spread) for name in names]


def test_the_tables_of_the_embedded_model_were_trained(minilm: Bert, tiny: Bert) -> None:
    found = tables_of(minilm)
    assert [each.length for each in found] == pytest.approx([1.111, 0.478, 0.474], abs=5e-4)
    assert found[0].fresh_length == pytest.approx(0.392, abs=5e-4)
    assert found[0].fresh_deviation == pytest.approx(0.01414, abs=1e-5)
    assert [round(each.score) for each in found] == [16304, 163, 9]
    assert all(each.changed for each in found)
    assert found[2].cosine == pytest.approx(0.942, abs=5e-4)
    assert not any(each.changed for each in tables_of(tiny))


def test_the_spread_of_config_json() -> None:
    assert initial_spread({"initializer_range": 0.5}) == 0.5
    assert initial_spread({"initializer_range": None}) == initial_spread({}) == 0.02
