"""What LayerNorm does to the length and the direction of the sum."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import LAYER_NORM_STEPS, layer_norm_lengths
from bertviz_core.figures.axes import named, numbered, titled
from bertviz_core.figures.drawing import Figure, draw, line
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.view import View

MOST_MARKED = 100  # tokens with a mark on each curve


@view("what LayerNorm does", page="Input Embeddings", rank=40)
def layer_norm(bert: Bert, typed: InputText) -> View:
    """The length of each token's vector after each step of LayerNorm."""
    text = typed.tokenize(bert)
    measured = layer_norm_lengths(bert, input_embeddings(bert, text))
    weight, bias = bert.tables.layer_norm_weight, bert.tables.layer_norm_bias
    summed, _, divided, scaled, output = measured.lengths
    return View(
        say(
            "Divided by its deviation, a token has the length <b>{divided_length}</b> on average: "
            "√{size}, but for the epsilon in the deviation. The weights ({low} to {high}, median "
            "{median}) bring that to {scaled_length}; the bias, itself {bias_length} long, to "
            "<b>{output_length}</b>. Over all steps the direction turns: the cosine between sum "
            "and output is <b>{cosine}</b>.",
            size=bert.hidden_size,
            divided_length=f"{divided.mean():.1f}",
            low=f"{weight.min():.2f}",
            high=f"{weight.max():.2f}",
            median=f"{np.median(weight):.2f}",
            scaled_length=_range(scaled, ".1f"),
            bias_length=f"{np.linalg.norm(bias):.2f}",
            output_length=_range(output, ".1f"),
            cosine=_range(measured.turned, ".2f"),
            method="layernorm-step-by-step",
        ),
        picture(
            _curves(text, measured.lengths),
            alt="Length of each token's vector after each step of LayerNorm: "
            f"{_range(summed, '.2f')} before, {divided.mean():.1f} after dividing, "
            f"{_range(scaled, '.2f')} after the weight, {_range(output, '.2f')} at the end.",
            name="layer-norm",
        ),
        table(
            {"position": text.position_ids, "token": text.tokens, **measured.columns()},
            name="layer-norm",
            decimals=4,
        ),
        program("embeddings/layer_norm", bert, typed, name="layer-norm"),
    )


def _curves(text: TokenizedText, lengths: Array) -> Figure:
    """One curve a step, over the tokens of the text."""
    names = numbered(text.tokens)
    mode = "lines+markers" if len(names) <= MOST_MARKED else "lines"
    hover = "%{customdata}<br>%{y:.3f}"
    curves = [
        line(text.position_ids, values, step, hover, number, mode=mode, customdata=names)
        for number, (step, values) in enumerate(zip(LAYER_NORM_STEPS, lengths, strict=True))
    ]
    return draw(
        curves,
        height=380,
        legend=True,
        xaxis=named(names),
        yaxis=titled("length of the vector", rangemode="tozero"),
    )


def _range(values: Array, digits: str) -> str:
    low, high = format(values.min(), digits), format(values.max(), digits)
    return low if low == high else f"{low} to {high}"
