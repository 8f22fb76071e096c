"""LayerNorm step by step: what it does to one number of a token, and to each token's length."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array, Exact
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import (
    LAYER_NORM_STEPS,
    STEPS,
    layer_norm_lengths,
    waterfall,
)
from bertviz_core.figures.axes import named, numbered, suffix
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, SENTENCES, TOKEN
from bertviz_core.figures.drawing import Figure, Trace, bars, draw, panel_title
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Number
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.view import View

# What the sentence names: what each step does it with, and what comes out.
NUMBERS = (
    *("token_number", "segment_number", "position_number", "mean", "deviation", "weight", "bias"),
    *("centred", "divided", "scaled", "output"),
)

# Sign and name on two lines, so that they stay upright where there is room.
ADDED = ("token", "+<br>segment", "+<br>position", "−<br>mean", "=<br>centred")
NORMALISED = ("÷<br>deviation", "×<br>weight", "+<br>bias", "=<br>output")
TOP = 0.92  # of the panels, in shares of the figure; their titles are above


def furthest_dimension(bert: Bert) -> int:
    """The dimension whose LayerNorm weight is furthest from the others."""
    weight = bert.tables.layer_norm_weight
    return int(np.abs(weight - weight.mean()).argmax())


DIMENSION = Number(
    lambda bert: f"Dimension, 0 to {bert.hidden_size - 1}",
    lambda bert: bert.hidden_size - 1,
    furthest_dimension,
    about="the one dimension",
)


@view("a token's numbers", page="Input Embeddings", rank=10)
def one_number(
    bert: Bert, typed: InputText, position: int, dim: Annotated[int | None, DIMENSION] = None
) -> View:
    """All numbers of one token, and one of them step by step: three parts, then LayerNorm."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    dimension = furthest_dimension(bert) if dim is None else dim
    steps = waterfall(bert, parts, position, dimension)
    numbers = dict(zip(NUMBERS, [*steps.operands, *steps.running[3:]], strict=True))
    return View(
        say(
            "<b>{position} {token}</b>, dimension <b>{dimension}</b>: token {token_number}, "
            "segment {segment_number} and position {position_number}, less the mean {mean}, make "
            "{centred}. Divided by the deviation {deviation} this is {divided}, times the weight "
            "{weight} it is {scaled}, and with the bias {bias} <b>{output}</b>.",
            position=position,
            token=text.tokens[position],
            dimension=dimension,
            **{name: f"{number:.3g}".replace("-", "−") for name, number in numbers.items()},
            method="layernorm-step-by-step",
        ),
        picture(
            _waterfall(steps.changes, steps.running),
            alt=f"Waterfall of token {position} in dimension {dimension}: the {len(STEPS)} "
            f"steps of the sentence above, to {steps.output:.4g}.",
            name="waterfall",
        ),
        table(steps.columns(), name="waterfall", decimals=5),
        table(
            {
                "dimension": np.arange(bert.hidden_size),
                "token": parts.word[position],
                "segment": parts.token_type[position],
                "position": parts.position[position],
                "sum": parts.summed[position],
                "after LayerNorm": parts.output[position],
            },
            name=f"token-{position}",
            decimals=4,
            fold="All numbers of this token",
        ),
        program(
            ONE_NUMBER_PROGRAM,
            bert,
            typed,
            position=position,
            dimension=dimension,
            name="waterfall",
        ),
    )


def _waterfall(changes: Exact, running: Exact) -> Figure:
    """The seven steps in two panels: LayerNorm takes the number to another order of size."""
    before = running - changes
    added = _bars(
        ADDED,
        bases=[*before[:4], 0.0],
        sizes=[*changes[:4], running[3]],
        colors=[TOKEN, SEGMENT, POSITION, MUTED, MUTED],
    )
    # Division starts the second scale anew: its bar is the number itself.
    normalised = _bars(
        NORMALISED,
        bases=[0.0, *before[5:], 0.0],
        sizes=[running[4], *changes[5:], running[6]],
        colors=[MUTED, MUTED, MUTED, OUTPUT],
    )
    right = {"xaxis": "x2", "yaxis": "y2"}
    traces = [added, normalised | right, _links(running[:4]), _links(running[4:]) | right]
    axes: dict[str, Any] = {}
    titles = []
    panels = (("the sum", 0.0, 0.46, ADDED), ("LayerNorm", 0.58, 1.0, NORMALISED))
    for number, (title, start, end, names) in enumerate(panels, start=1):
        span, own = [-0.6, len(names) - 0.4], suffix(number)
        axes[f"xaxis{own}"] = named(names, domain=[start, end], range=span, anchor=f"y{own}")
        axes[f"yaxis{own}"] = {"domain": [0, TOP], "zeroline": True, "anchor": f"x{own}"}
        titles.append(panel_title(f"<b>{title}</b>", y=TOP + 0.03, x=start))
    return draw(traces, height=400, bargap=0.3, annotations=titles, **axes)


