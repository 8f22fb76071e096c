"""Positions read off their rows: as scikit-learn reads them, and what the card says of it."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from bertviz_core.bert import Bert
from bertviz_core.positions.baselines import random_table, random_walk
from bertviz_core.positions.regression import STRENGTHS, numbers_read
from bertviz_core.views.positions_and_segments.regression import read_off

NUMBERS = np.arange(96)
BLOCKS = NUMBERS // 32


@pytest.mark.parametrize("table", [random_walk(96, 20), random_walk(96, 200), random_table(96, 20)])
def test_the_ridge_of_scikit_learn(table: np.ndarray) -> None:
    """Blocks left out in turn, and all rows from 32 on read by those before."""
    exact = table.astype(np.float64)
    square = exact.var(axis=0).mean() * len(exact)
    ridges = [Ridge(strength * square) for strength in STRENGTHS]
    in_turn = {"groups": BLOCKS, "cv": LeaveOneGroupOut()}
    read = [cross_val_predict(ridge, exact, NUMBERS, **in_turn) for ridge in ridges]
    best = min(read, key=lambda one: abs(one - NUMBERS).mean())
    assert numbers_read(table, BLOCKS) == pytest.approx(best, abs=1e-4)
    beyond = numbers_read(table, np.where(NUMBERS < 32, -1, 0))
    after = [ridge.fit(exact[:32], NUMBERS[:32]).predict(exact[32:]) for ridge in ridges]
    best = min(after, key=lambda one: abs(one - NUMBERS[32:]).mean())
    assert beyond[32:] == pytest.approx(best, abs=1e-4)
    assert np.isnan(beyond[:32]).all()


def test_rows_on_a_line_and_equal_rows() -> None:
    line = np.outer(NUMBERS, [3, -1, 2]).astype(np.float32)
    assert numbers_read(line, BLOCKS) == pytest.approx(NUMBERS, abs=0.1)
    # Nothing is known but the mean of the other blocks.
    assert numbers_read(0 * line + 7, BLOCKS)[[0, 40, 95]] == pytest.approx([63.5, 47.5, 31.5])


def test_the_card(minilm: Bert, tiny: Bert) -> None:
    view = read_off(minilm)
    own = minilm.tables.position_embeddings.astype(np.float64)
    ridge, numbers = Ridge(0.01 * own.var(axis=0).mean() * 512), np.arange(512)
    in_turn = {"groups": numbers // 32, "cv": LeaveOneGroupOut()}
    read = cross_val_predict(ridge, own, numbers, **in_turn)
    assert view.to_frame("read-off")["this model"].to_numpy() == pytest.approx(read, abs=0.01)
    errors = view.to_frame("read-errors").set_index("table")["mean error"]
    assert errors["this model"] == pytest.approx(abs(read - numbers).mean(), abs=1e-3)
    shown = [view.values[name] for name in ("can", "error", "sinusoids", "walk", "random")]
    assert shown == ["can", *(pytest.approx(one, abs=0.1) for one in (24.3, 8.7, 3.7, 136.8))]
    assert 70 < errors["same spectrum and covariances"] < 80
    first = Ridge(0.001 * own.var(axis=0).mean() * 512).fit(own[:128], numbers[:128])
    assert view.values["high"] == pytest.approx(first.predict(own[128:]).max(), abs=0.01)
    assert read_off(tiny).values["count"] == 16
