"""Results on a page: a chart and what it says, its table twin, its code, and what waits for it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.csv_files import NO_CHOICE, Columns, Made, as_csv
from bertviz_core.csv_files import Column as Column
from bertviz_core.figures.drawing import Figure
from bertviz_core.snippets.fill import filled
from bertviz_core.tokens import InputText
from bertviz_core.ui.address.embed import embedded, is_left_out
from bertviz_core.ui.present import look, presenting
from bertviz_core.ui.take_home.files import Arrays, take_home
from bertviz_core.ui.take_home.view import begin, file_name, here, shown
from bertviz_core.ui.take_home.web_page import NO_UPLOAD

if TYPE_CHECKING:
    pass

MOST_LINES = 200  # of a program that is shown at its full height


def chart(
    figure: Figure,
    *,
    alt: str,
    name: str,
    follows: str | None = None,
    of: Made = NO_CHOICE,
    typed: bool = True,
) -> None:
    """Show a figure.

    Args:
        figure: From `figures`.
        alt: What it shows and what one finds in it, for those who cannot see it.
        name: Names the chart on the page, and the file it is saved to from its menu.
        follows: Key of a number, counted from 1, that a selection moves to its first point. The
            points of the figure can then be selected, by click, box or lasso, and carry their
            number, counted from 0, as the first of their custom data.
        of: How it was made, where that is not seen in it; it stands on the picture that is saved.
        typed: False for a large picture that the page's sentence leaves as it is: with the sentence
            in the name of its file it would be sent anew.
    """
    if is_left_out("chart"):
        return
    key = f"chart_{name}"
    page, model, _ = here()
    made = [page, model, *(f"{what} {value}" for what, value in of.items())]
    view = shown()
    view.figures[name] = figure, alt
    view.made.update(of)
    alone = embedded()
    st.plotly_chart(
        figure.restyle(dark=st.context.theme.type == "dark", large=bool(look())),
        theme=None,  # Streamlit's own would replace the letters by paler ones
        key=key,
        alt=alt,
        on_select="ignore" if alone or follows is None else lambda: _follow(key, follows),
        height="stretch" if alone else "content",
        config={
            **NO_UPLOAD,
            "displayModeBar": not alone,
            "toImageButtonOptions": {
                "format": "png",
                "filename": file_name(name, of, typed=typed),
                "scale": 2,
                "made": " · ".join(part for part in made if part),  # read by saving.js
            },
            "modeBarButtonsToRemove": ["autoScale2d", "zoomIn2d", "zoomOut2d"],
        },
    )


def selected_on(name: str) -> list[int]:
    """Numbers of the points that are selected on a chart, rising; none before anybody selects."""
    event = st.session_state.get(f"chart_{name}")
    return _selected(event) if event else []


def _follow(key: str, follows: str) -> None:
    if selected := _selected(st.session_state[key]):
        st.session_state[follows] = selected[0] + 1


def _selected(event: Any) -> list[int]:
    points = event["selection"]["points"]
    return sorted({int(point["customdata"][0]) for point in points if point.get("customdata")})


def table(columns: Columns, *, name: str, decimals: int = 3, of: Made = NO_CHOICE) -> None:
    """Show a figure's numbers: sortable, and as CSV with all digits. Presenting, nothing.

    Args:
        columns: Values of each column, one a row, by its title: an array, a list, or a `Column`.
            None among numbers leaves the cell empty.
        name: Names the file.
        decimals: How many decimals are shown of numbers that are not whole.
        of: How the numbers were made; see `csv_download`.
    """
    if presenting():
        return
    _note_table(name, lambda: columns, of)
    import pyarrow as pa
    from pyarrow.types import is_floating

    # Made and sent in a third of the time that a pandas frame takes.
    rows = pa.table(
        {
            title: column.values if isinstance(column, Column) else column
            for title, column in columns.items()
        }
    )
    shown_decimals = {
        title: column.decimals if isinstance(column, Column) else decimals
        for title, column in columns.items()
        if is_floating(rows.schema.field(title).type)
    }
    st.dataframe(
        rows,
        placeholder="",  # an empty cell, not a grey "None"
        alt=f"The numbers of {name.replace('-', ' ')} as a table",
        column_config={
            title: st.column_config.NumberColumn(format="%g" if digits is None else f"%.{digits}f")
            for title, digits in shown_decimals.items()
        },
    )
    csv_download("Table as CSV", lambda: columns, name=name, of=of)


def folded_table(
    label: str,
    columns: Callable[[], Columns],
    *,
    key: str,
    name: str,
    decimals: int = 3,
    files: Mapping[str, tuple[str, Callable[[], Columns]]] | None = None,
    of: Made = NO_CHOICE,
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
        of: How the numbers were made; see `csv_download`.
    """
    if presenting():
        return
    _note_table(name, columns, of)
    folded = st.expander(label, icon=":material/table:", key=key, bind="query-params")
    if folded.open:
        with folded:
            table(columns(), name=name, decimals=decimals, of=of)
            for button, (file, made) in (files or {}).items():
                # The same file may be offered by a section as well.
                csv_download(button, made, name=file, of=of, key=f"csv_{key}_{file}")


def _note_table(name: str, columns: Callable[[], Columns], of: Made) -> None:
    view = shown()
    view.tables.setdefault(name, columns)
    view.made.update(of)


def csv_download(
    label: str,
    columns: Callable[[], Columns],
    *,
    name: str,
    of: Made = NO_CHOICE,
    key: str | None = None,
) -> None:
    """Offer a table as a file; it is made when somebody asks for it.

    Args:
        label: Of the button.
        columns: Makes the columns; see `table`.
        name: Names the file.
        of: How the numbers were made. With the name of the model it stands in the name of the file
            and, as most files are renamed, in columns behind the others.
    """
    if presenting():
        return
    made = {"model": here().model, **of}
    st.download_button(
        label,
        lambda: as_csv(columns(), made),  # made in another thread, without the session
        file_name=f"{file_name(name, of)}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=key or f"csv_{name}",
    )


def code(
    template: str,
    bert: Bert,
    typed: InputText | None = None,
    /,
    *,
    name: str | None = None,
    arrays: Arrays | None = None,
    **values: Any,
) -> None:
    """Fold away the program that prints the same numbers, and the view as files. It ends the view.

    Presenting, nothing. It is written once somebody unfolds it: a browser takes longer to colour
    code than to draw a chart.

    Args:
        template: Which program, "tokens/segments".
        bert: The checkpoint in use.
        typed: A text for the program's `text` and `text_pair`.
        name: Sets several on one page apart; its place in the URL is `code-NAME`. The program's
            own name, "segments", unless given.
        arrays: Makes the arrays behind the view, by name; the columns of its tables unless given.
        values: What else the program needs; see `snippets.fill.filled`.
    """
    view = shown()
    begin()
    if presenting():
        return
    name = name or template.rpartition("/")[2]
    folded = st.expander(
        "Show the code, or take this view as a notebook",
        icon=":material/code:",
        key=f"code-{name}",
        bind="query-params",
    )
    if folded.open:
        program = filled(template, bert, typed, **values)
        with folded:
            take_home(name, template, program, bert, view, arrays)
            # Hundreds of sentences may stand in it.
            long = program.count("\n") > MOST_LINES
            st.code(program, language="python", height=600 if long else "content")
