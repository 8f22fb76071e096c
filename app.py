"""Home: what this is, the guided tour, every page, the model in use."""

import streamlit as st

from bertviz_core.checkpoints.origins import origin_of
from bertviz_core.ui import frame, links
from bertviz_core.ui.frame import pages
from bertviz_core.ui.models import FROM, left_aside
from bertviz_core.ui.tour.tour import tour

bert = frame.page(
    "Home",
    "See BERT's embedding layer as it is",
    "Type a sentence and look at the numbers a BERT model really uses: the rows it looks up, the "
    "tokens that live nearby, and how context moves a word. Every picture shows real weights.",
    icon=":material/home:",
)

tour(bert)

st.subheader("All pages", anchor=False)
links.cards(
    [(page.title, page.about, links.view(page.address)) for page in pages() if page.address]
)

st.subheader("The model in use", anchor=False)
name, vocabulary, dimensions, layers = st.columns([2, 1, 1, 1])
name.metric("Name", bert.name)
vocabulary.metric("Vocabulary", f"{bert.vocab_size:,}")
dimensions.metric("Hidden size", f"{bert.hidden_size:,}")
layers.metric("Layers", bert.num_hidden_layers)
st.caption(origin_of(bert.checkpoint).told)
st.caption(
    f"Its weights are {FROM[bert.source]}. Choose another model in the sidebar. {left_aside(bert)}"
)

st.subheader("Start from an example", anchor=False)
links.examples(
    "Input_Embeddings",
    "Input embeddings",
    {
        "I am Sinan": {"a": "I am Sinan"},
        "two sentences, two segments": {"a": "I am Sinan", "b": "She is Zoe"},
        "one word at three positions": {"a": "dog dog dog"},
    },
)
links.examples(
    "Nearest_Neighbors",
    "Nearest neighbors",
    {
        "king - man + woman": {"q": "king - man + woman"},
        "##ing": {"q": "##ing"},
        "python beside snake": {"q": "python", "q2": "snake"},
    },
)
links.examples(
    "Word_in_Context",
    "Word in context",
    {
        "python, pet and language": {
            "s": "I love my pet [python]\nI love coding in [python]",
            "anchors": "snake, programming",
        },
        "bank, river and money": {
            "s": "We sat on the [bank] of the river\nShe went to the [bank] for a loan",
            "anchors": "shore, money",
        },
    },
)
