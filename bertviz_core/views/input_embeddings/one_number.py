"""One token's numbers, and how one of them comes about, step by step."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import PART_NAMES, STEPS, waterfall
from bertviz_core.figures.embeddings.waterfall import contributions_figure, waterfall_figure
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Number
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.view import View

# What the sentence names: what each step does it with, and what comes out.
NUMBERS = (
    *("token_number", "segment_number", "position_number", "mean", "deviation", "weight", "bias"),
    *("centred", "divided", "scaled", "output"),
)


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
    bert: Bert,
    typed: InputText,
    position: int,
    dim: Annotated[int | None, DIMENSION] = None,
) -> View:
    """All numbers of one token, and one of them step by step: three parts, then LayerNorm."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    dimension = furthest_dimension(bert) if dim is None else dim
    steps = waterfall(bert, parts, position, dimension)
    own, drawn = steps.contributions, float(parts.output[position, dimension])
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
        beside(
            [
                caption("As it is computed; the sum and LayerNorm each on a scale of its own"),
                picture(
                    waterfall_figure(steps.changes, steps.running),
                    alt=f"Waterfall of token {position} in dimension {dimension}: "
                    + ", ".join(
                        f"{step} to {value:.4g}"
                        for step, value in zip(STEPS, steps.running, strict=True)
                    )
                    + ".",
                    name="waterfall",
                ),
            ],
            [
                caption("The same number as a sum of four: three parts and the bias"),
                picture(
                    contributions_figure(own),
                    alt=f"Waterfall of the output {steps.output:.4g}: token {own[0]:.4g}, segment "
                    f"{own[1]:.4g}, position {own[2]:.4g}, bias {own[3]:.4g}.",
                    name="contributions",
                ),
            ],
            widths=(5, 3),
        ),
        caption(
            "Computed in double precision, the steps add up exactly. The heatmap above holds "
            "{drawn}, rounded to single precision: {away} away.",
            drawn=f"{drawn:.7g}",
            away=f"{abs(drawn - steps.output):.0e}",
        ),
        table(steps.columns(), name="waterfall", decimals=5),
        table(
            {"part": [*PART_NAMES, "bias", "output"], "brings": [*own, steps.output]},
            name="contributions",
            decimals=5,
        ),
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
        program("embeddings/waterfall", bert, typed, position=position, dimension=dimension),
    )
