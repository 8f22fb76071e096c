"""Links of earlier versions: they open what they asked for, or the page says what is gone.

What became of a key or a value stands in `keys.py`. Keys that were never ours, such as those
that mail programs add, are passed over.
"""

from collections.abc import Container
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.ui.address import keys as link_keys
from bertviz_core.ui.html import caption

_SAID = "_old_link"  # in the session: where the page says it, and the sentences so far


def open_old_link(page: str) -> None:
    """Take old keys and values in the address for those of today.

    Call it where the page may say what is gone, and before its fields are drawn.

    Args:
        page: Its title.
    """
    st.session_state[_SAID] = st.empty(), []
    asked = st.query_params.to_dict()
    for (where, old), (key, value) in link_keys.MOVED.items():
        if where == page and old in asked:
            del st.query_params[old]
            _ask_for(key, value, of_today=asked)
    for (key, old), value in link_keys.RENAMED.items():
        if asked.get(key) == old and value:
            _ask_for(key, value, of_today={})
    if gone := [key for key in link_keys.GONE.get(page, ()) if key in asked]:
        for key in gone:
            del st.query_params[key]
        _say("This link is from an earlier version. No longer used: {keys}.", keys=", ".join(gone))


def say_unless_offered(label: str, options: Container[str], *, key: str) -> None:
    """Say that an address asks for what a field does not offer. Call it before the field is drawn.

    Args:
        label: Of the field.
        options: What it offers.
        key: Of the field.
    """
    if key in st.session_state:
        return
    asked = st.query_params.get(key)
    if asked and asked not in options and (key, asked) not in link_keys.RENAMED:
        _say(
            "The link asks for “{asked}” under “{field}”, which is not offered here.",
            asked=asked,
            field=label,
        )


def _ask_for(key: str, value: str, *, of_today: Container[str]) -> None:
    """Give a field its value as if the address had named it, unless that names another."""
    if key in st.session_state or key in of_today:
        return
    st.session_state[key] = value == "true" or value
    with suppress(StreamlitAPIException):  # on the page before, it was another field's
        st.query_params[key] = value


def _say(template: str, **values: str) -> None:
    slot, said = st.session_state[_SAID]
    said.append((template, values))
    with slot.container():
        for one, of in said:
            caption(one, **of)
