"""Results on a page: a chart with its description, its table twin, its code."""

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

# Labels of Streamlit's light theme have a contrast of 3.7 : 1; these reach 7 : 1 and more.
_LABELS = {"light": "#3F4654", "dark": "#C9CFD9"}


def chart(figure: go.Figure, *, alt: str, name: str) -> None:
    """Show a figure.

    Args:
        figure: From `figures`.
        alt: What it shows and what one finds in it, for those who cannot see it.
        name: Names the chart on the page, and the file it is saved to from its menu.
    """
    st.plotly_chart(
        _readable(figure),
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


def _readable(figure: go.Figure) -> go.Figure:
    """Colour all labels for the theme in use."""
    color = _LABELS.get(st.context.theme.type or "light", _LABELS["light"])
    figure.update_xaxes(tickfont_color=color, title_font_color=color)
    figure.update_yaxes(tickfont_color=color, title_font_color=color)
    figure.update_annotations(font_color=color)
    figure.update_layout(legend_font_color=color)
    # Reading a colour bar a trace does not have would give it one, so the plain values are asked.
    for trace in figure.data:
        values = trace.to_plotly_json()
        if "colorbar" in values:
            trace.colorbar.tickfont.color = color
        elif "colorbar" in values.get("marker", {}):
            trace.marker.colorbar.tickfont.color = color
    return figure


def table(frame: pd.DataFrame, *, name: str, decimals: int = 3, height: int | str = "auto") -> None:
    """Show a figure's numbers: sortable, and as CSV with all digits.

    Args:
        frame: One row an item.
        name: Names the file.
        decimals: How many decimals are shown.
        height: Of the table, in pixels; "auto" follows the rows.
    """
    numbers = [str(column) for column in frame if frame[column].dtype.kind == "f"]
    st.dataframe(
        frame,
        hide_index=True,
        height=height,  # type: ignore[arg-type]
        alt=f"The numbers of {name.replace('-', ' ')} as a table",
        column_config={
            column: st.column_config.NumberColumn(format=f"%.{decimals}f") for column in numbers
        },
    )
    csv_download("Table as CSV", lambda: frame, name=name)


def csv_download(label: str, frame: Callable[[], pd.DataFrame], *, name: str) -> None:
    """Offer a table as a file; it is made when somebody asks for it."""
    st.download_button(
        label,
        # The mark at the start lets spreadsheets read the file as UTF-8.
        lambda: frame().to_csv(index=False).encode("utf-8-sig"),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"csv_{name}",
    )


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
