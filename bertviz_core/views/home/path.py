"""A token's path through the layers: away from its own row, towards its sentence."""

import numpy as np

from bertviz_core.arrays import Exact, cosine
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.drawing import draw, line
from bertviz_core.shared import once
from bertviz_core.tokens import tokenize
from bertviz_core.views.declare import view
from bertviz_core.views.parts import picture, program, say
from bertviz_core.views.view import View


@once
def _cosines(encoder: Encoder, sentence: str, at: int) -> Exact:
    """Of each layer the token's cosine with its first vector, and its mean one with the others."""
    states = encoder.hidden_states(tokenize(encoder.bert, sentence))
    own, others = states[:, at], np.delete(states, at, axis=1)
    means = [
        cosine(layer, vector).mean() if len(layer) else np.nan
        for layer, vector in zip(others, own, strict=True)
    ]
    return np.array([cosine(own, own[0]), means])


@view("one token's path", page="Home", rank=0, doing="Running BERT on the sentence …")
def path(encoder: Encoder, sentence: str, position: int | None = None) -> View:
    """How far a token's vector comes from its input embedding, layer by layer."""
    bert, text = encoder.bert, tokenize(encoder.bert, sentence)
    at = text.last_word() if position is None else position
    to_start, to_others = cosines = _cosines(encoder, sentence, at)
    numbers, token = np.arange(len(to_start)), text.tokens[at]
    hover = "layer %{x}: %{y:.3f}"
    return View(
        say(
            "After layer {last} <b>{token}</b> has a cosine of <b>{start:.2f}</b> with its input "
            "embedding, and of <b>{others:.2f}</b> with the rest of its sentence "
            "({others_first:.2f} at layer 0).",
            last=bert.num_hidden_layers,
            token=token,
            start=to_start[-1],
            others=to_others[-1],
            others_first=to_others[0],
            method="what-is-left-of-the-input-embedding",
        ),
        picture(
            draw(
                [
                    line(numbers, to_start, "with its input embedding", hover, 0),
                    line(numbers, to_others, "with the rest of its sentence", hover, 1),
                ],
                height=300,
                legend=True,
                xaxis=layers(),
                yaxis=titled("cosine similarity"),
            ),
            alt=f"Two curves by layer: the cosine of {token} with its input embedding goes from 1 "
            f"to {to_start[-1]:.2f}, its mean cosine with the other tokens from "
            f"{to_others[0]:.2f} to {to_others[-1]:.2f}.",
            name="path",
        ),
        program(
            "contextual/path",
            bert,
            text=sentence,
            token_at=at,
            arrays=lambda: {"tokens": list(text.tokens), "cosines": cosines},
        ),
    )
