"""Likeness to sinusoids, and what a verdict may rest on: no smooth random table comes near."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from bertviz_core.bert import Bert
from bertviz_core.positions.baselines import (
    random_table,
    random_walk,
    same_spectrum,
    sinusoidal_table,
)
from bertviz_core.positions.likeness import (
    LikenessWithBaselines,
    likeness_to,
    likeness_with_baselines,
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


def waves(slowest: float, fastest: float) -> Draw:
    """Of each dimension one wave, its frequency in radians a position drawn between two."""
    return lambda draw: np.sin(
        POSITIONS * draw.uniform(slowest, fastest, D) + draw.uniform(0, 2 * np.pi, D)
    )


def trend(noise: float) -> Draw:
    line = np.linspace(-1, 1, N)[:, None]
    return lambda draw: line * draw.standard_normal(D) + noise * normal(draw)


@pytest.fixture(scope="module")
def learned(minilm: Bert) -> LikenessWithBaselines:
    table = minilm.tables.position_embeddings
    return likeness_with_baselines(table, sinusoidal_table(*table.shape))


def test_a_table_is_like_itself_and_like_a_turned_one() -> None:
    same, other = (likeness_to(SINUSOIDS)(table) for table in (SINUSOIDS, turned(SINUSOIDS)))
    assert same.identity == pytest.approx(1)
    assert abs(other.identity) < 0.5
    assert [same.rotation, other.rotation] == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.parametrize("shape", [(512, 384), (60, 80), (80, 60)])
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
        (lambda draw: gaussian_filter1d(normal(draw), 2, axis=0), "smooth"),
        (lambda draw: gaussian_filter1d(normal(draw), 10, axis=0), "smooth"),
        (trend(0.01), "smooth"),
        (trend(0.3), "smooth"),
        (trend(1), "not alike"),
        (waves(0, 0.2), "smooth"),
        (waves(0, 1), "smooth"),
        (waves(0, np.pi), "not alike"),
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


def test_the_embedded_models_positions_are_smooth_and_no_more(
    learned: LikenessWithBaselines,
) -> None:
    found = learned.table
    assert learned.verdict == "smooth"
    assert found.identity == pytest.approx(0, abs=0.05)
    assert found.rotation == pytest.approx(0.251, abs=0.001)
    assert found.step == pytest.approx(0.188, abs=0.001)
    # Tables of its spectrum are about as smooth, and nearer to sinusoids after a rotation.
    assert learned.spectrum.step == pytest.approx(np.full(3, 0.216), abs=0.005)
    assert 0.435 < learned.spectrum.rotation.min() < learned.spectrum.rotation.max() < 0.455
    assert 0.565 < learned.walk.rotation.min() < learned.walk.rotation.max() < 0.585
    assert learned.best == pytest.approx(learned.walk.rotation.max())
    for baseline in (learned.random, learned.shuffled):
        assert baseline.step == pytest.approx(np.ones(3), abs=0.03)


def test_tables_with_its_covariances_are_as_near_as_the_embedded_models(
    learned: LikenessWithBaselines, minilm: Bert
) -> None:
    """Why tables of its spectrum alone are nearer: they vary in more directions."""
    low, high = learned.covariances.rotation.min(), learned.covariances.rotation.max()
    assert 0.23 < low < high < learned.table.rotation < 0.255
    table = minilm.tables.position_embeddings
    own, drawn, apart = (
        np.cov(rows, rowvar=False)
        for rows in (table, same_spectrum(table, together=True), same_spectrum(table))
    )
    assert drawn == pytest.approx(own, abs=1e-6 * np.abs(own).max() + 1e-7)
    assert np.linalg.norm(apart - own) > 0.3 * np.linalg.norm(own)


@pytest.mark.parametrize("count", [16, 17])
def test_the_same_spectrum_in_each_dimension(count: int) -> None:
    table = random_walk(count, 3, seed=1)
    drawn = same_spectrum(table, seed=2)
    assert np.abs(np.fft.rfft(drawn, axis=0)) == pytest.approx(
        np.abs(np.fft.rfft(table, axis=0)), abs=1e-4
    )
    assert drawn.mean(axis=0) == pytest.approx(table.mean(axis=0), abs=1e-5)
    assert np.abs(drawn - table).max() > 0.5
    assert np.array_equal(drawn, same_spectrum(table, seed=2))
    assert not np.array_equal(drawn, same_spectrum(table, seed=3))
    assert np.diff(table, axis=0) == pytest.approx(random_table(count, 3, seed=1)[1:], abs=1e-5)


@pytest.mark.parametrize("shape", [(3, 2), (3, 8), (16, 8), (5, 1)])
def test_small_and_empty_tables(shape: tuple[int, int]) -> None:
    sinusoids = sinusoidal_table(*shape)
    for table in (random_table(*shape), np.zeros(shape, np.float32)):
        found = likeness_with_baselines(table, sinusoids)
        assert np.isfinite([found.table.rotation, found.table.step, found.best]).all()
    assert found.verdict == "not alike"
