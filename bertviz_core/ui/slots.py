"""Slots for fields: containers that the browser recognizes again wherever they are.

Without a key the browser knows a container by its number among its neighbours. When something above
it goes, the browser builds it anew one place higher, and then takes the old one away. With that one
its fields are cut off: they no longer write to the address, and lose the focus. So every container
that holds a field of the address comes from here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.errors import shortened
from bertviz_core.showable import plain
from bertviz_core.ui.present import presenting

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.lib.grid_container import GridContainer

# A line to click on; what is below it is hidden until then.
FOLD = '<details class="bx bx-fold bx-{}"><summary>{}</summary></details>'
MAX_CHARACTERS = 70  # characters of a value in the line of a folded panel


@contextmanager
def panel(name: str, *keys: str) -> Iterator[None]:
    """A container with a border, for the inputs of a page; `name` is unique there.

    In presenter mode it folds into one line, with the values of the fields of these `keys`: the
    audience sees the answer, not the form.
    """
    if not presenting():
        with st.container(border=True, key=f"panel-{name}"):
            yield
        return
    with st.container(key=f"inputs-{name}"):
        line = st.empty()
        with st.container(border=True, key=f"panel-{name}"):
            yield
        values = (str(st.session_state.get(key) or "").replace("\n", ", ") for key in keys)
        shown = (plain(shortened(value, MAX_CHARACTERS)) for value in values if value)
        line.html(FOLD.format("inputs", " · ".join(shown)))


@contextmanager
def options(name: str, *, beside: Callable[[], None]) -> Iterator[None]:
    """Inputs that most visitors leave alone, folded away below the word "Options".

    `beside` draws what is left of that word. The fold is the browser's own: the fields stay on the
    page, and go on writing to its address.
    """
    with st.container(key=f"options-{name}"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"line-{name}"):
            beside()
            st.html(FOLD.format("options", "Options"), width="content")
        with st.container(key=f"folded-{name}"):
            yield


@contextmanager
def folded_on_phones(name: str, line: str) -> Iterator[None]:
    """Inputs that a narrow screen folds into a `line`, HTML of ours, so that the answer is seen."""
    with st.container(key=f"options-narrow-{name}"):
        st.html(FOLD.format("narrow", line))
        with st.container(key=f"folded-{name}"):
            yield


def part(name: str) -> "DeltaGenerator":
    """A container without a look of its own. `name` is unique on the page."""
    return st.container(key=f"part-{name}")


def cells(name: str, columns: int) -> "GridContainer":
    """Columns of one width, filled one after another; what is drawn into it takes the next one.

    A row of single fields costs one message; columns cost one more each. On a narrow screen fewer
    are side by side.
    """
    return st.grid(columns, key=f"cells-{name}")


def slot_for(chosen: str, key: str) -> "DeltaGenerator":
    """The container to show a section in; that of the section before is emptied.

    Two sections in one slot would, for a moment, both hold a field that they share, and the old one
    would cut it off. So sections take turns between two slots. `key` names the choice.
    """
    shown, turn = st.session_state.get(f"_slot_{key}", (chosen, 0))
    if shown != chosen:
        turn = 1 - turn
    st.session_state[f"_slot_{key}"] = chosen, turn
    slots = [part(chosen) if number == turn else st.empty() for number in (0, 1)]
    return slots[turn]
