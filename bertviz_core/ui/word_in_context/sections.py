"""Below the matrix: closer looks at the word, of which only the chosen one is computed and drawn.

None is chosen at first, so that the page opens as fast as without them. Each is imported when it
is chosen.
"""

import streamlit as st

from bertviz_core.calibration import Calibration
from bertviz_core.ui.inputs import BOUND
from bertviz_core.ui.slots import slot_for
from bertviz_core.ui.word_in_context.words import Compared

INFLUENCE = "which context word did it?"
LENS = "what does it look like now?"
NEIGHBORS = "neighbours in context"
RULER = "the ruler"
PIECES = "pieces and pooling"
SECOND = "a second model"
LOOKS = (INFLUENCE, LENS, NEIGHBORS, RULER, PIECES, SECOND)


def look_closer(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Ask what to look at and show it.

    Args:
        compared: What the page compares.
        layer: The chosen layer.
        calibration: The model's ruler; None while there is none.
    """
    st.divider()
    look = st.segmented_control("Look closer at", LOOKS, key="deeper", wrap=True, **BOUND)
    if look is not None:
        with slot_for(look, LOOKS):
            _show(look, compared, layer, calibration)


def _show(look: str, compared: Compared, layer: int, calibration: Calibration | None) -> None:
    if look == INFLUENCE:
        from bertviz_core.ui.word_in_context import influence as influence_views

        influence_views.which_word(compared, layer, calibration)
    elif look == LENS:
        from bertviz_core.ui.word_in_context import lens as lens_views

        lens_views.looks_like(compared, layer, calibration)
    elif look == NEIGHBORS:
        from bertviz_core.ui.word_in_context import neighbors as context_neighbor_views

        context_neighbor_views.neighbors(compared, layer, calibration)
    elif look == RULER:
        from bertviz_core.ui.word_in_context import percentiles as context_ruler_views

        context_ruler_views.all_marks(compared, layer, calibration)
    elif look == PIECES:
        from bertviz_core.ui.word_in_context import pieces as piece_views

        piece_views.pieces_and_pooling(compared, layer, calibration)
    else:
        from bertviz_core.ui.word_in_context import second_model as second_model_views

        second_model_views.second_model(compared, layer, calibration)
