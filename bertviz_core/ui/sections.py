"""Sections of a page of which one is shown: each has a place of its own."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def place_for(chosen: str, names: Iterable[str]) -> "DeltaGenerator":
    """The container to show a section in, once the places of all others have been emptied.

    Sections put into the same place would, for a moment, both hold a field that they share; when
    the old one went, the browser would no longer write the field to the address.

    Args:
        chosen: The section to show, one of `names`.
        names: All of them, in the same order in every run.
    """
    places = {name: st.container() if name == chosen else st.empty() for name in names}
    return places[chosen]
