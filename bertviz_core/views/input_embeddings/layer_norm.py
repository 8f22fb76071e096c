"""From the three rows to the output of LayerNorm: one number step by step, and all lengths."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import STEPS, layer_norm_walk
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Number
from bertviz_core.views.parts import caption, program, say, table
from bertviz_core.views.view import View

# What the sentence names: what each step does it with, and what comes out.
NUMBERS = (
    *("token_number", "segment_number", "position_number", "mean", "deviation", "weight", "bias"),
    *("centred", "divided", "scaled", "output"),
)
STEP_COLORS = (TOKEN, SEGMENT, POSITION, MUTED, MUTED, MUTED, OUTPUT)


def furthest_dimension(bert: Bert) -> int:
    """The dimension whose LayerNorm weight is furthest from the others."""
    weight = bert.tables.layer_norm_weight
    return int(np.abs(weight - weight.mean()).argmax())


DIMENSION = Number(
    lambda page: f"Dimension, 0 to {page['bert'].hidden_size - 1}",
    lambda page: page["bert"].hidden_size - 1,
    lambda page: furthest_dimension(page["bert"]),
    about="the dimension whose number is followed",
)


@view("what LayerNorm does", page="Input Embeddings", rank=10)
def layer_norm(
    bert: Bert, typed: InputText, position: int, dim: Annotated[int | None, DIMENSION] = None
) -> View:
    """One number of a token step by step, and the length of every token's vector."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    dimension = furthest_dimension(bert) if dim is None else dim
    walk, tables = layer_norm_walk(bert, parts), bert.tables
    after = walk.vectors[:, position, dimension]
    by = [
        *(part[position, dimension] for part in (parts.word, parts.token_type, parts.position)),
        *(walk.means[position], walk.deviations[position]),
        *(tables.layer_norm_weight[dimension], tables.layer_norm_bias[dimension]),
    ]
    numbers = dict(zip(NUMBERS, [*by, *after[3:]], strict=True))
    lengths = np.linalg.norm(walk.vectors[2:], axis=-1)
    *_, divided, _, output = lengths
    turned = cosine(walk.vectors[2], walk.vectors[-1])
    return card(
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
        name="layer-norm",
        columns={"step": STEPS, "by": by, "number after it": after},
        chart=Chart("columns", "number after the step", {"number after it": STEP_COLORS}),
        below=[
            caption(
                "Divided by the deviation, all tokens are equally long: <b>{divided_length:.1f}</b>"
                ", about √{size}. Weights and biases then make them <b>{shortest:.1f}</b> to "
                "<b>{longest:.1f}</b> long, and change their directions: the cosine of sum and "
                "output is {least_cosine:.2f} to {most_cosine:.2f}.",
                size=bert.hidden_size,
                divided_length=divided.mean(),
                shortest=output.min(),
                longest=output.max(),
                least_cosine=turned.min(),
                most_cosine=turned.max(),
            ),
            table(
                {
                    "position": text.position_ids,
                    "token": text.tokens,
                    "mean": walk.means,
                    "deviation": walk.deviations,
                    **{
                        f"length: {step}": row
                        for step, row in zip(("sum", *STEPS[3:]), lengths, strict=True)
                    },
                    "cosine of sum and output": turned,
                },
                name="lengths",
                decimals=4,
                fold="Length of every token after each step",
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
        ],
        decimals=5,
        program=program(
            PROGRAM, bert, typed, position=position, dimension=dimension, name="layer-norm"
        ),
    )


PROGRAM = '''
"""One number of a token step by step, and the length of every token's vector."""

position = ...
dimension = ...
embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
added = embedding_parts(model, inputs).double().cumsum(dim=0)  # float64: rounding does not show
mean, deviation = mean_and_deviation(added[-1], norm.eps)
centred = added[-1] - mean
scaled = centred / deviation * weight
steps = torch.stack([*added, centred, centred / deviation, scaled, scaled + bias])
names = ["token", "+ segment", "+ position", "- mean", "/ deviation", "* weight", "+ bias"]

for name, vectors in zip(names, steps, strict=True):
    print(name, round(vectors[position, dimension].item(), 6))
for token, lengths in zip(inputs.tokens(), steps[2:].norm(dim=-1).T, strict=True):
    print(token, lengths.round(decimals=4).tolist())
turned = torch.cosine_similarity(added[-1], steps[-1], dim=-1)
print("cosine of sum and output", turned.round(decimals=4).tolist())
'''
