"""The figures of the page on the inside of a model, as data."""

import numpy as np
import pytest

from bertviz_core.figures.colors import DARK, LIGHT, contrast
from bertviz_core.figures.points import OF_KINDS
from bertviz_core.views.inside_the_model.norms import norms_figure, norms_picture


def test_norms_of_many_rows_are_a_picture_with_some_marks() -> None:
    rows = np.arange(5_000)
    lengths, kinds = np.float32(1 + rows % 7 / 10), np.int8(rows % 2)
    lengths[123] = 3
    png = norms_picture(lengths, kinds)
    tokens = [f"<{row}>" for row in rows]
    figure = norms_figure(lengths, kinds, tokens, np.array([17, 123]), png)
    (image,), layout = figure.layout.images, figure.layout
    assert (image.x, image.x + image.sizex) == layout.xaxis.range
    assert (image.y - image.sizey, image.y) == layout.yaxis.range
    assert layout.yaxis.range[0] == 0
    assert figure.data[1].text[0].startswith("&lt;")
    assert {17, 123} <= set(np.concatenate([trace.x for trace in figure.data]).tolist())


@pytest.mark.parametrize("ground", [LIGHT["ground"], DARK["ground"]])
def test_kinds_stand_out_from_the_ground(ground: str) -> None:
    assert min(contrast(look.color, ground) for look in OF_KINDS) >= 3
    assert len({(look.color, look.symbol) for look in OF_KINDS}) == len(OF_KINDS)
