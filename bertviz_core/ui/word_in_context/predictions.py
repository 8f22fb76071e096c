"""What a word's vector predicts, where the checkpoint holds the head for masked words."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.lens import Lens
from bertviz_core.csv_files import Columns
from bertviz_core.encoder.masked_words import lacking
from bertviz_core.figures.contextual.layers import lens_grid
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import percent
from bertviz_core.ui.word_in_context.results import predictions

K = 10
DRAWN = 5


def what_it_predicts(compared: Compared, number: int, lens: Lens) -> None:
    """Show the likeliest tokens at every layer, beside the nearest rows of the token table.

    Args:
        compared: The words of the page, at the layer to look at.
        number: Of the word that is followed.
        lens: The nearest rows of its vectors.
    """
    st.subheader("What the vector predicts", anchor=False)
    if missing := lacking(compared.bert):
        note(
            "{model} has no head for masked words: its file lacks {missing-tensors} of the head's "
            "tensors. Checkpoints that were trained further for another task are often saved "
            "without it; in one that holds it, this section shows which tokens each layer's vector "
            "predicts.",
            model=compared.bert.name,
            **{"missing-tensors": f"{len(missing)}"},
        )
        return
    word, layer = compared.words[number], compared.layer
    with waiting("Reading every layer with the head for masked words …", height=420):
        predicted = predictions(compared.bert.name, compared.comparison, number, K, word)
    finding(
        "At layer {layer}, the vector of {word} predicts <b>{predicted}</b> ({probability}); "
        "{own-token} has rank <b>{predicted-rank}</b> of {vocabulary}.",
        method="what-the-vector-predicts",
        word=word.word,
        layer=layer,
        predicted=predicted.tokens[layer][0],
        probability=percent(predicted.probabilities[layer, 0]),
        vocabulary=f"{compared.bert.vocab_size:,}",
        **{
            "own-token": "its own token" if len(word.tokens) == 1 else "its likeliest piece",
            "predicted-rank": f"{predicted.own_ranks[layer]:,}",
        },
    )
    same = sum(a[0] == b[0] for a, b in zip(predicted.tokens, lens.tokens, strict=True))
    tokens_by_layer(
        word,
        predicted.tokens,
        predicted.probabilities,
        {
            "nearest row": [row[0] for row in lens.tokens],
            "rank of its own token": predicted.own_ranks,
            "its probability": predicted.own_probabilities,
        },
        value="probability",
        layer=layer,
        name="predictions",
        shows="tokens that the vector of {word} predicts",
    )
    caption(
        "At {same_layers} of {layers} layers the likeliest token is also the nearest row. The head "
        "belongs to the last layer: what it makes of earlier layers shows how near they are "
        "to the space it reads, not what the model expects there (compare the logit lens, "
        "nostalgebraist 2020; a lens trained for each layer reads other tokens, Belrose et al. "
        "2023). The model sees the word, so a last layer that names it has guessed nothing: mark "
        "[[MASK]] to have a word predicted."
        + (
            " The head reads single tokens; this word has {pieces}, pooled into one."
            if len(word.tokens) > 1
            else ""
        ),
        layers=len(lens.tokens),
        pieces=len(word.tokens),
        same_layers=same,
    )
    code(
        "contextual/predictions",
        compared.bert,
        word=span(word),
        pooling=compared.comparison.pooling,
        k=K,
    )


def tokens_by_layer(
    word: WordInContext,
    tokens: Sequence[Sequence[str]],
    values: Array,
    columns: Columns,
    *,
    value: str,
    layer: int,
    name: str,
    shows: str,
) -> None:
    """Draw tokens that fit a word at each layer, best first, with their table.

    Args:
        word: The word.
        tokens: k tokens for each layer, layer 0 first.
        values: (layers, k), their cosines or probabilities.
        columns: What else the table has, one entry a layer.
        value: What a value is called in the table.
        layer: The layer to frame.
        name: Of the picture and of the table's file.
        shows: What the tokens are, for those who cannot see them; `{word}` stands for the word.
    """
    drawn = [row[:DRAWN] for row in tokens]
    chart(
        lens_grid(values[:, :DRAWN], drawn, word.tokens, layer=layer),
        alt=f"The {DRAWN} {shows.format(word=word.word)} at each layer: "
        + "; ".join(f"layer {n}: {', '.join(row[:3])}" for n, row in enumerate(drawn))
        + ".",
        name=name,
    )

    def ranked() -> dict[str, Any]:
        shown: dict[str, Any] = {"layer": range(len(drawn)), **columns}
        for rank, numbers in enumerate(values.T, start=1):
            shown[f"{rank}"] = [row[rank - 1] for row in tokens]
            shown[f"{value} of {rank}"] = numbers
        return shown

    folded_table("Table", ranked, key=f"{name}-numbers", name=name)
