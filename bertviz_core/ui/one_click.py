"""A button that stands for the model until the model is in memory."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import results as cache


def one_click(bert: Bert, label: str, *, key: str) -> bool:
    """Ask for a click before the model is loaded; afterwards results come by themselves.

    Args:
        bert: The checkpoint whose encoder is needed.
        label: What the click does.
        key: Of the button.

    Returns:
        Whether to go on and run the model.
    """
    if cache.encoder_in_memory(bert.name) or st.button(
        label, icon=":material/play_arrow:", key=key, type="primary"
    ):
        return True
    st.caption("Loads the whole model once, a few seconds; afterwards the result stands here.")
    return False
