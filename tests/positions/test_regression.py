"""Positions read off their rows: as scikit-learn reads them, and what the card says of it."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import PredefinedSplit, cross_val_predict

from bertviz_core.arrays import held_out_ridge
from bertviz_core.bert import Bert
from bertviz_core.positions.baselines import random_table, random_walk
from bertviz_core.views.positions_and_segments.regression import read_off

NUMBERS = np.arange(96)
BLOCKS = NUMBERS // 32


@pytest.mark.parametrize("table", [random_walk(96, 20), random_walk(96, 200), random_table(96, 20)])
def test_the_ridge_of_scikit_learn(table: np.ndarray) -> None:
    exact = table.astype(np.float64)
    read = cross_val_predict(Ridge(2), exact, NUMBERS, cv=PredefinedSplit(BLOCKS))
    assert held_out_ridge(exact, NUMBERS, BLOCKS, 2) == pytest.approx(read, abs=1e-6)


def test_rows_on_a_line_and_equal_rows() -> None:
    line = np.outer(NUMBERS, [3.0, -1, 2])
    assert held_out_ridge(line, NUMBERS, BLOCKS, 1) == pytest.approx(NUMBERS, abs=0.01)
    # Nothing is known but the mean of the other blocks.
    equal = held_out_ridge(0 * line + 7, NUMBERS, BLOCKS, 1)
    assert equal[[0, 40, 95]] == pytest.approx([63.5, 47.5, 31.5])


def test_the_card(minilm: Bert, tiny: Bert) -> None:
    view = read_off(minilm)
    own = minilm.tables.position_embeddings.astype(np.float64)
    ridge, numbers = Ridge(0.1 * own.var(axis=0).mean() * 512), np.arange(512)
    read = cross_val_predict(ridge, own, numbers, cv=PredefinedSplit(numbers // 32))
    assert view.to_frame()["this model"].to_numpy() == pytest.approx(read, abs=0.01)
    assert view.values["error"] == pytest.approx(abs(read - numbers).mean(), abs=1e-3)
    shown = [view.values[name] for name in ("can", "block", "error", "sinusoids", "walk")]
    assert shown == ["can", 32, *(pytest.approx(one, abs=0.1) for one in (25.0, 15.7, 4.0))]
    by_chance = [view.values[name] for name in ("smooth", "random")]
    assert by_chance == pytest.approx([75.8, 167.7], abs=0.1)
    assert np.isfinite(read_off(tiny).values["error"])
