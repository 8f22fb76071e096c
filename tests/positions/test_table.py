import math

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.positions.table import (
    SAME,
    analyse_positions,
    correlation_of_cosines,
    mean_by_distance,
    sinusoidal_table,
)


def test_too_few_positions() -> None:
    with pytest.raises(UserInputError):
        analyse_positions(np.eye(2, dtype=np.float32))


def test_the_embedded_models_positions(minilm: Bert) -> None:
    table = minilm.tables.position_embeddings
    analysis = analyse_positions(table)
    assert analysis.similarity == pytest.approx(cosine_similarity(table), abs=1e-6)
    nearest = [np.argsort(-row)[1] for row in cosine_similarity(table)]
    assert analysis.nearest.tolist() == nearest
    assert analysis.next_door == np.mean(np.abs(np.array(nearest) - np.arange(512)) == 1)


def test_sinusoids_by_hand() -> None:
    table = sinusoidal_table(3, 4)
    for row in range(3):
        angles = (row, row / 100)
        by_hand = [function(angle) for angle in angles for function in (math.sin, math.cos)]
        assert table[row] == pytest.approx(by_hand, abs=1e-7)
    odd = [math.sin(4), math.cos(4), math.sin(4 / 10000 ** (2 / 3))]  # it ends on a sine
    assert sinusoidal_table(5, 3)[4] == pytest.approx(odd, abs=1e-7)


N, D = 128, 96
NUMBERS = np.random.default_rng(11)
NORMAL = NUMBERS.standard_normal((N, D))


def likeness(table: np.ndarray) -> float:
    both = (analyse_positions(rows).similarity for rows in (table, sinusoidal_table(*table.shape)))
    return correlation_of_cosines(*both)


def test_the_correlation_equals_numpys(minilm: Bert) -> None:
    table = minilm.tables.position_embeddings
    pairs = np.triu_indices(512, 1)
    both = [cosine_similarity(rows)[pairs] for rows in (table, sinusoidal_table(512, 384))]
    assert likeness(table) == pytest.approx(np.corrcoef(*both)[0, 1], abs=1e-6)


def test_mean_by_distance_by_hand() -> None:
    matrix = np.float32([[1, 0.5, -1], [0.5, 1, 0], [-1, 0, 1]])
    assert mean_by_distance(matrix).tolist() == [0.25, -1]


def test_a_rotated_and_scaled_table_is_the_same() -> None:
    rotation = np.linalg.qr(NUMBERS.standard_normal((D, D)))[0]
    assert likeness(3 * sinusoidal_table(N, D) @ rotation) == pytest.approx(1)


@pytest.mark.parametrize(
    "table",
    [
        NORMAL,
        NUMBERS.permutation(sinusoidal_table(N, D)),
        NORMAL.cumsum(axis=0),
        gaussian_filter1d(NORMAL, 10, axis=0),
        np.linspace(-1, 1, N)[:, None] * NORMAL[0],
        *(
            np.sin(np.arange(N)[:, None] * NUMBERS.uniform(0, fastest, D) + NORMAL[0])
            for fastest in (0.2, np.pi)
        ),
        np.zeros((3, 2)),
        np.ones((16, 8)),
        np.random.default_rng(0).standard_normal((5, 1)),
    ],
)
def test_no_random_table_is_alike(table: np.ndarray) -> None:
    assert -1 <= likeness(table) < SAME
