import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.positions.table import analyse_positions, sinusoidal_table


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
