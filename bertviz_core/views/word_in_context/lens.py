"""What a word's vector looks like at each layer: the nearest token rows, and what it predicts."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.lens import (
    Lens,
    Predictions,
    nearest_rows_by_layer,
    predictions_by_layer,
)
from bertviz_core.csv_files import Columns
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.masked_words import lacking
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.figures.axes import label, layers, titled
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import Figure, draw, frame, heatmap
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, heading, note, picture, program, say, table
from bertviz_core.views.sentences import rounded, share
from bertviz_core.views.view import Part, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Comparison, compared

K = 10
DRAWN = 5


def _own(word: WordInContext) -> list[int]:
    """Token ids of a word's pieces."""
    ids: list[int] = word.text.input_ids[list(word.token_positions)].tolist()
    return ids


@once
def _nearest_rows(encoder: Encoder, comparison: Comparison, number: int) -> Lens:
    word = compared(encoder, comparison).words[number]
    return nearest_rows_by_layer(encoder.bert, word.vectors, _own(word), K)


@once
def _predictions(encoder: Encoder, comparison: Comparison, number: int) -> Predictions:
    word = compared(encoder, comparison).words[number]
    return predictions_by_layer(encoder.bert, word.vectors, _own(word), K)


@view("what does it look like now?", page=PAGE, rank=20, doing="Searching at every layer …")
def lens(
    encoder: Encoder, comparison: Comparison, layer: int, target: Annotated[str, TARGET] = ""
) -> View:
    """The rows of the token table nearest to a word's vector, and the tokens that it predicts."""
    number = comparison.followed(target)
    found = _nearest_rows(encoder, comparison, number)
    word, ranks = compared(encoder, comparison).words[number], found.own_ranks
    return View(
        say(
            "At layer {layer}, {word} is nearest to the row of <b>{nearest}</b> "
            "({cosine}); {own} has rank <b>{rank}</b> of {candidates}.",
            method="rows-nearest-to-a-vector",
            layer=layer,
            word=word.word,
            nearest=found.tokens[layer][0],
            cosine=rounded(float(found.cosines[layer, 0])),
            own="its own row" if len(word.tokens) == 1 else "the nearest row of its pieces",
            rank=f"{ranks[layer]:,}",
            candidates=f"{found.candidates:,}",
        ),
        _tokens_by_layer(
            word,
            found.tokens,
            found.cosines,
            {"rank of its own row": ranks},
            value="cosine",
            layer=layer,
            name="lens",
            shows=f"rows of the token table nearest to {word.word}",
        ),
        caption(origin_of(encoder.bert.checkpoint).upper),
        caption(
            "Its own row is the nearest one at {first_count} of {layers} layers, and has rank "
            "{worst} at worst; the table has all ranks. Read with care: "
            "layers are different spaces. Only layer 0 is made from rows of this table; later "
            "layers need not stay comparable with it, so a far row may mean another space as well "
            "as another meaning, and percentiles do not apply. Look at which rows come first, not "
            "at how high their cosines are.",
            first_count=(ranks == 1).sum(),
            layers=len(ranks),
            worst=f"{ranks.max():,}",
        ),
        program("contextual/lens", encoder.bert, word=word.span, pooling=comparison.pooling, k=K),
        _predicted(encoder, comparison, number, found, layer),
        made=comparison.made(layer),
    )


