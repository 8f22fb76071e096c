"""The sections of the pages: several views below a page's picture, of which one is shown.

A label stands on the page, in its address, and in links to a prepared view: it is spelled here
alone.
"""

from collections.abc import Callable, Mapping

import streamlit as st

from bertviz_core.ui import slots
from bertviz_core.ui.address.embed import embedded
from bertviz_core.ui.address.offered import say_unless_offered
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.inputs import BOUND
from bertviz_core.ui.take_home import view

# Tokens, by the key "closer"
WORD_STEPS = "a word, step by step"
VOCABULARY = "is it in the vocabulary?"
IDS = "ids to text"
TWO_SEGMENTS = "two texts, two segments"
LINES = "many lines"

# Nearest Neighbors, by the key "wider"
TOKEN_MAP = "map of the token table"
ALL_SCORES = "scores of all rows"
PERCENTILE_SCALE = "is this score high?"

# Word in Context, by the key "deeper"
INFLUENCE = "which context word did it?"
LENS = "what does it look like now?"
NEIGHBORS = "neighbours in context"
PERCENTILES = "is this cosine high for this layer?"
PIECES = "pieces and pooling"
SECOND_MODEL = "a second model"

# Word Senses, by the key "senses"
SCORES = "layer by layer"
CHEAPER = "is it sense, or something cheaper?"
GROUPS = "groups found without labels"
NEAREST = "nearest occurrences"
IN_CORPUS = "nearest in the whole corpus"
SHIFT = "two groups, layer by layer"


def below(views: Mapping[str, Callable[[], None]], *, key: str) -> None:
    """Ask which section to show below a page's picture, none at first, and show it.

    What is changed here, or in the chosen section, runs both again and not the page, so a section
    finds the page's inputs as they were when the page last ran. The others are not computed.

    Args:
        views: What draws each section, by its label.
        key: Name in the URL.
    """
    if embedded():
        return
    with slots.part(f"sections-{key}"):
        _switch(views, key)


@fragment
def _switch(views: Mapping[str, Callable[[], None]], key: str) -> None:
    view.begin()  # what stands above is no part of a section
    title = "Look closer at"
    say_unless_offered(title, views, key=key)
    chosen = st.segmented_control(title, list(views), key=key, wrap=True, **BOUND)
    if chosen is not None:
        with slots.slot_for(chosen, key):
            views[chosen]()
