"""The parts of a view on a page: sentences, pictures, tables, programs and files to take home."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial, singledispatchmethod
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from bertviz_core.saved_files import Column, Made, as_csv, as_parquet, file_name, values_of
from bertviz_core.ui import html, inputs, links
from bertviz_core.ui.address import HERE
from bertviz_core.ui.present import embedded, is_left_out, look, presenting
from bertviz_core.views.files import NO_UPLOAD, Shown
from bertviz_core.views.view import (
    Beside,
    Chips,
    Links,
    Overlay,
    Part,
    Picture,
    Program,
    Sentence,
    Table,
    View,
)

SECTION = "section"  # key of the switch, on every page
# The field with the sentence of a page, which is part of the names of its files.
SENTENCES = {
    "Home": "a",
    "Tokens": "a",
    "Input Embeddings": "a",
    "Nearest Neighbors": "q",
    "Word in Context": "a",
    "Sentence Vectors": "a",
}
MAX_LINES = 200  # of a program that is shown at its full height, and in colours


def draw(view: View) -> None:
    """Show the parts of a view in their order."""
    Drawing(view).draw(view.parts)


@dataclass
class Drawing:
    """A view that is being drawn."""

    view: View
    since: list[Part] = field(default_factory=list)  # drawn since the last program: of the next one

    def draw(self, parts: Iterable[Part]) -> None:
        """Show some parts in their order."""
        for part in parts:
            self.part(part)
            self.since.append(part)

    @singledispatchmethod
    def part(self, part: Part) -> None:
        """Show one part."""
        raise TypeError(f"{type(part).__name__} cannot be shown")

    @part.register
    def _(self, part: Sentence) -> None:
        html.sentence(part)

    @part.register
    def _(self, part: Links) -> None:
        if not (part.page and presenting()):
            address = partial(links.view, part.page) if part.page else links.here
            links.row(part.title, {label: address(**to) for label, to in part.changes.items()})

    @part.register
    def _(self, part: Overlay) -> None:
        html.beside_chart(part.picture, part.changes)

    @part.register
    def _(self, part: Chips) -> None:
        def tapped(position: int) -> None:
            if part.typed is None:
                st.session_state[part.sets] = position
            else:
                inputs.follow_word(part.sets, part.typed, part.text, position)

        on_tap = tapped if part.sets else None
        html.token_chips(part.text, by_word=part.by_word, selected=part.selected, on_tap=on_tap)

    @part.register
    def _(self, part: Beside) -> None:
        shown = part.presented if presenting() and part.presented else len(part.columns)
        columns = st.columns(list(part.widths)[:shown] or shown, gap="medium")
        for column, parts in zip(columns, part.columns[:shown], strict=True):
            with column:
                self.draw(parts)

    @part.register
    def _(self, part: Picture) -> None:
        key, made, alone = f"chart_{part.name}", self.view.made, embedded()
        if alone and is_left_out("chart"):
            return
        if part.figure.played:  # in the browser it moves on to other layers; it prints which
            made = {what: value for what, value in made.items() if what != "layer"}

        def follow() -> None:
            if part.follows and (selected := selected_on(part.name)):
                st.session_state[part.follows] = selected[0] + 1

        st.plotly_chart(
            part.figure.restyle(dark=st.context.theme.type == "dark", large=bool(look())),
            theme=None,  # Streamlit's own would replace the letters by paler ones
            key=key,
            alt=part.alt,
            on_select="ignore" if alone or part.follows is None else follow,
            height="stretch" if alone else "content",
            config={
                **NO_UPLOAD,
                "displayModeBar": False if alone else "hover",
                "toImageButtonOptions": {
                    "format": "png",
                    "filename": _file_name(part.name, made, typed=part.typed),
                    "scale": 2,
                },
                "modeBarButtonsToRemove": ["autoScale2d", "zoomIn2d", "zoomOut2d"],
            },
        )

    @part.register
    def _(self, part: Table) -> None:
        if presenting() and not part.presented:
            return
        if not part.fold:
            self._table(part)
        else:
            key = f"{part.name}-numbers"
            folded = st.expander(part.fold, icon=":material/table:", key=key, bind="query-params")
            if folded.open:
                with folded:
                    self._table(part)

    def _table(self, part: Table) -> None:
        """A table that can be sorted, and as CSV with all digits."""
        import pyarrow as pa
        from pyarrow.types import is_floating

        columns = part.columns()
        # Made and sent in a third of the time that a pandas frame takes.
        rows = pa.table({title: values_of(column) for title, column in columns.items()})
        decimals = {
            title: column.decimals if isinstance(column, Column) else part.decimals
            for title, column in columns.items()
            if is_floating(rows.schema.field(title).type)
        }
        st.dataframe(
            rows,
            placeholder="",  # an empty cell, not a grey "None"
            alt=f"The numbers of {part.name.replace('-', ' ')} as a table",
            column_config={
                title: st.column_config.NumberColumn(
                    format="%g" if digits is None else f"%.{digits}f"
                )
                for title, digits in decimals.items()
            },
        )
        made = {"model": st.session_state[HERE].model, **self.view.made}
        file = f"{_file_name(part.name, self.view.made)}.csv"
        _file("Table as CSV", lambda: as_csv(columns, made), file, key=f"csv_{part.name}")

    @part.register
    def _(self, part: Program) -> None:
        shown, self.since = self.since, []
        if presenting():
            return
        folded = st.expander(
            f"Show the code{part.about and ' of '}{part.about}, or a notebook",
            icon=":material/code:",
            key=f"code-{part.name}",
            bind="query-params",
        )
        if folded.open:  # a browser takes longer to colour code than to draw a chart
            with folded:
                page = st.session_state[HERE]
                _offer_files(Shown(page, _address(), shown, part, self.view.made))
                # Thousands of sentences may be in it: colours keep a browser busy for seconds.
                if part.text.count("\n") > MAX_LINES:
                    st.code(part.text, language=None, height=600)
                else:
                    st.code(part.text, language="python")


def _offer_files(shown: Shown) -> None:
    """Offer what is shown as files."""
    name, file = shown.program.name, _file_name(shown.program.name, shown.made)
    with st.container(horizontal=True, key=f"home-{name}"):
        _file("This view as a notebook", shown.notebook, f"{file}.ipynb", key=f"ipynb_{name}")
        if shown.program.arrays or shown.of(Table):
            _file("Arrays (NPZ)", shown.npz, f"{file}.npz", key=f"npz_{name}")
        if shown.of(Picture):
            _file("Web page (HTML)", shown.web_page, f"{file}.html", key=f"html_{name}")
        if vectors := shown.program.vectors:
            parquet = f"{file}.parquet"
            _file(
                "Vectors (Parquet)", lambda: as_parquet(*vectors()), parquet, key=f"parquet_{name}"
            )


def _file(label: str, content: Callable[[], Any], name: str, *, key: str) -> None:
    """Offer a file; its `content` is made, in another thread, when somebody asks for it."""
    st.download_button(
        label,
        content,
        file_name=name,
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=key,
    )


def _file_name(name: str, made: Made, *, typed: bool = True) -> str:
    """Name what is saved by the page, `name`, the model, how it was made, and what was typed."""
    page, sentence = st.session_state[HERE], ""
    if typed and page.title in SENTENCES and "word" not in made:
        lines = (st.session_state.get(SENTENCES[page.title]) or "").splitlines()
        first = next((line for line in lines if line.strip()), "")
        sentence = first.replace("[", "").replace("]", "")
    return file_name(page.title.lower(), name, page.model, made=made, sentence=sentence)


def selected_on(name: str) -> list[int]:
    """Numbers of the points that are selected on a picture, rising; none before anybody selects."""
    event = st.session_state.get(f"chart_{name}") or {}
    points = event.get("selection", {}).get("points", [])
    return sorted({int(point["customdata"][0]) for point in points if point.get("customdata")})


def _address() -> str:
    """Where the view is seen, without the fold that its program is in."""
    left_out = ("code-", links.LECTURE)
    kept = {key: value for key, value in st.query_params.items() if not key.startswith(left_out)}
    return (st.context.url or "") + (f"?{urlencode(kept)}" if kept else "")
