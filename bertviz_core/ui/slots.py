"""Containers with a key, for fields that write to the address.

Without a key the browser knows a container by its number among its neighbours. When something above
it goes, the browser builds the container anew one place higher, then removes the old one. The
fields in it stop writing to the address and lose the focus.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.grid_container import GridContainer

from bertviz_core.errors import shortened
from bertviz_core.showable import plain
from bertviz_core.ui.present import presenting

# A line to click on; what is below it is hidden until then.
FOLD = '<details class="bx bx-fold bx-{}"><summary>{}</summary></details>'
MAX_CHARACTERS = 70  # characters of a value in the line of a folded panel


@contextmanager
def panel(name: str, *keys: str) -> Iterator[None]:
    """A container with a border for the inputs of a page; `name` is unique there.

    In presenter mode it is folded into one line with the values of the fields of these `keys`.
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

    `beside` draws what is left of that word. Not `st.popover`: Streamlit 1.67 takes its fields off
    the page while it is closed. Not `st.expander`: it needs a row of its own.
    """
    with st.container(key=f"options-{name}"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"line-{name}"):
            beside()
            st.html(FOLD.format("options", "Options"), width="content")
        with st.container(key=f"folded-{name}"):
            yield


@contextmanager
def folded_on_phones(name: str, line: str) -> Iterator[None]:
    """Inputs that a narrow screen folds into a `line` of HTML, so that the picture is in view."""
    with st.container(key=f"options-narrow-{name}"):
        st.html(FOLD.format("narrow", line))
        with st.container(key=f"folded-{name}"):
            yield


def part(name: str) -> DeltaGenerator:
    """A container with a key; `name` is unique on the page."""
    return st.container(key=f"part-{name}")


def cells(name: str, columns: int) -> GridContainer:
    """A grid of equal columns; each call fills the next cell."""
    return st.grid(columns, key=f"cells-{name}")


def slot_for(chosen: str, key: str) -> DeltaGenerator:
    """One of two containers, in turn, for the chosen section; the other one is emptied.

    In a single container the old and the new section would both hold a field that they share for a
    moment, and removing the old one would cut it off. `key` names the choice.
    """
    shown, turn = st.session_state.get(f"_slot_{key}", (chosen, 0))
    if shown != chosen:
        turn = 1 - turn
    st.session_state[f"_slot_{key}"] = chosen, turn
    slots = [part(chosen) if number == turn else st.empty() for number in (0, 1)]
    return slots[turn]
