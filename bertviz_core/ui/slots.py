"""Slots for fields: containers that the browser recognizes again wherever they stand.

Without a key a container is known by its number among its neighbours. When something above it goes,
the browser builds it anew one place higher while the old one still stands, and as the old one goes,
its fields are cut off: they no longer write to the address, and lose the focus. So every container
that holds a field of the address comes from here.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def panel(name: str) -> "DeltaGenerator":
    """A container with a border. `name` is its own on the page."""
    return st.container(border=True, key=f"panel-{name}")


def part(name: str) -> "DeltaGenerator":
    """A container that shows nothing of itself. `name` is its own on the page."""
    return st.container(key=f"part-{name}")


def row(
    name: str,
    widths: int | Sequence[int],
    *,
    gap: Literal["small", "medium"] = "small",
    align: Literal["top", "bottom"] = "top",
) -> "Sequence[DeltaGenerator]":
    """Columns side by side.

    Args:
        name: Its own on the page.
        widths: How many columns, or their widths in proportion.
        gap: Between the columns.
        align: Where columns of unequal height meet.
    """
    return part(f"row-{name}").columns(widths, gap=gap, vertical_alignment=align)


def slot_for(chosen: str, names: Iterable[str]) -> "DeltaGenerator":
    """The container to show a section in, once the slots of all others have been emptied.

    Sections put into the same slot would, for a moment, both hold a field that they share, and
    the old one would cut it off.

    Args:
        chosen: The section to show, one of `names`.
        names: All of them, in the same order in every run.
    """
    slots = {name: part(name) if name == chosen else st.empty() for name in names}
    return slots[chosen]
