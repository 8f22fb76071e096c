"""The rows of the token table that a word's vector lies near, layer by layer."""

from typing import Any

import streamlit as st

from bertviz_core.calibration import Calibration
from bertviz_core.calibration.run import SENTENCES
from bertviz_core.contextual.lens import Lens
from bertviz_core.figures.contextual.lens import lens_grid, rank_curve
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context import results as context_cache
from bertviz_core.ui.word_in_context.words import Compared, choose, span

K = 10
DRAWN = 5


def looks_like(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Show the nearest rows of the token table at every layer, and say what they cannot tell."""
    fields = slots.row("lens", 1 + (len(compared.words) > 1), align="bottom")
    with fields[0]:
        place = choose("Word to follow", compared.names[: len(compared.words)], key="target")
    with fields[-1]:
        centred = inputs.switch(
            "Centre both sides",
            key="centre",
            help="Takes away what all vectors of a layer share, and what all rows share. The "
            "layers' means come from the ruler.",
        )
    if centred and calibration is None:
        note(
            "Centring needs each layer's mean vector, which the ruler measures: start it by the "
            "button above the curves. Until then both sides stay as they are."
        )
        centred = False
    word = compared.words[place]
    with waiting("Searching the token table at every layer …", height=420):
        found = context_cache.nearest_rows(compared.bert.name, compared.asked, place, K, centred)
    _finding(word.word, word.tokens, found, layer)
    st.caption(
        "Read with care: layers are different spaces. Only layer 0 is made from rows of this "
        "table; nothing made the later ones stay comparable with it, so a far row may mean "
        "another space as well as another meaning, and the ruler of unrelated pairs does not "
        "apply. Look at which rows come first, not at how high their cosines are."
    )
    drawn = [row[:DRAWN] for row in found.tokens]
    chart(
        lens_grid(found.cosines[:, :DRAWN], drawn, word.tokens, layer=layer),
        alt=f"The {DRAWN} rows of the token table nearest to {word.word} at each layer: "
        + "; ".join(f"layer {n}: {', '.join(row[:3])}" for n, row in enumerate(drawn))
        + ".",
        name="lens",
    )
    st.text(f"Where its own row stands among {found.candidates:,}")
    ranks = found.own_ranks
    chart(
        rank_curve(ranks, found.candidates, layer=layer),
        alt=f"Rank of the word's own row by layer: {ranks[0]:,} at the input embedding, "
        f"{ranks[-1]:,} at the end, {ranks.max():,} at most.",
        name="lens-ranks",
    )
    _table(found)
    pooling, bert = compared.asked.pooling, compared.bert
    sentences = SENTENCES.name if centred else None
    code(
        lambda: filled(
            "contextual/lens", bert, word=span(word), pooling=pooling, k=K, sentences_file=sentences
        ),
        name="lens",
    )


def _finding(word: str, pieces: tuple[str, ...], found: Lens, layer: int) -> None:
    own = "its own row" if len(pieces) == 1 else "the nearest of its pieces' own rows"
    finding(
        "At layer {layer} the vector of <b>{word}</b>{centred} is nearest to the row of "
        "<b>{first}</b> (cosine {cosine}), then {second}; {own} has rank <b>{rank}</b> of {all}. "
        "It is the nearest one at {first_count} of {layers} layers.",
        layer=layer,
        word=word,
        centred=", centred," if found.centred else "",
        first=found.tokens[layer][0],
        cosine=f"{found.cosines[layer, 0]:.3f}",
        second=", ".join(found.tokens[layer][1:4]),
        own=own,
        rank=f"{found.own_ranks[layer]:,}",
        all=f"{found.candidates:,}",
        first_count=int((found.own_ranks == 1).sum()),
        layers=len(found.own_ranks),
    )


def _table(found: Lens) -> None:
    import pandas as pd

    columns: dict[str, Any] = {
        "layer": range(len(found.tokens)),
        "rank of its own row": found.own_ranks,
    }
    for rank in range(found.cosines.shape[1]):
        columns[f"{rank + 1}"] = [row[rank] for row in found.tokens]
        columns[f"cosine of {rank + 1}"] = found.cosines[:, rank]
    table(pd.DataFrame(columns), name="lens")
