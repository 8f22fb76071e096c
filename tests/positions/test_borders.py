"""The rows on both sides of position 128: worked by hand, and of tables without any break."""

from typing import Any

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.positions.baselines import random_table, random_walk, sinusoidal_table
from bertviz_core.positions.table import Border, border_at


def border_of(table: Array) -> Border:
    border = border_at(np.linalg.norm(table, axis=1))
    assert border is not None
    return border


def test_a_clear_break_by_hand() -> None:
    table = np.full((512, 1), 2, dtype=np.float32)
    table[128:] = 3
    assert border_of(table) == (2, 3, 0, 448)
    assert border_of(table).is_break
    table[0], table[127] = 90, 40  # two rows alone make no difference
    assert border_of(table) == (2, 3, 0, 448)
    table[300:] *= 1.5  # a larger step elsewhere: 31 pairs of medians see it in full
    assert border_of(table).larger == 31
    assert not border_of(table).is_break, "31 of 448 are more than 5%"


def test_no_break() -> None:
    for table in (np.ones((512, 3), dtype=np.float32), sinusoidal_table(512, 8)):
        assert not border_of(table).is_break, "all rows have the same length, but for rounding"
    called = [border_of(random_table(200, 8, seed=seed)).is_break for seed in range(60)]
    called += [border_of(random_walk(200, 8, seed=seed)).is_break for seed in range(60)]
    assert sum(called) <= 12, "about one in twenty"


def test_the_embedded_model(minilm: Bert, library: Any) -> None:
    lengths = library.embeddings.position_embeddings.weight.detach().double().norm(dim=1)
    border = border_of(minilm.tables.position_embeddings)
    for found, rows in ((border.before, lengths[96:128]), (border.after, lengths[128:160])):
        assert found == pytest.approx(rows.quantile(0.5).item(), abs=1e-6)
    steps = [
        (lengths[k : k + 32].quantile(0.5) - lengths[k - 32 : k].quantile(0.5)).abs().item()
        for k in range(32, 481)
    ]
    assert border.larger == sum(step > steps[96] + 1e-7 for step in steps)
    assert border.others == len(steps) - 1
    assert border_at(lengths[:159].numpy()) is None
