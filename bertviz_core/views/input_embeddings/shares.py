"""Which part contributes how much to a token's vector: token, segment, position, bias."""

from collections.abc import Mapping, Sequence
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import PART_NAMES, part_shares
from bertviz_core.figures.axes import named, numbered, titled
from bertviz_core.figures.colors import POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.view import View

MOST_APART = 100  # columns with room between them


@view("which part contributes how much?", page="Input Embeddings", rank=30)
def shares(bert: Bert, typed: InputText) -> View:
    """The share of token, segment and position embedding in each token's vector."""
    text = typed.tokenize(bert)
    measured = part_shares(bert, input_embeddings(bert, text))
    token, segment, position = measured.shares.mean(axis=1)
    furthest = int(measured.shares[2].argmax())
    return View(
        say(
            "The position is <b>{largest_share}</b> of <b>{position} {token}</b>, its largest "
            "share. On average over these {tokens} tokens: token <b>{token_share}</b>, position "
            "<b>{position_share}</b>, segment <b>{segment_share}</b>. LayerNorm's bias, the same "
            "for all, is left out; it is <b>{bias_share}</b> of the whole.",
            tokens=len(text),
            token_share=f"{token:.0%}",
            segment_share=f"{segment:.0%}",
            position_share=f"{position:.0%}",
            position=furthest,
            token=text.tokens[furthest],
            largest_share=f"{measured.shares[2, furthest]:.0%}",
            bias_share=f"{measured.bias_shares.mean():.0%}",
            method="contribution-of-each-part",
        ),
        picture(
            columns(
                numbered(text.tokens),
                dict(zip(PART_NAMES, measured.shares, strict=True)),
                (TOKEN, SEGMENT, POSITION),
                "share in the output",
            ),
            alt=f"Stacked columns of {len(text)} tokens: shares of token, segment and position in "
            "the input embedding.",
            name="shares",
        ),
        table(
            {"position": text.position_ids, "token": text.tokens, **measured.columns()},
            name="shares",
            fold="Table, with the length of each part and its cosine with the sum",
        ),
        program("embeddings/shares", bert, typed),
    )


def columns(
    names: list[str],
    series: Mapping[str, Any],
    colors: Sequence[str],
    title: str,
    *,
    form: str = ".1~%",
    stacked: bool = True,
) -> Figure:
    """Columns of several numbers each, stacked or side by side; `form` is how they are written."""
    drawn = [
        bars(
            values, f"%{{customdata}}<br>{name}: %{{y:{form}}}", color, name=name, customdata=names
        )
        for (name, values), color in zip(series.items(), colors, strict=True)
    ]
    return draw(
        drawn,
        height=360,
        legend=True,
        barmode="relative" if stacked else "group",
        bargap=0.25 if len(names) <= MOST_APART else 0,
        xaxis=named(names, range=[-0.6, len(names) - 0.4]),
        yaxis=titled(title, tickformat=form, zeroline=True),
    )
