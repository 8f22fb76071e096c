"""Whether token and position can be told apart again from the sum, and the angles of the tables."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.apart import (
    SAMPLE,
    Angles,
    ToldApart,
    nearest_rows,
    table_angles,
    told_apart,
)
from bertviz_core.figures.axes import numbered
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, TOKEN
from bertviz_core.figures.curves import Curve, curves_over
from bertviz_core.shared import once
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.declare import view
from bertviz_core.views.input_embeddings.shares import columns
from bertviz_core.views.input_embeddings.survives import shipped_sentences
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.view import Sentence, View

METHOD = "telling-the-parts-apart"
Pairs = dict[tuple[str, str], Angles]


@once
def _shipped(bert: Bert) -> tuple[ToldApart, Pairs]:
    texts = [tokenize(bert, sentence) for sentence in shipped_sentences()]
    return told_apart(bert, texts), table_angles(bert)


@view(
    "can they be told apart again?",
    page="Input Embeddings",
    rank=32,
    doing="Searching all rows for the sum of each token, once …",
)
def apart(bert: Bert, typed: InputText) -> View:
    """How often the sum alone gives back token and position, and the angles between the tables."""
    text, tables = typed.tokenize(bert), bert.tables
    summed, held = input_embeddings(bert, text).summed, bert.vocabulary.tokens
    token, next_token, token_ids = nearest_rows(summed, tables.word_embeddings, text.input_ids)
    at, next_at, positions = nearest_rows(summed, tables.position_embeddings, text.position_ids)
    shipped, pairs = _shipped(bert)
    found = pairs["token", "position"]
    random = found.random.mean(axis=0)
    return View(
        _finding(bert, shipped, found),
        beside(
            [
                caption(
                    "In your text {tokens_found} of {count} tokens and {positions_found} positions "
                    "are recovered: there the bar, cosine with the own row less the highest with "
                    "another, is above 0.",
                    tokens_found=int((token > next_token).sum()),
                    positions_found=int((at > next_at).sum()),
                    count=len(text),
                ),
                picture(
                    columns(
                        numbered(text.tokens),
                        {"token": token - next_token, "position": at - next_at},
                        (TOKEN, POSITION),
                        "lead of the right row",
                        form=".3~f",
                        stacked=False,
                    ),
                    alt=f"Bars of the lead of the right row for {len(text)} tokens: in the token "
                    f"table {min(token - next_token):.2f} or more, in the position table "
                    f"{min(at - next_at):.2f} or more.",
                    name="apart",
                ),
            ],
            [
                caption("Angles of the {count} main directions of two tables", count=len(random)),
                picture(
                    curves_over(
                        [
                            Curve("token and position table", found.own, OUTPUT),
                            Curve("random directions", random, MUTED, "dash"),
                        ],
                        across="angle, from the smallest",
                        up="degrees; 90 shares nothing",
                        first=1,
                        height=360,
                    ),
                    alt=f"Angles between the tables, {found.own[0]:.0f} to {found.own[-1]:.0f} "
                    f"degrees, above those of random directions, {random[0]:.0f} to "
                    f"{random[-1]:.0f}.",
                    name="angles",
                    typed=False,
                ),
            ],
            widths=(5, 3),
        ),
        table(
            {
                "position": text.position_ids,
                "token": text.tokens,
                "cosine with its token row": token,
                "nearest other token": [held[number] for number in token_ids],
                "its cosine": next_token,
                "cosine with its position row": at,
                "nearest other position": positions,
                "cosine of that": next_at,
            },
            name="apart",
            fold="Table of your text",
        ),
        table(
            {
                "tables": [f"{a}, {b}" for (a, b), one in pairs.items() for _ in one.own],
                "angle in °": np.concatenate([one.own for one in pairs.values()]),
                "random": np.concatenate([one.random.mean(axis=0) for one in pairs.values()]),
            },
            name="angles",
            fold="Table of all angles, with the segment table",
        ),
        program("apart/apart", bert, typed, sentences=shipped_sentences()),
    )


def _finding(bert: Bert, shipped: ToldApart, found: Angles) -> list[Sentence]:
    """How often the nearest row is right, also in random tables; whether the tables keep apart."""
    random = found.random.mean(axis=1)  # of each draw
    return [
        say(
            "The sum alone gives back the token for <b>{token}</b> and the position for "
            "<b>{position}</b> of {tokens} tokens in the project's sentences, as the nearest row "
            "of each table. "
            + (
                "Random tables of this shape do as well: {size} dimensions have room for all rows."
                if min(*shipped.sums, *shipped.random) > 0.99
                else "With random tables of this shape it is {random_token} and {random_position}."
            ),
            method=METHOD,
            tokens=f"{shipped.tokens:,}",
            token=f"{shipped.sums[0]:.1%}",
            position=f"{shipped.sums[1]:.1%}",
            random_token=f"{shipped.random[0]:.1%}",
            random_position=f"{shipped.random[1]:.1%}",
            size=bert.hidden_size,
        ),
        say(
            "Token and position table lie <b>{angle}°</b> apart on average, random directions "
            "{random}°: "
            + ("more" if found.own.mean() > random.max() else "not more")
            + " than by chance. After LayerNorm the nearest row is the right token for "
            "{token_normed} and the right position for {position_normed} ({sample} tokens).",
            method=METHOD,
            angle=f"{found.own.mean():.1f}",
            random=f"{random.mean():.1f}",
            token_normed=f"{shipped.normed[0]:.1%}",
            position_normed=f"{shipped.normed[1]:.1%}",
            sample=f"{SAMPLE:,}",
        ),
    ]
