"""What a page has shown since its last program: that is what one takes home with the program.

A view is a finding, its pictures and its tables, in any order, and then its program. They need not
know of each other: each is noted here as it is shown, and `show.code` takes them all. What a run
has noted ends with its thread, so nothing of it stays in memory.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

import streamlit as st

from bertviz_core.csv_files import Columns, Made
from bertviz_core.figures.drawing import Figure
from bertviz_core.file_names import file_name as named

_HERE = "_page_and_model"
# The field with the sentence of a page, which stands in the names of its files.
SENTENCES = {
    "Home": "a",
    "Tokens": "a",
    "Input Embeddings": "a",
    "Nearest Neighbors": "q",
    "Word in Context": "s",
}


class Here(NamedTuple):
    """The page that is shown: its title and question, and the name of its model."""

    page: str = ""
    model: str = ""
    question: str = ""


@dataclass
class View:
    """What has been shown.

    Attributes:
        findings: Templates with their values; see `html.finding`.
        figures: By name: the figure, and what it shows for those who cannot see it.
        tables: By name: what makes the columns.
        made: How all this was made.
    """

    findings: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)
    figures: dict[str, tuple[Figure, str]] = field(default_factory=dict)
    tables: dict[str, Callable[[], Columns]] = field(default_factory=dict)
    made: dict[str, str | int] = field(default_factory=dict)


_VIEW: ContextVar[View | None] = ContextVar("view", default=None)


def begin() -> None:
    """Begin a view: what was shown before belongs to another."""
    _VIEW.set(None)


def shown() -> View:
    """What has been shown since the view began; it can be added to."""
    view = _VIEW.get()
    if view is None:
        view = View()
        _VIEW.set(view)
    return view


def shown_on(page: str, model: str, question: str = "") -> None:
    """Name the page and its model on what is saved from it; `frame.page` does."""
    st.session_state[_HERE] = Here(page, model, question)
    begin()


def here() -> Here:
    """The page that is shown."""
    return Here(*st.session_state.get(_HERE, ()))


def file_name(name: str, of: Made, *, typed: bool = True) -> str:
    """Name what is saved by the page, `name`, the model, how it was made, and what was typed.

    Args:
        name: Of a picture, a table or a view.
        of: How it was made.
        typed: Whether it depends on the page's sentence.
    """
    page, model, _ = here()
    return named(page.lower(), name, model, made=of, sentence=_sentence(page, of) if typed else "")


def _sentence(page: str, of: Made) -> str:
    """What was typed on a page, of several lines the first, without its marks."""
    if page not in SENTENCES or "word" in of:
        return ""
    typed = st.session_state.get(SENTENCES[page]) or ""
    first = next((line for line in typed.splitlines() if line.strip()), "")
    return first.replace("[", "").replace("]", "")
