"""Every figure made in these tests goes through Plotly's own check, which `draw` leaves out, and is
sent with the numbers that Plotly itself would send."""

from typing import Any

import plotly.graph_objects as go
import pytest

from bertviz_core.figures import drawing
from tests.headless import unpacked

# The only names of plotly.js with an underscore that figures here use.
UNDERSCORED = {"paper_bgcolor", "plot_bgcolor"}


def shorthands(values: Any) -> set[str]:
    """Names such as `marker_color`, which Plotly reads in Python and a browser does not."""
    if isinstance(values, dict):
        own = {name for name in values if "_" in name}
        return own.union(*(shorthands(part) for part in values.values()))
    if isinstance(values, list | tuple):
        return set().union(*(shorthands(part) for part in values))
    return set()


@pytest.fixture(autouse=True)
def _figures_are_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    make = drawing.figure_from

    def checked(spec: dict[str, Any]) -> go.Figure:
        assert shorthands(spec) <= UNDERSCORED
        go.Figure(spec)
        figure = make(spec)
        sent, meant = unpacked(figure.to_dict()), unpacked(go.Figure.to_dict(figure))
        for part in (sent, meant):
            del part["layout"]["template"]
        assert repr(sent) == repr(meant)  # as text, because NaN, a gap, is not equal to itself
        return figure

    monkeypatch.setattr(drawing, "figure_from", checked)
