"""Results on a page: a chart with its description, its table twin, its code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.ui.present import LARGER, presenting

if TYPE_CHECKING:
    import pandas as pd

# Labels of Streamlit's light theme have a contrast of 3.7 : 1; these reach 7 : 1 and more.
_LETTERS = 12  # pixels, where a figure names no size
_LABELS = {"light": "#3F4654", "dark": "#C9CFD9"}


def chart(figure: go.Figure, *, alt: str, name: str) -> None:
    """Show a figure.

    Args:
        figure: From `figures`.
        alt: What it shows and what one finds in it, for those who cannot see it.
        name: Names the chart on the page, and the file it is saved to from its menu.
    """
    st.plotly_chart(
        readable(figure),
        key=f"chart_{name}",
        alt=alt,
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
            "modeBarButtonsToRemove": [
                "select2d",
                "lasso2d",
                "autoScale2d",
                "zoomIn2d",
                "zoomOut2d",
            ],
        },
    )


class _Finished(go.Figure):  # type: ignore[misc]  # Plotly has no types
    """A figure's plain values, which Streamlit takes as they are because they come as a figure.

    Of a dictionary it would build a figure again to check it, which takes 10 ms a chart.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        # Not what a figure needs that is still to be changed.
        self._plain = plain

    def to_dict(self) -> dict[str, Any]:
        return self._plain


def readable(figure: go.Figure) -> go.Figure:
    """Colour all labels of a figure for the theme in use.

    On its plain values: Plotly takes 3 ms for each part of a figure that is changed.
    """
    font = {"color": _LABELS.get(st.context.theme.type or "light", _LABELS["light"])}
    labels = {"tickfont": font, "title": {"font": font}}
    plain: dict[str, Any] = figure.to_dict()
    layout = plain["layout"]
    axes = {name for name in layout if name[1:].startswith("axis")} | {"xaxis", "yaxis"}
    _merge(layout, {"font": font, "legend": {"font": font}} | dict.fromkeys(axes, labels))
    for trace in plain["data"]:
        for part in (trace, trace.get("marker", {})):
            if "colorbar" in part:
                _merge(part["colorbar"], {"tickfont": font})
    if presenting():
        for axis in axes:
            layout[axis]["tickfont"].setdefault("size", _LETTERS)
        layout["font"].setdefault("size", _LETTERS)
        _enlarge(plain)
        layout["height"] = round(LARGER * layout["height"])
        layout["margin"] = {side: LARGER * room for side, room in layout["margin"].items()}
    return _Finished(plain)


def _enlarge(values: dict[str, Any]) -> None:
    """Make the letters of a figure larger, wherever a font names its size."""
    for name, value in values.items():
        if name.endswith("font") and "size" in value:
            value["size"] = round(value["size"] * LARGER)
        elif isinstance(value, dict):
            _enlarge(value)
        elif isinstance(value, list | tuple):
            for item in value:
                if isinstance(item, dict):
                    _enlarge(item)


def _merge(values: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, change in changes.items():
        if isinstance(change, dict):
            _merge(values.setdefault(name, {}), change)
        else:
            values[name] = change


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table that is shown with its own number of decimals.

    Attributes:
        values: One number a row.
        decimals: How many decimals are shown.
    """

    values: Sequence[float] | NDArray[Any]
    decimals: int


Columns = Mapping[str, Any]


def table(columns: Columns, *, name: str, decimals: int = 3) -> None:
    """Show a figure's numbers: sortable, and as CSV with all digits.

    Args:
        columns: Values of each column, one a row, by its title: an array, a list, or a `Column`.
            None among whole numbers leaves the cell empty.
        name: Names the file.
        decimals: How many decimals are shown of numbers that are not whole.
    """
    frame = _frame(columns)
    shown = {
        title: column.decimals if isinstance(column, Column) else decimals
        for title, column in columns.items()
        if frame[title].dtype.kind == "f"
    }
    st.dataframe(
        frame,
        hide_index=True,
        alt=f"The numbers of {name.replace('-', ' ')} as a table",
        column_config={
            title: st.column_config.NumberColumn(format=f"%.{digits}f")
            for title, digits in shown.items()
        },
    )
    csv_download("Table as CSV", lambda: columns, name=name)


def csv_download(label: str, columns: Callable[[], Columns], *, name: str) -> None:
    """Offer a table as a file; it is made when somebody asks for it.

    Args:
        label: Of the button.
        columns: Makes the columns; see `table`.
        name: Names the file.
    """
    st.download_button(
        label,
        # The mark at the start lets spreadsheets read the file as UTF-8.
        lambda: _frame(columns()).to_csv(index=False).encode("utf-8-sig"),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"csv_{name}",
    )


def _frame(columns: Columns) -> "pd.DataFrame":
    import pandas as pd  # takes 0.3 s, so not before the first table

    def series(values: Any) -> Any:
        if isinstance(values, Column):
            return values.values
        if isinstance(values, list | tuple) and None in values:
            return pd.array(values, dtype="Int64")
        return values

    return pd.DataFrame({title: series(values) for title, values in columns.items()})


def code(snippet: Callable[[], str], *, name: str) -> None:
    """Fold away the code that prints the same numbers.

    Args:
        snippet: Makes the code; called once somebody unfolds it, because a browser takes longer
            to colour code than to draw a chart.
        name: Sets several on one page apart; its place in the URL is `code-NAME`.
    """
    folded = st.expander(
        "Show the code that prints these numbers",
        icon=":material/code:",
        key=f"code-{name}",
        bind="query-params",
    )
    if folded.open:
        folded.code(snippet(), language="python")
