"""Links of earlier versions: they open what they asked for, or the page says what is gone.

What became of a key or a value stands in `keys.py`. Keys that were never ours, such as those that
mail programs add, are passed over.
"""

from collections.abc import Iterable, Mapping

import streamlit as st

from bertviz_core.ui.address import keys
from bertviz_core.ui.html import caption

_SAID = "_old_link"  # in the session: where the page says it, and the sentences so far


def open_old_link(page: str) -> None:
    """Put the keys and values of today in place of old ones, and run the page with those.

    Call it first: Streamlit reads the address when it draws a field.

    Args:
        page: Its title.
    """
    asked = st.query_params.to_dict()
    if (today := of_today(page, asked)) != asked:
        st.query_params.from_dict(today)
        st.rerun()


def of_today(page: str, asked: Mapping[str, str]) -> dict[str, str]:
    """What an address of any version asks for, with the keys and values of today.

    Args:
        page: Title of the page.
        asked: The values of the address, by key. One that has today's key comes first.
    """
    today = {}
    for key, value in asked.items():
        new_key, new_value = keys.MOVED.get((page, key), (key, value))
        new_value = keys.RENAMED.get((new_key, new_value), new_value)
        if new_value or not value:
            today[new_key] = asked[new_key] if new_key in asked and new_key != key else new_value
    return today


def say_what_is_gone(page: str) -> None:
    """Say which keys of the address nothing stands for any more, here on the page."""
    st.session_state[_SAID] = st.empty(), []
    gone = [key for key in keys.GONE.get(page, ()) if key in st.query_params]
    for key in gone:
        del st.query_params[key]
    if gone:
        _say("This link is from an earlier version. No longer used: {keys}.", keys=", ".join(gone))


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
        _say(
            "The link asks for “{asked}” under “{field}”, which is not offered here.",
            asked=asked,
            field=label,
        )


def _say(template: str, **values: str) -> None:
    slot, said = st.session_state[_SAID]
    said.append((template, values))
    with slot.container():
        for one, of in said:
            caption(one, **of)
