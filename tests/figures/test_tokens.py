"""The search for the pieces of a word, as data."""

import numpy as np
import pytest

from bertviz_core.figures.tokens import word_search_bars


def test_the_search_as_bars() -> None:
    spans = np.array([(0, 2), (0, 1), (1, 2)])
    figure = word_search_bars("<b", ["<b", "<", "##b"], spans, [None, 7, 9])
    (bars,) = figure.data
    assert bars.base.tolist() == [0, 0, 1]
    assert figure.layout.xaxis.ticktext == ("&lt;", "b")
    assert figure.layout.yaxis.ticktext == ("1 &lt;b", "<b>2 &lt; = 7</b>", "<b>3 ##b = 9</b>")
    assert len(set(bars.marker.color)) == 2
    with pytest.raises(ValueError, match=r"shape \(3, 2\), pieces \(1,\)"):
        word_search_bars("x", ["x"], spans, [None])
