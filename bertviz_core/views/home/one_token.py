"""One token of a sentence: its sum, and the nearest rows of the token table.

Each picture is a first look: the link above it leads to the page that shows it whole.
"""

from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings, input_embeddings
from bertviz_core.errors import UserInputError
from bertviz_core.figures import colors
from bertviz_core.figures.axes import label, titled, width_of
from bertviz_core.figures.drawing import Figure, draw, heatmap
from bertviz_core.figures.neighbors import neighbor_bars
from bertviz_core.figures.stack import saturation_limit
from bertviz_core.figures.template import MENU
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, chips, note, picture, program, say
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Links, Part, View

SHOWN = 32  # dimensions of the sum
NEAREST = 9
STEP = 1.55  # from one strip to the next, in strips: the sign between takes the rest
STRIP, BOTTOM = 40, 44  # pixels of a strip, and below the last one, for the axis


@view("one token", page="Home", rank=0)
def one_token(bert: Bert, sentence: str, position: int | None = None) -> View:
    """A token as the sum of three rows, and the whole words nearest to it in the token table."""
    text = tokenize(bert, sentence)
    at = text.last_word() if position is None else position
    parts, near = input_embeddings(bert, text), _nearest(bert, text.tokens[at])
    token = {} if position is None else {"token": position}
    return View(
        chips(text, selected=at, sets="token"),
        note("The text is empty: only {remain} remain.", remain=joined(text.tokens))
        if all(word is None for word in text.word_ids)
        else [],
        say(
            "<b>{token}</b> enters BERT as a sum of three rows."
            + " Nearest row of the token table: <code>{nearest}</code> ({score:.2f})." * bool(near),
            token=text.tokens[at],
            nearest=near.tokens[0] if near else "",
            score=near.scores[0] if near else 0,
            method="contribution-of-each-part",
        ),
        beside(
            [
                Links("The sum", {"Input Embeddings →": token}, page="Input_Embeddings"),
                picture(
                    _sum_strips(text, parts, at),
                    alt=f"The first {SHOWN} dimensions of {text.tokens[at]} as strips of colour: "
                    "token row plus segment row plus position row equals their sum, and the sum "
                    "after LayerNorm.",
                    name="sum",
                ),
            ],
            _near(bert, near) if near else [],
            widths=(3, 2),
        ),
        program(
            "embeddings/one_token",
            bert,
            text=sentence,
            token_at=at,
            shown=SHOWN,
            k=NEAREST,
            arrays=lambda: _arrays(text, at, parts, near),
        ),
    )


def _nearest(bert: Bert, token: str) -> Neighbors | None:
    """The whole words nearest to a token; None for a row of zeros, or where there is no word."""
    try:
        near = nearest_tokens(bert, token, NEAREST, keep="words")
    except UserInputError:
        return None
    return near if near.tokens else None


def _near(bert: Bert, near: Neighbors) -> list[Part]:
    token = near.terms[0].text
    query = {"q": token, "keep": "words"}
    return [
        Links("The nearest rows", {"Nearest Neighbors →": query}, page="Nearest_Neighbors"),
        picture(
            neighbor_bars(near.tokens, near.scores, score_name="cosine similarity"),
            alt=f"Bars of the {len(near.tokens)} rows nearest to {token} among the "
            f"{bert.vocab_size:,} rows of the token table: {', '.join(near.tokens[:3])} first.",
            name="near",
        ),
    ]


def _arrays(
    text: TokenizedText, at: int, parts: InputEmbeddings, near: Neighbors | None
) -> dict[str, Any]:
    nearest = {"nearest words": near.tokens, "cosines": near.scores} if near else {}
    return {"tokens": list(text.tokens), "token_at": np.array(at), **parts.arrays(), **nearest}


def _sum_strips(text: TokenizedText, parts: InputEmbeddings, at: int) -> Figure:
    """Rows of numbers below each other, with the signs of the sum between them."""
    segment = "AB"[int(text.token_type_ids[at])]
    rows: dict[str, tuple[str, Array, str]] = {
        "token": ("", parts.word, colors.TOKEN),
        f"segment {segment}": ("+", parts.token_type, colors.SEGMENT),
        f"position {at}": ("+", parts.position, colors.POSITION),
        "sum": ("=", parts.summed, colors.OUTPUT),
        "LayerNorm": ("→", parts.output, colors.OUTPUT),
    }
    middles = [STEP * number for number in range(len(rows))]
    last = middles[-1] + 0.5
    values = [part[at, :SHOWN] for _, part, _ in rows.values()]
    # The parts and their sum share a scale; LayerNorm stretches all to another.
    shared = max(map(saturation_limit, values[:-1]))
    limits = [shared] * (len(rows) - 1) + [saturation_limit(values[-1])]
    traces = [
        heatmap(
            row[None],
            f"{label(name)}, dimension %{{x}}: %{{z:.4f}}",
            colors.DIVERGING_SCALE,
            (-limit, limit),
            y0=middle,
            showscale=False,
            xgap=1,
            name=label(name),
        )
        for name, row, limit, middle in zip(rows, values, limits, middles, strict=True)
    ]
    names = [
        f'<span style="color:{color}">■</span> {label(name)}<br>±{limit:.2g}'
        for (name, (_, _, color)), limit in zip(rows.items(), limits, strict=True)
    ]
    signs = [
        {
            "text": f"<b>{sign}</b>",
            "x": 0.5,
            "xref": "paper",
            "y": middle - STEP / 2,
            "yanchor": "middle",
            "font": {"size": 20},
        }
        for (sign, _, _), middle in zip(rows.values(), middles, strict=True)
        if sign
    ]
    # Room by estimate: what Plotly measures takes it longer than the strips.
    estimated = {"automargin": False, "ticklabeloverflow": "allow"}
    return draw(
        traces,
        height=round(STRIP * (last + 0.5)) + MENU + BOTTOM,
        annotations=signs,
        margin={"l": width_of([name + "##" for name in rows]), "b": BOTTOM},
        xaxis=titled("dimension", range=[-0.5, len(values[0]) - 0.5], **estimated),
        yaxis={
            "range": [last, -0.5],
            "tickmode": "array",
            "tickvals": middles,
            "ticktext": names,
            "showgrid": False,
            "fixedrange": True,
            **estimated,
        },
    )
