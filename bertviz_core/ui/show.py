"""Results on a page: a chart and what it says, its table twin, its code, and what waits for it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.figures.drawing import Figure
from bertviz_core.snippets.fill import filled
from bertviz_core.turns import tell_here
from bertviz_core.ui.html import note
from bertviz_core.ui.present import presenting

if TYPE_CHECKING:
    import pandas as pd

    from bertviz_core.bert import Bert
    from bertviz_core.tokens import InputText


def chart(figure: Figure, *, alt: str, name: str, follows: str | None = None) -> list[int]:
    """Show a figure.

    Args:
        figure: From `figures`.
        alt: What it shows and what one finds in it, for those who cannot see it.
        name: Names the chart on the page, and the file it is saved to from its menu.
        follows: Key of a number, counted from 1, that a selection moves to its first point. The
            points of the figure can then be selected, by click, box or lasso, and carry their
            number, counted from 0, as the first of their custom data.

    Returns:
        Numbers of the selected points, rising; none before anybody selects.
    """
    key = f"chart_{name}"
    event = st.plotly_chart(
        figure.restyle(dark=st.context.theme.type == "dark", large=presenting()),
        theme=None,  # Streamlit's own would replace the letters by paler ones
        key=key,
        alt=alt,
        on_select="ignore" if follows is None else lambda: _follow(key, follows),
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
            "modeBarButtonsToRemove": ["autoScale2d", "zoomIn2d", "zoomOut2d"],
        },
    )
    return [] if follows is None else _selected(event)


def _follow(key: str, follows: str) -> None:
    if selected := _selected(st.session_state[key]):
        st.session_state[follows] = selected[0] + 1


def _selected(event: Any) -> list[int]:
    points = event["selection"]["points"]
    return sorted({int(point["customdata"][0]) for point in points if point.get("customdata")})


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table that is shown with its own number of decimals.

    Attributes:
        values: One number a row; None leaves the cell empty.
        decimals: How many decimals are shown; None for as many as the number has.
    """

    values: Sequence[float | None] | NDArray[Any]
    decimals: int | None


Columns = Mapping[str, Any]
# A spreadsheet would run such a text as a formula. With apostrophes of its own before it, it gets
# one more, so that whoever reads the file can take exactly ours off again.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def table(columns: Columns, *, name: str, decimals: int = 3) -> None:
    """Show a figure's numbers: sortable, and as CSV with all digits.

    Args:
        columns: Values of each column, one a row, by its title: an array, a list, or a `Column`.
            None among numbers leaves the cell empty.
        name: Names the file.
        decimals: How many decimals are shown of numbers that are not whole.
    """
    import pyarrow as pa
    from pyarrow.types import is_floating

    # Made and sent in a third of the time that a pandas frame takes.
    rows = pa.table(
        {
            title: column.values if isinstance(column, Column) else column
            for title, column in columns.items()
        }
    )
    shown = {
        title: column.decimals if isinstance(column, Column) else decimals
        for title, column in columns.items()
        if is_floating(rows.schema.field(title).type)
    }
    st.dataframe(
        rows,
        alt=f"The numbers of {name.replace('-', ' ')} as a table",
        column_config={
            title: st.column_config.NumberColumn(format="%g" if digits is None else f"%.{digits}f")
            for title, digits in shown.items()
        },
    )
    csv_download("Table as CSV", lambda: columns, name=name)


def folded_table(
    label: str,
    columns: Callable[[], Columns],
    *,
    key: str,
    name: str,
    decimals: int = 3,
    files: Mapping[str, tuple[str, Callable[[], Columns]]] | None = None,
) -> None:
    """Fold away a table and the files beside it; it is made, and sent, once somebody unfolds it.

    Args:
        label: What the fold says.
        columns: Makes the columns; see `table`.
        key: Its place in the URL.
        name: Names the file.
        decimals: How many decimals are shown of numbers that are not whole.
        files: Further tables that are offered as files alone: name of the file and what makes its
            columns, by the label of its button.
    """
    folded = st.expander(label, icon=":material/table:", key=key, bind="query-params")
    if folded.open:
        with folded:
            table(columns(), name=name, decimals=decimals)
            for button, (file, made) in (files or {}).items():
                csv_download(button, made, name=file)


def csv_download(label: str, columns: Callable[[], Columns], *, name: str) -> None:
    """Offer a table as a file; it is made when somebody asks for it.

    Args:
        label: Of the button.
        columns: Makes the columns; see `table`.
        name: Names the file.
    """
    st.download_button(
        label,
        lambda: as_csv(columns()),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"csv_{name}",
    )


def as_csv(columns: Columns) -> bytes:
    """Write a table as CSV, in UTF-8 with the mark that tells spreadsheets so.

    A text that begins with = + - @, a tab or a carriage return gets an apostrophe in front: a
    spreadsheet would run it as a formula. Numbers stay as they are.

    Args:
        columns: See `table`.
    """
    # With this end of a line a text with either half of it stands in quotes; otherwise what comes
    # after a carriage return would be a row of its own, and perhaps a formula.
    return _frame(columns).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _frame(columns: Columns) -> "pd.DataFrame":
    import pandas as pd  # takes 0.3 s, so not before the first table

    def series(values: Any) -> Any:
        if isinstance(values, Column):
            return values.values
        if isinstance(values, list | tuple) and None in values:
            whole = not any(isinstance(value, float) for value in values)
            return pd.array(values, dtype="Int64" if whole else "Float64")
        numeric = (
            isinstance(values, range) or getattr(values, "dtype", np.dtype("O")).kind in "biuf"
        )
        return values if numeric else [_as_text(value) for value in values]

    return pd.DataFrame({_as_text(title): series(values) for title, values in columns.items()})


def _as_text(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def code(
    template: str,
    bert: "Bert",
    typed: "InputText | None" = None,
    /,
    *,
    name: str | None = None,
    **values: Any,
) -> None:
    """Fold away the program that prints the same numbers.

    It is written once somebody unfolds it: a browser takes longer to colour code than to draw a
    chart.

    Args:
        template: Which program, "tokens/segments".
        bert: The checkpoint in use.
        typed: A text for the program's `text` and `text_pair`.
        name: Sets several on one page apart; its place in the URL is `code-NAME`. The program's
            own name, "segments", unless given.
        values: What else the program needs; see `snippets.fill.filled`.
    """
    folded = st.expander(
        "Show the code that prints these numbers",
        icon=":material/code:",
        key=f"code-{name or template.rpartition('/')[2]}",
        bind="query-params",
    )
    if folded.open:
        folded.code(filled(template, bert, typed, **values), language="python")


@contextmanager
def waiting(doing: str, height: int) -> Iterator[None]:
    """Say what is being done, over a grey shape where the result will stand.

    While others use the model, how many are before this run stands in place of the shape.

    Args:
        doing: Shown beside a spinner.
        height: Of the shape, in pixels, so that little jumps when the result comes.
    """
    shape = st.empty()
    slot = None

    def tell(before: int) -> None:
        nonlocal slot
        if not before:
            slot = None  # goes with the container; a second turn may have to wait as well
            shape.skeleton(height)
            return
        slot = slot or shape.container(height=height, border=False).empty()
        with slot:
            note(
                "The server is busy: <b>{before-you}</b> before you.", **{"before-you": f"{before}"}
            )

    with st.spinner(doing):
        shape.skeleton(height)
        token = tell_here.set(tell)
        try:
            yield
        finally:
            tell_here.reset(token)
            shape.empty()
