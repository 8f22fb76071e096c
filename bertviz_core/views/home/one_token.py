"""One token of a sentence, from the typed text to what enters the first layer, or to the last."""

from typing import Any

import numpy as np

from bertviz_core.arrays import Array, cosine
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import UNKNOWN
from bertviz_core.embeddings import InputEmbeddings, input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.shared import once
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.declare import view
from bertviz_core.views.home.story import SHOWN, story
from bertviz_core.views.parts import caption, chips, note, picture, program, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, View

NEAREST = 3


@view("one token", page="Home", rank=0)
def one_token(bert: Bert, typed: InputText, position: int | None = None) -> View:
    """How a token becomes a vector: three rows are added and brought to one scale."""
    text, at = _chosen(bert, typed, position)
    parts = input_embeddings(bert, text)
    return View(
        _chips(text, at, typed),
        say(
            "<b>{token}</b> enters BERT as a sum of three rows.",
            token=text.tokens[at],
            method="contribution-of-each-part",
        ),
        picture(
            story(bert, text, parts, at),
            alt=f"Columns of the first {SHOWN} dimensions of {text.tokens[at]}, in five steps: "
            "the token's row, plus the row of its segment, plus the row of its position, and the "
            "sum after LayerNorm.",
            name="story",
        ),
        _rows(bert, typed, text, at, parts),
    )


@view("one token through the layers", page="Home", rank=0, doing="Running BERT on the sentence …")
def through_layers(encoder: Encoder, typed: InputText, position: int | None = None) -> View:
    """The same, and how far the vector moves from its input embedding, layer by layer."""
    bert = encoder.bert
    text, at = _chosen(bert, typed, position)
    parts = input_embeddings(bert, text)
    states = _states(encoder, typed)
    own, others = states[:, at], np.delete(states, at, axis=1)
    to_start = cosine(own, own[0])
    to_others = np.array([
        cosine(layer, vector).mean() if len(layer) else np.nan
        for layer, vector in zip(others, own, strict=True)
    ])  # fmt: skip
    return View(
        _chips(text, at, typed),
        say(
            "<b>{token}</b> starts as a sum of three rows. After layer {last} its cosine with "
            "that sum is <b>{start:.2f}</b>.",
            token=text.tokens[at],
            last=bert.num_hidden_layers,
            start=to_start[-1],
            method="what-is-left-of-the-input-embedding",
        ),
        picture(
            story(
                bert,
                text,
                parts,
                at,
                own,
                {"cosine to its input": to_start, "cosine to the other tokens": to_others},
            ),
            alt=f"Columns of the first {SHOWN} dimensions of {text.tokens[at]}, from its rows "
            f"through {bert.num_hidden_layers} layers, and a curve: its cosine with its input "
            f"embedding goes from 1 to {to_start[-1]:.2f}.",
            name="story",
        ),
        _rows(bert, typed, text, at, parts),
        program(
            "contextual/path",
            bert,
            about="the path through the layers",
            text=typed.text,
            token_at=at,
            arrays=lambda: {
                "tokens": list(text.tokens),
                "cosines": np.array([to_start, to_others]),
            },
        ),
    )


@once
def _states(encoder: Encoder, typed: InputText) -> Array:
    return encoder.hidden_states(typed.tokenize(encoder.bert))


def _chosen(bert: Bert, typed: InputText, position: int | None) -> tuple[TokenizedText, int]:
    text = typed.tokenize(bert)
    return text, text.last_word() if position is None else position


def _chips(text: TokenizedText, at: int, typed: InputText) -> list[Part]:
    shown: list[Part] = [*chips(text, selected=at, sets="token")]
    if all(word is None for word in text.word_ids):
        shown.append(note("No words yet: BERT sees only {remain}.", remain=joined(text.tokens)))
    if text.tokens[at] == UNKNOWN:
        word = text.as_typed(typed, words=True)[at]
        shown.append(note("{typed} is not in the vocabulary, so BERT reads [UNK].", typed=word))
    return shown


def _rows(
    bert: Bert, typed: InputText, text: TokenizedText, at: int, parts: InputEmbeddings
) -> list[Part]:
    """The nearest rows of the token table, and what is added as numbers and as a program."""
    near = _nearest(bert, text.tokens[at])
    pairs = zip(near.tokens, near.scores, strict=True) if near else ()
    nearest = ", ".join(f"{token} ({score:.2f})" for token, score in pairs)

    def arrays() -> dict[str, Any]:
        found = {"nearest words": near.tokens, "cosines": near.scores} if near else {}
        return {"tokens": list(text.tokens), "token_at": np.array(at), **parts.arrays(), **found}

    whole = {
        "token": parts.word,
        "segment": parts.token_type,
        "position": parts.position,
        "sum": parts.summed,
        "LayerNorm": parts.output,
    }
    drawn = {name: values[at, :SHOWN] for name, values in whole.items()}
    return [
        caption("Nearest rows of the token table: {nearest}.", nearest=nearest or "none"),
        table({"dimension": range(SHOWN), **drawn}, name="one-token", decimals=4, fold="Table"),
        program(
            "embeddings/one_token",
            bert,
            text=typed.text,
            token_at=at,
            shown=SHOWN,
            k=NEAREST,
            arrays=arrays,
            about="the sum",
        ),
    ]


def _nearest(bert: Bert, token: str) -> Neighbors | None:
    """The whole words nearest to a token; None for a row of zeros, or where there is no word."""
    try:
        near = nearest_tokens(bert, token, NEAREST, keep="words")
    except UserInputError:
        return None
    return near if near.tokens else None
