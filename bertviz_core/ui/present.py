"""Large type for a projector: `?present=1` in the address, or the switch in the sidebar."""

import streamlit as st

KEY = "presenting"
STYLE = "html { font-size: 22px !important; }"


def presenting() -> bool:
    """Whether letters are large: by the address, or because they were on the page before."""
    return st.query_params.get("present") == "1" or bool(st.session_state.get(KEY))


def present_switch() -> None:
    """Offer large type, and keep `present=1` in the address while it is on.

    A switch bound to the address would write `present=true`; this one writes it by hand.
    """
    if presenting():
        st.session_state[KEY] = True
        st.query_params["present"] = "1"
    st.toggle(
        "Large type",
        key=KEY,
        persist_state="session",
        on_change=_switched,
        help="For a projector, or for tired eyes.",
    )


def _switched() -> None:
    if not st.session_state[KEY] and "present" in st.query_params:
        del st.query_params["present"]
