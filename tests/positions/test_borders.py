"""The rows on both sides of position 128: worked by hand, and of tables without any break."""

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.positions.baselines import random_table, random_walk, sinusoidal_table
from bertviz_core.positions.borders import Border, border_at
from bertviz_core.positions.table import analyse_positions


def border_of(table: Array) -> Border:
    border = border_at(analyse_positions(table))
    assert border is not None
    return border


def test_a_clear_break_by_hand() -> None:
    """Rows of length 2 before 128 and 3 from there on, which also turn by a right angle."""
    table = np.zeros((512, 4), dtype=np.float32)
    table[:128, 0], table[128:, 1] = 2, 3
    border = border_of(table)
    assert border == Border(2, 3, larger=0, others=448, across=0, less_alike=0, cosines=(1, 1))
    assert border.is_break
    table[0], table[127] = 90, 40  # two rows alone make no difference
    assert border_of(table)[:3] == (2, 3, 0)
    table[300:] *= 1.5  # a larger step elsewhere: 31 pairs of medians see it in full
    assert border_of(table).larger == 31
    assert not border_of(table).is_break, "31 of 448 are more than 5%"


def test_no_break() -> None:
    for table in (np.ones((512, 3), dtype=np.float32), sinusoidal_table(512, 8)):
        assert not border_of(table).is_break, "all rows have the same length, but for rounding"
    called = [border_of(random_table(200, 8, seed=seed)).is_break for seed in range(60)]
    called += [border_of(random_walk(200, 8, seed=seed)).is_break for seed in range(60)]
    assert sum(called) <= 12, "about one in twenty"


def test_the_embedded_model(minilm: Bert) -> None:
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(minilm.checkpoint.folder)
    table = model.embeddings.position_embeddings.weight.detach().double()
    lengths = table.norm(dim=1)
    border = border_of(minilm.tables.position_embeddings)
    for found, rows in ((border.before, lengths[96:128]), (border.after, lengths[128:160])):
        assert found == pytest.approx(rows.quantile(0.5).item(), abs=1e-6)
    alike = torch.cosine_similarity(table[:-1], table[1:], dim=1)
    assert border.across == pytest.approx(alike[127].item(), abs=1e-6)
    assert border.less_alike == (alike < alike[127]).sum().item()
    steps = [
        (lengths[k : k + 32].quantile(0.5) - lengths[k - 32 : k].quantile(0.5)).abs().item()
        for k in range(32, 481)
    ]
    assert border.larger == sum(step > steps[96] + 1e-7 for step in steps)
    assert border.others == len(steps) - 1


def test_a_short_table_has_no_such_border(tiny: Bert) -> None:
    assert border_at(analyse_positions(tiny.tables.position_embeddings)) is None
    assert border_at(analyse_positions(random_table(159, 4))) is None
    assert border_of(random_table(160, 4)).others == 96
