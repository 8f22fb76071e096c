"""What an address asks for and a field does not offer: the page says so in one line."""

from collections.abc import Iterable

import streamlit as st

from bertviz_core.ui.html import caption

_SAID = "_not_offered"  # in the session: where the page says it, and the sentences so far


def begin() -> None:
    """Keep a place for these sentences, here on the page."""
    st.session_state[_SAID] = st.empty(), []


def say_unless_offered(label: str, options: Iterable[str], *, key: str) -> None:
    """Say that an address asks for what a field does not offer. Call it before the field is drawn.

    Args:
        label: Of the field.
        options: What it offers; gone through only where an address asks for something.
        key: Of the field.
    """
    if key in st.session_state:
        return
    asked = st.query_params.get(key)
    if asked and asked not in options:
        slot, said = st.session_state[_SAID]
        said.append((asked, label))
        with slot.container():
            for value, field in said:
                caption(
                    "The link asks for “{asked}” under “{field}”, which is not offered here.",
                    asked=value,
                    field=field,
                )
