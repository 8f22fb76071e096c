"""The rows of the token table that a word's vector lies near, layer by layer."""

from typing import Any

import streamlit as st

from bertviz_core.calibration.run import SENTENCES
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.lens import Lens
from bertviz_core.figures.contextual.layers import lens_grid, rank_curve
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.models import trained_for
from bertviz_core.ui.show import chart, code, table, waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.predictions import what_it_predicts
from bertviz_core.ui.word_in_context.results import nearest_rows
from bertviz_core.ui.word_in_context.words import choose_word

K = 10
DRAWN = 5


def looks_like(compared: Compared) -> None:
    """Show the nearest rows of the token table at every layer, and say what they cannot tell."""
    fields = slots.row("lens", 1 + (len(compared.words) > 1), align="bottom")
    with fields[0]:
        number = choose_word(compared)
    with fields[-1]:
        centred = inputs.switch(
            "Centre both sides",
            key="centre",
            help="Takes away what all vectors of a layer share, and what all rows share. The "
            "layers' means are measured together with the percentile scale.",
        )
    if centred and compared.calibration is None:
        note(
            "Centring needs each layer's mean vector, which is measured together with the "
            "percentile scale: start it by the button above the curves. Until then both sides "
            "stay as they are."
        )
        centred = False
    word, layer = compared.words[number], compared.layer
    with waiting("Searching the token table at every layer …", height=420):
        lens = nearest_rows(compared.bert.name, compared.comparison, number, K, centred, word)
    _finding(word, lens, layer)
    trained_for(compared.bert)
    st.caption(
        "Read with care: layers are different spaces. Only layer 0 is made from rows of this "
        "table; nothing made the later ones stay comparable with it, so a far row may mean "
        "another space as well as another meaning, and percentiles among unrelated pairs do not "
        "apply. Look at which rows come first, not at how high their cosines are."
    )
    drawn = [row[:DRAWN] for row in lens.tokens]
    chart(
        lens_grid(lens.cosines[:, :DRAWN], drawn, word.tokens, layer=layer),
        alt=f"The {DRAWN} rows of the token table nearest to {word.word} at each layer: "
        + "; ".join(f"layer {n}: {', '.join(row[:3])}" for n, row in enumerate(drawn))
        + ".",
        name="lens",
    )
    st.text(f"Where its own row stands among {lens.candidates:,}")
    ranks = lens.own_ranks
    chart(
        rank_curve(ranks, lens.candidates, layer=layer),
        alt=f"Rank of the word's own row by layer: {ranks[0]:,} at the input embedding, "
        f"{ranks[-1]:,} at the end, {ranks.max():,} at most.",
        name="lens-ranks",
    )
    columns: dict[str, Any] = {"layer": range(len(ranks)), "rank of its own row": ranks}
    for rank, cosines in enumerate(lens.cosines.T, start=1):
        columns[f"{rank}"] = [row[rank - 1] for row in lens.tokens]
        columns[f"cosine of {rank}"] = cosines
    table(columns, name="lens")
    code(
        "contextual/lens",
        compared.bert,
        word=span(word),
        pooling=compared.comparison.pooling,
        k=K,
        sentences_file=SENTENCES.name if centred else None,
    )
    with slots.part("predictions"):
        what_it_predicts(compared, number, lens)


def _finding(word: WordInContext, lens: Lens, layer: int) -> None:
    one_piece = len(word.tokens) == 1
    finding(
        "At layer {layer} the vector of <b>{word}</b>{centred} is nearest to the row of "
        "<b>{nearest}</b> (cosine {cosine}), then {next}; {own} has rank <b>{rank}</b> of "
        "{candidates}. It is the nearest one at {first_count} of {layers} layers.",
        method="rows-nearest-to-a-vector",
        layer=layer,
        word=word.word,
        centred=", centred," if lens.centred else "",
        nearest=lens.tokens[layer][0],
        cosine=f"{lens.cosines[layer, 0]:.3f}",
        next=", ".join(lens.tokens[layer][1:4]),
        own="its own row" if one_piece else "the nearest of its pieces' own rows",
        rank=f"{lens.own_ranks[layer]:,}",
        candidates=f"{lens.candidates:,}",
        first_count=int((lens.own_ranks == 1).sum()),
        layers=len(lens.own_ranks),
    )
