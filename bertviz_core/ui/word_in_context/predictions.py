"""What a word's vector predicts, where the checkpoint holds the head for masked words."""

from typing import Any

import streamlit as st

from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.lens import Lens
from bertviz_core.contextual.predictions import Predictions
from bertviz_core.encoder.masked_words import lacking
from bertviz_core.figures.contextual.layers import lens_grid
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table, waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
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
    _finding(compared.bert.vocab_size, word, predicted, lens, layer)
    st.caption(
        "The head was trained on the last layer. What it makes of earlier layers shows how near "
        "they are to the space it reads, not what the model expects there (compare the logit lens, "
        "nostalgebraist 2020; a lens trained for each layer reads other tokens, Belrose et al. "
        "2023). The model sees the word, so a last layer that names it has guessed nothing: mark "
        "`[[MASK]]` to have a word predicted."
        + (
            f" The head was trained on the vectors of single tokens; this word has "
            f"{len(word.tokens)}, pooled into one vector."
            if len(word.tokens) > 1
            else ""
        )
    )
    drawn = [row[:DRAWN] for row in predicted.tokens]
    chart(
        lens_grid(predicted.probabilities[:, :DRAWN], drawn, word.tokens, layer=layer),
        alt=f"The {DRAWN} tokens that the vector of {word.word} predicts at each layer: "
        + "; ".join(f"layer {n}: {', '.join(row[:3])}" for n, row in enumerate(drawn))
        + ".",
        name="predictions",
    )
    columns: dict[str, Any] = {
        "layer": range(len(drawn)),
        "nearest row": [row[0] for row in lens.tokens],
        "rank of its own token": predicted.own_ranks,
        "its probability": predicted.own_probabilities,
    }
    for rank, probabilities in enumerate(predicted.probabilities.T, start=1):
        columns[f"{rank}"] = [row[rank - 1] for row in predicted.tokens]
        columns[f"probability of {rank}"] = probabilities
    table(columns, name="predictions")
    code(
        "contextual/predictions",
        compared.bert,
        word=span(word),
        pooling=compared.comparison.pooling,
        k=K,
    )


def _finding(
    vocab_size: int, word: WordInContext, predicted: Predictions, lens: Lens, layer: int
) -> None:
    same = sum(a[0] == b[0] for a, b in zip(predicted.tokens, lens.tokens, strict=True))
    finding(
        "Read by the model's own head for masked words, the vector of <b>{word}</b> at layer "
        "{layer} predicts <b>{predicted}</b> ({probability}), then {next-predicted}; {own-token} "
        "has rank <b>{predicted-rank}</b> of {vocabulary} ({own-probability}). The likeliest token "
        "is also the nearest row at {same-layers} of {layers} layers.",
        method="what-the-vector-predicts",
        word=word.word,
        layer=layer,
        predicted=predicted.tokens[layer][0],
        probability=_percent(predicted.probabilities[layer, 0]),
        vocabulary=f"{vocab_size:,}",
        layers=len(predicted.tokens),
        **{
            "next-predicted": ", ".join(predicted.tokens[layer][1:4]),
            "own-token": "its own token"
            if len(word.tokens) == 1
            else "the likeliest of its pieces",
            "predicted-rank": f"{predicted.own_ranks[layer]:,}",
            "own-probability": _percent(predicted.own_probabilities[layer]),
            "same-layers": same,
        },
    )


def _percent(probability: float) -> str:
    if probability < 0.001:
        return "below 0.1%"
    return f"{probability:.1%}" if probability < 0.1 else f"{probability:.0%}"