def _predicted(
    encoder: Encoder, comparison: Comparison, number: int, found: Lens, layer: int
) -> list[Part]:
    """The likeliest tokens at every layer, if the checkpoint holds the head for masked words."""
    bert = encoder.bert
    if missing := lacking(bert):
        return [
            caption(
                "The vector's prediction is not shown: the file of {model} lacks "
                "{missing_tensors} weights that predict masked words.",
                model=bert.name,
                missing_tensors=len(missing),
            )
        ]
    word = compared(encoder, comparison).words[number]
    try:
        predicted = _predictions(encoder, comparison, number)
    except ModelUnavailableError as error:  # a damaged head; what is above it stays
        return [heading("What the vector predicts"), note("{problem}", problem=error)]
    return [
        heading("What the vector predicts"),
        say(
            "At layer {layer}, the vector of {word} predicts <b>{predicted}</b> ({probability}); "
            "{own_token} has rank <b>{predicted_rank}</b> of {vocabulary}.",
            method="what-the-vector-predicts",
            word=word.word,
            layer=layer,
            predicted=predicted.tokens[layer][0],
            probability=share(float(predicted.probabilities[layer, 0])),
            vocabulary=f"{bert.vocab_size:,}",
            own_token="its own token" if len(word.tokens) == 1 else "its likeliest piece",
            predicted_rank=f"{predicted.own_ranks[layer]:,}",
        ),
        *_tokens_by_layer(
            word,
            predicted.tokens,
            predicted.probabilities,
            {
                "nearest row": [row[0] for row in found.tokens],
                "rank of its own token": predicted.own_ranks,
                "its probability": predicted.own_probabilities,
            },
            value="probability",
            layer=layer,
            name="predictions",
            shows=f"tokens that the vector of {word.word} predicts",
        ),
        caption(
            "The head belongs to the last layer: what it makes of earlier layers shows how near "
            "they are to the space it reads, not what the model expects there (compare the logit "
            "lens, nostalgebraist 2020; a lens trained for each layer reads other tokens, Belrose "
            "et al. 2023). The model sees the word, so a last layer that names it has guessed "
            "nothing: mark [[MASK]] to have a word predicted."
            + " The head reads single tokens; this word has {pieces}, pooled into one."
            * (len(word.tokens) > 1),
            pieces=len(word.tokens),
        ),
        program("contextual/predictions", bert, word=word.span, pooling=comparison.pooling, k=K),
    ]


def _tokens_by_layer(
    word: WordInContext,
    tokens: Sequence[Sequence[str]],
    values: Array,
    columns: Columns,
    *,
    value: str,
    layer: int,
    name: str,
    shows: str,
) -> list[Part]:
    """Tokens that fit a word at each layer, best first, with their cosines or probabilities."""
    drawn = [row[:DRAWN] for row in tokens]

    def ranked() -> dict[str, Any]:
        shown: dict[str, Any] = {"layer": range(len(drawn)), **columns}
        for rank, numbers in enumerate(values.T, start=1):
            shown[f"{rank}"] = [row[rank - 1] for row in tokens]
            shown[f"{value} of {rank}"] = numbers
        return shown

    return [
        picture(
            _grid(values[:, :DRAWN], drawn, word.tokens, layer),
            alt=f"The {DRAWN} {shows} at each layer: "
            + "; ".join(f"layer {n}: {', '.join(row[:3])}" for n, row in enumerate(drawn))
            + ".",
            name=name,
        ),
        table(ranked, name=name, fold="Table"),
    ]


def _grid(values: Array, tokens: Sequence[Sequence[str]], own: Sequence[str], layer: int) -> Figure:
    """One row of tokens a layer, best first, layer 0 at the bottom; the word's own are bold."""
    cells = heatmap(
        values,
        "layer %{y}, rank %{x}<br>%{customdata}<br>%{z:.3f}",
        SIMILARITY,
        x=np.arange(1, values.shape[1] + 1),
        text=[
            [f"<b>{label(token, 9)}</b>" if token in own else label(token, 9) for token in row]
            for row in tokens
        ],
        texttemplate="%{text}",
        textfont={"size": 12},  # Plotly would count the letters of <b> to choose one
        customdata=[[label(token) for token in row] for row in tokens],
        xgap=1,
        ygap=1,
    )
    return draw(
        [cells],
        height=30 * len(values) + 110,
        shapes=[frame((1, values.shape[1]), (layer, layer))],
        xaxis=titled("rank", dtick=1),
        yaxis=layers("layer", showgrid=False),
    )