def _bars(
    names: Sequence[str], *, bases: Sequence[float], sizes: Sequence[float], colors: list[str]
) -> Trace:
    return bars(
        np.array(sizes),
        "%{customdata}<br>%{text}",
        colors,
        base=np.array(bases),
        text=[f"{size:+.3g}".replace("-", "−") for size in sizes],
        textposition="outside",
        constraintext="none",
        cliponaxis=False,
        customdata=[name.replace("<br>", " ") for name in names],
    )


def _links(running: Exact) -> Trace:
    """Thin lines from the end of each bar to the start of the next."""
    steps = np.arange(len(running))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.stack([steps, steps + 1, steps]).T.ravel(),
        "y": np.stack([running, running, np.full(len(running), np.nan)]).T.ravel(),
        "line": {"color": MUTED, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
    }


@view("what LayerNorm does", page="Input Embeddings", rank=40)
def layer_norm(bert: Bert, typed: InputText) -> View:
    """The length of each token's vector after each step of LayerNorm."""
    text = typed.tokenize(bert)
    measured = layer_norm_lengths(bert, input_embeddings(bert, text))
    weight, bias = bert.tables.layer_norm_weight, bert.tables.layer_norm_bias
    *_, divided, scaled, output = measured.lengths
    return card(
        say(
            "LayerNorm first makes all tokens equally long: <b>{divided_length}</b>, about "
            "√{size}. The weights ({low:.2f} to {high:.2f}, median {median:.2f}) change that to "
            "{scaled_length}, and the bias ({bias_length} long) to <b>{output_length}</b>. The "
            "direction changes too: the cosine between sum and output is <b>{cosine}</b>.",
            size=bert.hidden_size,
            divided_length=f"{divided.mean():.1f}",
            low=weight.min(),
            high=weight.max(),
            median=np.median(weight),
            scaled_length=_range(scaled, ".1f"),
            bias_length=f"{np.linalg.norm(bias):.2f}",
            output_length=_range(output, ".1f"),
            cosine=_range(measured.turned, ".2f"),
            method="layernorm-step-by-step",
        ),
        name="layer-norm",
        columns={"position": text.position_ids, "token": text.tokens, **measured.columns()},
        chart=Chart(
            "curves",
            "length of the vector",
            dict(zip([f"length: {step}" for step in LAYER_NORM_STEPS], SENTENCES, strict=False)),
            names=numbered(text.tokens),
            axis={"rangemode": "tozero"},
        ),
        decimals=4,
        program=program(LENGTHS_PROGRAM, bert, typed, name="layer-norm"),
    )


def _range(values: Array, digits: str) -> str:
    low, high = format(values.min(), digits), format(values.max(), digits)
    return low if low == high else f"{low} to {high}"


ONE_NUMBER_PROGRAM = '''
"""One number of one token, from the three tables to the output of LayerNorm."""

position = ...
dimension = ...
embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
mean, deviation = mean_and_deviation(parts.sum(dim=0), norm.eps)

token, segment, place = parts[:, position, dimension]
scaled = (token + segment + place - mean[position]) / deviation[position]
numbers = {
    "token": token,
    "+ segment": token + segment,
    "+ position": token + segment + place,
    "- mean": token + segment + place - mean[position],
    "/ deviation": scaled,
    "* weight": scaled * weight[dimension],
    "+ bias": scaled * weight[dimension] + bias[dimension],
}
for name, number in numbers.items():
    print(name, round(number.item(), 6))

with torch.no_grad():
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
print("model.embeddings:", round(own[position, dimension].item(), 6))
'''


LENGTHS_PROGRAM = '''
"""The length of each token's vector after each step of LayerNorm."""

embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
summed = embedding_parts(model, inputs).double().sum(dim=0)  # float64: rounding does not show
mean, deviation = mean_and_deviation(summed, norm.eps)
centred = summed - mean
scaled = centred / deviation * weight
steps = torch.stack([summed, centred, centred / deviation, scaled, scaled + bias])

for token, lengths in zip(inputs.tokens(), steps.norm(dim=-1).T, strict=True):
    print(token, lengths.round(decimals=4).tolist())
turned = torch.cosine_similarity(summed, scaled + bias, dim=-1)
print("cosine of sum and output", turned.round(decimals=4).tolist())
'''
