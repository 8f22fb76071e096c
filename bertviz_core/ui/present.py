"""Presenter mode, for a projector: large type, thick lines, no code and no tables.

`?present=light` or `?present=dark` in the address, or the choice in the sidebar; `?present=1` takes
the look of the visitor's system.
"""

from pathlib import Path

import streamlit as st

from bertviz_core.ui.address.embed import embedded

KEY = "presenting"
OFF, LOOKS = "off", ("light", "dark")
_STYLE = Path(__file__).parent / "browser" / "present.css"


def presenting() -> bool:
    """Whether the answer stands alone, without code and tables: for an audience, or in a frame."""
    return bool(look()) or embedded()


def look() -> str:
    """Of presenter mode: "light", "dark", or "1" for that of the system; "" when it is off.

    By the address, or because it was so on the page before.
    """
    if embedded():
        return ""
    asked = st.query_params.get("present", "")
    if asked in ("1", *LOOKS):
        return asked
    kept = st.session_state.get(KEY) or OFF  # None as the next page opens
    return "" if kept == OFF else str(kept)


def style() -> str:
    """Rules that come with the page; tour.js reads from them which look it has."""
    rules = _STYLE.read_text(encoding="utf-8") if look() else ""
    return f":root {{ --bx-look: {look() if look() in LOOKS else 'system'}; }}\n{rules}"


def present_switch() -> None:
    """Offer presenter mode, and keep it in the address while it is on.

    A field bound to the address would write `presenting=dark`; this one is written by hand.
    """
    how = look()
    if how:
        st.query_params["present"] = how
    if how in LOOKS:
        st.session_state[KEY] = how
    elif how:  # of the system; nothing else is on
        st.session_state[KEY] = st.context.theme.type or LOOKS[0]
    else:
        st.session_state[KEY] = OFF
    st.segmented_control(
        "Presenter mode",
        [OFF, *LOOKS],
        required=True,
        key=KEY,
        persist_state="session",
        on_change=_switched,
        help="For a projector, or for tired eyes: large type, thick lines, no code, no tables.",
    )


def _switched() -> None:
    chosen = st.session_state[KEY]
    if chosen != OFF:
        st.query_params["present"] = chosen
    elif "present" in st.query_params:
        del st.query_params["present"]
