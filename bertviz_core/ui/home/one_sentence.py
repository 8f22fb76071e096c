"""One sentence and what BERT does with it: tokens, a sum, near tokens, a path through the layers.

Each is a first look: the link above it leads to the page that shows it whole, with the sentence.
"""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.errors import UserInputError
from bertviz_core.figures import colors
from bertviz_core.figures.embeddings.stack import saturation_limit
from bertviz_core.figures.embeddings.sum_strips import Strip, sum_strips
from bertviz_core.figures.neighbors import neighbor_bars
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import inputs, links, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.home.path import path_through_layers
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.present import presenting
from bertviz_core.ui.show import chart, code

EXAMPLE = "I love my pet python"
SHOWN = 32  # dimensions of the sum
NEAREST = 9


@fragment
def one_sentence(bert: Bert) -> None:
    """Ask for a sentence, and show what becomes of it and of one of its tokens."""
    with slots.panel("sentence", "a"):
        typed = InputText(inputs.sentence("Your sentence", EXAMPLE, key="a", live=True))
        text = typed.tokenize(bert)
        with slots.options("sentence", beside=_examples):
            position = inputs.token_position(typed, text)
    token_chips(text, selected=[position], on_tap=inputs.look_at)
    if all(word is None for word in text.word_ids):
        note("The text is empty: only {remain} remain.", remain=joined(text.tokens))
    near = _nearest(bert, text.tokens[position])
    finding(
        "<b>{token}</b> enters BERT as a sum of three rows."
        + " Nearest row of the token table: <code>{nearest}</code> ({score})." * bool(near),
        token=text.tokens[position],
        nearest=near.tokens[0] if near else "",
        score=f"{near.scores[0]:.2f}" if near else "",
        method="parts-of-the-input-embedding",
    )
    left, right = slots.row("first-looks", [3, 2], gap="medium")
    with left:
        _sum(bert, text, position)
    with right:
        if near:
            _near(bert, near)
    path_through_layers(bert, typed, text, position)
    code(
        "embeddings/one_token",
        bert,
        text=typed.text,
        token_at=position,
        shown=SHOWN,
        k=NEAREST,
        arrays=lambda: _arrays(bert, text, position, near),
    )


def _examples() -> None:
    links.examples(
        "",
        {
            "dog dog dog": {"a": "dog dog dog"},
            "awesomesauce": {"a": "Sinan loves awesomesauce"},
            "river bank": {"a": "We sat on the bank of the river"},
        },
    )


def _sum(bert: Bert, text: TokenizedText, position: int) -> None:
    _tile("The sum", {"Input Embeddings →": _page("Input_Embeddings"), "Tokens →": _page("Tokens")})
    parts = input_embeddings(bert, text)
    rows = [
        ("token", "", parts.word, colors.TOKEN),
        (
            f"segment {'AB'[int(text.token_type_ids[position])]}",
            "+",
            parts.token_type,
            colors.SEGMENT,
        ),
        (f"position {position}", "+", parts.position, colors.POSITION),
        ("sum", "=", parts.summed, colors.OUTPUT),
        ("LayerNorm", "→", parts.output, colors.OUTPUT),
    ]
    values = [part[position, :SHOWN] for _, _, part, _ in rows]
    # The parts and their sum share a scale; LayerNorm stretches all to another.
    shared = max(map(saturation_limit, values[:-1]))
    limits = [shared] * (len(rows) - 1) + [saturation_limit(values[-1])]
    chart(
        sum_strips(
            [
                Strip(name, sign, row, limit, color)
                for (name, sign, _, color), row, limit in zip(rows, values, limits, strict=True)
            ]
        ),
        alt=f"The first {len(values[0])} dimensions of {text.tokens[position]} as strips of "
        "colour: token row plus segment row plus position row equals their sum, and the sum "
        "after LayerNorm.",
        name="sum",
    )


def _nearest(bert: Bert, token: str) -> Neighbors | None:
    """The whole words nearest to a token; None for a row of zeros, or where there is no word."""
    try:
        near = nearest_tokens(bert, token, NEAREST, keep="words")
    except UserInputError:
        return None
    return near if near.tokens else None


def _arrays(
    bert: Bert, text: TokenizedText, position: int, near: Neighbors | None
) -> dict[str, Any]:
    return {
        "tokens": list(text.tokens),
        "token_at": np.array(position),
        **input_embeddings(bert, text).arrays(),
        **({"nearest words": near.tokens, "cosines": near.scores} if near else {}),
    }


def _near(bert: Bert, near: Neighbors) -> None:
    token = near.terms[0].text
    view = links.view("Nearest_Neighbors", q=token, keep="words")
    _tile("The nearest rows", {"Nearest Neighbors →": view})
    chart(
        neighbor_bars(near.tokens, near.scores, score_name="cosine similarity"),
        alt=f"Bars of the {len(near.tokens)} rows nearest to {token} among the "
        f"{bert.vocab_size:,} rows of the token table: {', '.join(near.tokens[:3])} first.",
        name="near",
    )


def _page(address: str) -> str:
    chosen = st.session_state.get(inputs.TOKEN)
    return links.view(address, **({} if chosen is None else {inputs.TOKEN: int(chosen)}))


def _tile(title: str, addresses: dict[str, str]) -> None:
    """Head a first look, with the way to its page; on a projector the picture stands alone."""
    if not presenting():
        links.row(title, addresses)
