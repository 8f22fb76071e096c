"""`?embed=true`: the page as one picture with its finding, for a frame of another site.

Streamlit leaves its own menus out then, and takes the theme from `embed_options`. Everything else
is left out here: what takes time is not computed, the rest is hidden by browser/embed.css.
"""

from pathlib import Path

import streamlit as st

_STYLE = Path(__file__).parents[1] / "browser" / "embed.css"
_SHOWN = "_shown_in_frame"


def embedded() -> bool:
    """Whether the page is in a frame of another site."""
    return bool(st.context.is_embedded)


def style() -> str:
    """Rules that come with such a page."""
    return _STYLE.read_text(encoding="utf-8")


def begin() -> None:
    """Begin the page: nothing is shown yet."""
    st.session_state[_SHOWN] = []


def is_left_out(kind: str) -> bool:
    """Whether a frame leaves this out: every finding and every picture but the first.

    Nothing in a frame runs a part of the page again, so the first is the first of the whole page.

    Args:
        kind: "finding" or "chart".
    """
    if not embedded():
        return False
    shown = st.session_state[_SHOWN]
    shown.append(kind)
    return shown.count(kind) > 1
