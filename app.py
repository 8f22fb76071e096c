"""Home: one word in two sentences and what becomes of it, questions, the tour."""

import streamlit as st

from bertviz_core.ui import frame
from bertviz_core.ui.forms.home import two_sentences
from bertviz_core.ui.forms.questions import ask
from bertviz_core.ui.server import MIDDLEWARE, ROUTES
from bertviz_core.ui.tour import tour

if __name__ != "__main__":  # the server imports this file once; a visitor's page runs it
    app = st.App(__file__, middleware=MIDDLEWARE, routes=ROUTES)
else:
    bert = frame.page(
        "Home",
        "See BERT's embedding layer",
        "Type two sentences, and tap a word.",
        icon=":material/home:",
    )

    two_sentences(bert)

    ask(bert)

    tour.stops()
