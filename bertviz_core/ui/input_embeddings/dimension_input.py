"""The picker of a dimension, shared by several views."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.ui.inputs import BOUND

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def dimension_input(bert: "Bert") -> int:
    """Ask for a dimension; at first the one whose LayerNorm weight is furthest from the others.

    One that the model in use does not have falls back to that one.
    """
    last = bert.hidden_size - 1
    weight = bert.tables.layer_norm_weight
    furthest = int(np.abs(weight - weight.mean()).argmax())
    kept = st.session_state.get("dim")
    if kept is not None and not 0 <= kept <= last:
        st.session_state["dim"] = furthest
    chosen = st.number_input(f"Dimension, 0 to {last}", 0, last, furthest, 1, key="dim", **BOUND)
    return furthest if chosen is None else int(chosen)
