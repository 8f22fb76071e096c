"""A page that shows its answer alone: to an audience, or in a frame of another site.

Presenter mode, for a projector, has large type, thick lines, no code and no tables:
`?present=light` or `?present=dark` in the address, or the choice in the sidebar; `?present=1` takes
the look of the visitor's system.

`?embed=true` leaves one picture with its finding. Streamlit leaves its own menus out then, and
takes the theme from `embed_options`. Everything else is left out here: what takes time is not
computed, the rest is hidden by browser/embed.css.
"""

from typing import Literal

import streamlit as st

KEY = "presenting"
OFF, LOOKS = "off", ("light", "dark")
SHOWN = "_shown_in_frame"  # in the session: what the page has shown so far


def embedded() -> bool:
    """Whether the page is in a frame of another site."""
    return bool(st.context.is_embedded)


def is_left_out(kind: Literal["finding", "chart"]) -> bool:
    """Whether to leave this out: embedded pages show only their first finding and chart."""
    shown = st.session_state[SHOWN]
    shown.append(kind)
    return shown.count(kind) > 1


def presenting() -> bool:
    """Whether only the answer is shown, without code and tables: for an audience, or in a frame."""
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


def present_switch() -> None:
    """Offer presenter mode, and keep it in the address while it is on.

    A field bound to the address would write `presenting=dark`; this one is written by hand.
    """
    how = look()
    if how:
        st.query_params["present"] = how
    of_the_system = st.context.theme.type or LOOKS[0]  # nothing else is on
    st.session_state[KEY] = {"": OFF, "1": of_the_system}.get(how, how)
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
    else:
        st.query_params.pop("present", None)
