"""A chart whose points can be selected, by click, box or lasso."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from bertviz_core.ui.show import readable


def selectable_chart(figure: go.Figure, *, alt: str, name: str, follows: str) -> list[int]:
    """Show a figure and say which of its points are selected.

    Args:
        figure: Its points carry their place as the first of their custom data.
        alt: What it shows and what one finds in it, for those who cannot see it.
        name: Names the chart on the page, and the file it is saved to from its menu.
        follows: Key of a number, counted from 1, that a selection moves to its first point.

    Returns:
        Places of the selected points, rising; none before anybody selects.
    """
    key = f"chart_{name}"
    event = st.plotly_chart(
        readable(figure),
        key=key,
        alt=alt,
        on_select=lambda: _follow(key, follows),
        selection_mode=("points", "box", "lasso"),
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
            "modeBarButtonsToRemove": ["autoScale2d", "zoomIn2d", "zoomOut2d"],
        },
    )
    return _places(event)


def _follow(key: str, follows: str) -> None:
    if selected := _places(st.session_state[key]):
        st.session_state[follows] = selected[0] + 1


def _places(event: Any) -> list[int]:
    points = event["selection"]["points"]
    return sorted({int(point["customdata"][0]) for point in points if point.get("customdata")})
