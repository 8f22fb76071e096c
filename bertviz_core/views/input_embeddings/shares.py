"""Which part contributes how much to a token's vector: token, segment, position, bias."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import PartShares, part_shares
from bertviz_core.figures.axes import named, numbered
from bertviz_core.figures.colors import OUTPUT, POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, Trace, bars, draw, marks, panel_title
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.view import Text, View

# Name, colour and mark of each part; where the panels are, from below.
PARTS = (
    ("token", TOKEN, "circle"),
    ("segment", SEGMENT, "diamond"),
    ("position", POSITION, "square"),
)
PANELS = {
    "share in the output": [0.62, 0.95],
    "length": [0.33, 0.53],
    "cosine with the sum": [0.0, 0.22],
}
MOST_MARKED = 100  # tokens; a browser takes seconds for thousands of marks, a line is one shape
HOW = Text(
    "LayerNorm subtracts the mean, divides by the deviation, multiplies by its weight and adds its "
    "bias. With the deviation of a token held fixed, all but the bias is linear: *output − bias* "
    "is the sum of three vectors, one for each part, *v = weight · (part − mean of part) / "
    "deviation*. The share of a part is ⟨*v*, *output − bias*⟩ / ‖*output − bias*‖². The three "
    "shares of a token add up to 100%; one is negative where its part points against the rest. "
    "The share of the bias is ⟨*bias*, *output*⟩ / ‖*output*‖²: of the whole output, the bias "
    "included.",
    fold="How a share is computed",
)


@view("which part contributes how much?", page="Input Embeddings", rank=30)
def shares(bert: Bert, typed: InputText) -> View:
    """The share of token, segment and position embedding in each token's vector."""
    text = typed.tokenize(bert)
    measured = part_shares(bert, input_embeddings(bert, text))
    token, segment, position = measured.shares.mean(axis=1)
    furthest = int(measured.shares[2].argmax())
    return View(
        say(
            "Without LayerNorm's bias, the token embedding makes up <b>{token_share}</b> of the "
            "input embedding on average over these {tokens} tokens, the position "
            "<b>{position_share}</b> and the segment <b>{segment_share}</b>. The share of the "
            "position is largest in <b>{position} {token}</b>: {largest_share}. The bias is a "
            "fourth part, the same for every token; it makes up <b>{bias_share}</b> of the whole.",
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
            _panels(numbered(text.tokens), measured),
            alt=f"Stacked columns of {len(text)} tokens: shares of token, segment and position in "
            f"the input embedding less the bias of LayerNorm, {token:.1%}, {segment:.1%} and "
            f"{position:.1%} on average; below, the length of each part and its cosine with the "
            "sum.",
            name="shares",
        ),
        HOW,
        table(
            {"position": text.position_ids, "token": text.tokens, **measured.columns()},
            name="shares",
        ),
        program("embeddings/shares", bert, typed),
    )


def _panels(names: list[str], measured: PartShares) -> Figure:
    """Shares as stacked columns; below them lengths and cosines, over the same tokens."""
    columns = [
        bars(
            shares,
            f"%{{customdata}}<br>{part}: %{{y:.1%}}",
            color,
            name=part,
            legendgroup=part,
            customdata=names,
        )
        for (part, color, _), shares in zip(PARTS, measured.shares, strict=True)
    ]
    curves = [
        _marks(values, names, *part, axis)
        for axis, rows in (("y2", measured.norms), ("y3", measured.cosines))
        for part, values in zip(PARTS, rows, strict=True)
    ]
    summed = _marks(measured.summed_norms, names, "sum", OUTPUT, "line-ew-open", "y2")
    across, length, cosine = PANELS.values()
    return draw(
        [*columns, *curves, summed | {"showlegend": True}],
        height=640,
        legend=True,
        barmode="relative",
        bargap=0.25 if len(names) <= MOST_MARKED else 0,
        annotations=[
            panel_title(f"<b>{title}</b>", y=domain[1]) for title, domain in PANELS.items()
        ],
        xaxis=named(names, range=[-0.6, len(names) - 0.4], anchor="y3"),
        yaxis={"domain": across, "tickformat": ".0%", "zeroline": True},
        yaxis2={"domain": length, "rangemode": "tozero", "zeroline": True},
        yaxis3={"domain": cosine, "zeroline": True},
    )


def _marks(values: Array, names: list[str], name: str, color: str, symbol: str, axis: str) -> Trace:
    outline = {"width": 3 if "open" in symbol else 0, "color": color}
    return marks(
        np.arange(len(values)),
        values,
        {"color": color, "symbol": symbol, "size": 10, "line": outline},
        f"%{{customdata}}<br>{name}: %{{y:.3f}}",
        mode="markers" if len(values) <= MOST_MARKED else "lines",
        line={"color": color, "width": 1.5},
        yaxis=axis,
        name=name,
        legendgroup=name,
        showlegend=False,
        customdata=names,
    )
