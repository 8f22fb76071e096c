import math

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.positions.likeness import likeness, likeness_with_baselines
from bertviz_core.positions.sinusoids import sinusoidal_table, wave_shares
from bertviz_core.positions.table import analyse_positions, random_table

SINUSOIDS = sinusoidal_table(60, 16)


def turned(table: np.ndarray) -> np.ndarray:
    """The same table in other axes, larger and moved."""
    rotation = np.linalg.qr(random_table(table.shape[1], table.shape[1], seed=3))[0]
    return (3 * table @ rotation + 1).astype(np.float32)


def test_sinusoids_by_hand() -> None:
    table = sinusoidal_table(3, 4)
    for row in range(3):
        angles = (row, row / 100)
        by_hand = [function(angle) for angle in angles for function in (math.sin, math.cos)]
        assert table[row] == pytest.approx(by_hand, abs=1e-7)
    assert table.dtype == np.float32
    assert not table.flags.writeable
    odd = [math.sin(4), math.cos(4), math.sin(4 / 10000 ** (2 / 3))]  # it ends on a sine
    assert sinusoidal_table(5, 3)[4] == pytest.approx(odd, abs=1e-7)


def test_sinusoids_equal_transformers() -> None:
    import torch
    from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings

    theirs = torch.empty(512, 768)
    create_sinusoidal_embeddings(512, 768, theirs)
    assert np.abs(sinusoidal_table(512, 768) - theirs.numpy()).max() < 1e-6


def test_distance_alone_decides_among_sinusoids() -> None:
    analysis = analyse_positions(SINUSOIDS)
    assert analysis.by_distance.explained == pytest.approx(1, abs=1e-5)
    assert analysis.norms == pytest.approx(np.full(60, math.sqrt(8)), rel=1e-5)


def test_a_table_is_like_itself_and_like_a_turned_one() -> None:
    for table, shared in ((SINUSOIDS, 16), (turned(SINUSOIDS), 10)):
        found = likeness(table, SINUSOIDS)
        assert (found.identity == pytest.approx(1)) == (shared == 16)
        assert abs(found.identity) < 0.5 or shared == 16
        assert found.rotation == pytest.approx(1, abs=1e-5)
        assert found.shared[:shared] == pytest.approx(np.ones(shared), abs=1e-4)


def test_likeness_equals_scipys(minilm: Bert) -> None:
    from scipy.linalg import subspace_angles
    from scipy.spatial import procrustes

    ours = minilm.tables.position_embeddings.astype(np.float64)
    other = sinusoidal_table(*ours.shape).astype(np.float64)
    found = likeness(minilm.tables.position_embeddings, sinusoidal_table(*ours.shape))
    assert found.rotation == pytest.approx(1 - procrustes(ours, other)[2], abs=1e-6)
    left = [np.linalg.svd(t - t.mean(axis=0), full_matrices=False)[0] for t in (ours, other)]
    for patterns in (1, 10, 64):
        angles = subspace_angles(left[0][:, :patterns], left[1][:, :patterns])
        assert found.shared[patterns - 1] == pytest.approx((np.cos(angles) ** 2).mean(), abs=1e-5)


def test_baselines_and_verdicts(minilm: Bert) -> None:
    same = likeness_with_baselines(SINUSOIDS, SINUSOIDS)
    assert same.verdict(5) == "the same"
    assert likeness_with_baselines(turned(SINUSOIDS), SINUSOIDS).verdict(5) == "the same, rotated"
    random = random_table(60, 16, seed=9)
    assert likeness_with_baselines(random, SINUSOIDS).verdict(5) == "not alike"
    table = minilm.tables.position_embeddings
    real = likeness_with_baselines(table, sinusoidal_table(*table.shape))
    assert real.verdict(10) == "alike in part"
    assert real.table.identity == pytest.approx(0, abs=0.05)
    # What a random subspace of 511 dimensions shares with another one on average.
    assert real.random.shared[9] == pytest.approx(10 / 511, abs=0.01)
    assert real.shuffled.shared[9] == pytest.approx(10 / 511, abs=0.01)
    order = np.random.default_rng(0).permutation(512)
    again = likeness(table[order], sinusoidal_table(*table.shape))
    assert real.shuffled.rotation == pytest.approx(again.rotation, abs=1e-9)
    assert real.shuffled.shared == pytest.approx(again.shared, abs=1e-6)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match=r"\(60, 16\) and \(60, 8\)"):
        likeness_with_baselines(SINUSOIDS, sinusoidal_table(60, 8))
    with pytest.raises(UserInputError, match="has 2 positions; comparing tables needs"):
        likeness_with_baselines(SINUSOIDS[:2], SINUSOIDS[:2])


@pytest.mark.parametrize("times", [1, 3, 8])
@pytest.mark.parametrize("count", [16, 17])
def test_a_wave_that_fits_is_found_alone(times: int, count: int) -> None:
    wave = np.cos(2 * np.pi * times * np.arange(count) / count)[:, None].astype(np.float32)
    shares = wave_shares(wave + 5)
    assert shares.shape == (8,)
    assert shares[times - 1] == pytest.approx(1, abs=1e-5)


def test_wave_shares_weigh_by_variance() -> None:
    at = 2 * np.pi * np.arange(16) / 16
    table = np.stack([2 * np.sin(at), np.cos(8 * at)], axis=1).astype(np.float32)
    shares = wave_shares(table)
    # Variances: 4 / 2 of the sine; 1 of the fastest wave, which is 1, -1, 1, -1, ...
    assert shares[0] == pytest.approx(2 / 3, abs=1e-6)
    assert shares[7] == pytest.approx(1 / 3, abs=1e-6)
    assert shares.sum() == pytest.approx(1)
    assert not wave_shares(np.ones((8, 2), np.float32)).any()
