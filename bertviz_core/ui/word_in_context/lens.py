"""The rows of the token table that a word's vector lies near, layer by layer."""

import streamlit as st

from bertviz_core.calibration import calibration_sentences
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.lens import Lens
from bertviz_core.figures.contextual.layers import rank_curve
from bertviz_core.ui import slots
from bertviz_core.ui.html import caption, finding
from bertviz_core.ui.models import trained_for
from bertviz_core.ui.show import chart, code
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import rounded
from bertviz_core.ui.word_in_context.predictions import tokens_by_layer, what_it_predicts
from bertviz_core.ui.word_in_context.results import nearest_rows
from bertviz_core.ui.word_in_context.words import choose_word_and_centring

K = 10


def nearest_rows_by_layer(compared: Compared) -> None:
    """Show the nearest rows of the token table at every layer, and say what they cannot tell."""
    number, centred = choose_word_and_centring(
        compared,
        "lens",
        "Centre both sides",
        help="Takes away what all vectors of a layer share, and what all rows share.",
        until_then="both sides stay as they are",
    )
    word, layer = compared.words[number], compared.layer
    with waiting("Searching the token table at every layer …", height=420):
        lens = nearest_rows(compared.bert.name, compared.comparison, number, K, centred, word)
    _finding(word, lens, layer)
    ranks = lens.own_ranks
    tokens_by_layer(
        word,
        lens.tokens,
        lens.cosines,
        {"rank of its own row": ranks},
        value="cosine",
        layer=layer,
        name="lens",
        shows="rows of the token table nearest to {word}",
    )
    trained_for(compared.bert)
    caption(
        "Its own row is the nearest one at {first_count} of {layers} layers. Read with care: "
        "layers are different spaces. Only layer 0 is made from rows of this table; later layers "
        "need not stay comparable with it, so a far row may mean another space as well as another "
        "meaning, and percentiles do not apply. Look at which rows come first, not at how high "
        "their cosines are.",
        first_count=(ranks == 1).sum(),
        layers=len(ranks),
    )
    st.text(f"Where its own row stands among {lens.candidates:,}")
    chart(
        rank_curve(ranks, lens.candidates, layer=layer),
        alt=f"Rank of the word's own row by layer: {ranks[0]:,} at the input embedding, "
        f"{ranks[-1]:,} at the end, {ranks.max():,} at most.",
        name="lens-ranks",
    )
    code(
        "contextual/lens",
        compared.bert,
        word=span(word),
        pooling=compared.comparison.pooling,
        k=K,
        sentences=list(calibration_sentences()) if centred else None,
    )
    with slots.part("predictions"):
        what_it_predicts(compared, number, lens)


def _finding(word: WordInContext, lens: Lens, layer: int) -> None:
    finding(
        "At layer {layer}, {word}{centred} is nearest to the row of <b>{nearest}</b> ({cosine}); "
        "{own} has rank <b>{rank}</b> of {candidates}.",
        method="rows-nearest-to-a-vector",
        layer=layer,
        word=word.word,
        centred=", centred," if lens.centred else "",
        nearest=lens.tokens[layer][0],
        cosine=rounded(float(lens.cosines[layer, 0])),
        own="its own row" if len(word.tokens) == 1 else "the nearest row of its pieces",
        rank=f"{lens.own_ranks[layer]:,}",
        candidates=f"{lens.candidates:,}",
    )
