"""Likeness to sinusoids, and what a verdict may rest on: no smooth random table comes near."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from bertviz_core.bert import Bert
from bertviz_core.positions.table import (
    likeness_to,
    likeness_with_baselines,
    random_table,
    random_walk,
    same_spectrum,
    sinusoidal_table,
)

N, D = 128, 96
SINUSOIDS = sinusoidal_table(N, D)
POSITIONS = np.arange(N)[:, None]
Draw = Callable[[np.random.Generator], np.ndarray]


def turned(table: np.ndarray, seed: int = 3) -> np.ndarray:
    """The same table in other axes, larger and moved."""
    rotation = np.linalg.qr(random_table(table.shape[1], table.shape[1], seed=seed))[0]
    return (3 * table @ rotation + 1).astype(np.float32)


def normal(draw: np.random.Generator) -> np.ndarray:
    return draw.standard_normal((N, D))


def waves(fastest: float) -> Draw:
    """Of each dimension one wave, its frequency in radians a position drawn at random."""
    return lambda draw: np.sin(
        POSITIONS * draw.uniform(0, fastest, D) + draw.uniform(0, 2 * np.pi, D)
    )


def test_a_table_is_like_itself_and_like_a_turned_one() -> None:
    same, other = (likeness_to(SINUSOIDS)(table) for table in (SINUSOIDS, turned(SINUSOIDS)))
    assert same.identity == pytest.approx(1)
    assert abs(other.identity) < 0.5
    assert [same.rotation, other.rotation] == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.parametrize("shape", [(512, 384), (60, 80)])
def test_the_rotation_equals_scipys(minilm: Bert, shape: tuple[int, int]) -> None:
    from scipy.spatial import procrustes

    rows, columns = shape
    ours = minilm.tables.position_embeddings[:rows, :columns].astype(np.float64)
    other = sinusoidal_table(*ours.shape).astype(np.float64)
    found = likeness_to(sinusoidal_table(*ours.shape))(ours.astype(np.float32))
    assert found.rotation == pytest.approx(1 - procrustes(ours, other)[2], abs=1e-6)


def test_the_step_by_hand() -> None:
    table = np.float32([[0, 0], [1, 0], [1, 1]])
    # Next door 1 and 1, squared; of all three pairs 1, 1 and 2.
    assert likeness_to(table)(table).step == pytest.approx(1 / (4 / 3))
    assert likeness_to(np.ones((4, 2), np.float32))(np.ones((4, 2), np.float32)).step == 1


@pytest.mark.parametrize(
    ("draw", "verdict"),
    [
        (normal, "not alike"),
        (lambda draw: draw.permutation(SINUSOIDS), "not alike"),
        (lambda draw: normal(draw).cumsum(axis=0), "smooth"),
        (lambda draw: gaussian_filter1d(normal(draw), 10, axis=0), "smooth"),
        (lambda draw: np.linspace(-1, 1, N)[:, None] * draw.standard_normal(D), "smooth"),
        (waves(0.2), "smooth"),
        (waves(np.pi), "not alike"),
    ],
)
def test_no_random_table_is_alike(draw: Draw, verdict: str) -> None:
    table = draw(np.random.default_rng(11)).astype(np.float32)
    found = likeness_with_baselines(table, SINUSOIDS)
    assert found.verdict == verdict
    # What the word rests on: no nearer than the best random table, or next to nothing.
    assert 1 - found.table.rotation > 0.9 * (1 - found.best)


def test_sinusoids_are_found_row_by_row_turned_and_under_a_little_noise() -> None:
    assert likeness_with_baselines(SINUSOIDS, SINUSOIDS).verdict == "the same"
    found = likeness_with_baselines(turned(SINUSOIDS), SINUSOIDS)
    assert found.verdict == "the same, rotated"
    assert found.best < 0.9
    noisy = (turned(SINUSOIDS) + 0.6 * random_table(N, D, seed=8)).astype(np.float32)
    found = likeness_with_baselines(noisy, SINUSOIDS)
    assert found.verdict == "alike in part"
    assert found.best < 0.8 < found.table.rotation < 0.95


@pytest.mark.parametrize("count", [16, 17])
def test_the_same_spectrum_in_each_dimension(count: int) -> None:
    table = random_walk(count, 3, seed=1)
    drawn = same_spectrum(table, seed=2)
    assert np.abs(np.fft.rfft(drawn, axis=0)) == pytest.approx(
        np.abs(np.fft.rfft(table, axis=0)), abs=1e-4
    )
    assert drawn.mean(axis=0) == pytest.approx(table.mean(axis=0), abs=1e-5)
    assert np.abs(drawn - table).max() > 0.5
    together = np.cov(same_spectrum(table, seed=2, together=True), rowvar=False)
    assert together == pytest.approx(np.cov(table, rowvar=False), abs=1e-4)
    assert np.diff(table, axis=0) == pytest.approx(random_table(count, 3, seed=1)[1:], abs=1e-5)


@pytest.mark.parametrize("shape", [(3, 2), (3, 8), (16, 8), (5, 1)])
def test_small_and_empty_tables(shape: tuple[int, int]) -> None:
    sinusoids = sinusoidal_table(*shape)
    for table in (random_table(*shape), np.zeros(shape, np.float32)):
        found = likeness_with_baselines(table, sinusoids)
        assert np.isfinite([found.table.rotation, found.table.step, found.best]).all()
    assert found.verdict == "not alike"
