"""Home: one sentence and what becomes of it, questions, the tour, every page, the model in use."""

import streamlit as st

from bertviz_core.checkpoints.checkpoint import WHERE_FROM, origin_of
from bertviz_core.ui import frame, links
from bertviz_core.ui.bounds.messages import DOOR
from bertviz_core.ui.forms.home import one_sentence
from bertviz_core.ui.forms.questions import ask
from bertviz_core.ui.frame import pages
from bertviz_core.ui.html import caption
from bertviz_core.ui.tour import tour

if __name__ != "__main__":  # the server imports this file once; a visitor's page runs it
    app = st.App(__file__, middleware=DOOR)
else:
    bert = frame.page(
        "Home",
        "See BERT's embedding layer",
        "Type a sentence and tap a token: every number comes from the weights of the model in use.",
        icon=":material/home:",
    )

    one_sentence(bert, tour.start)

    ask(bert)

    tour.stops()

    st.subheader("All pages", anchor=False)
    links.cards(
        [(page.title, page.about, links.view(page.address)) for page in pages() if page.address]
    )

    caption(
        "The model in use: <b>{model}</b>, {vocabulary} tokens in its vocabulary, vectors of "
        "{size} numbers, {layers} layers. {origin} Its weights are {source}.",
        model=bert.name,
        vocabulary=f"{bert.vocab_size:,}",
        size=f"{bert.hidden_size:,}",
        layers=bert.num_hidden_layers,
        origin=origin_of(bert.checkpoint).long,
        source=WHERE_FROM[bert.source],
    )
