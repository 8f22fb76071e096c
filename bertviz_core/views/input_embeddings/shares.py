"""What each part brings to a token's vector, and what LayerNorm does to their sum."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import PART_NAMES, STEPS, layer_norm_walk, part_shares
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import numbered
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Bars, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Number
from bertviz_core.views.view import View, caption, program, rounded, say, table

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
    walk = layer_norm_walk(bert, parts)
    tables = bert.tables
    numbers = walk.vectors[:, position, dimension]
    by = [
        *(part[position, dimension] for part in (parts.word, parts.token_type, parts.position)),
        *(walk.means[position], walk.deviations[position]),
        *(tables.layer_norm_weight[dimension], tables.layer_norm_bias[dimension]),
    ]
    lengths = np.linalg.norm(walk.vectors[2:], axis=-1)
    *_, divided, _, output = lengths
    cosines = cosine(walk.vectors[2], walk.vectors[-1])
    return card(
        say(
            "<b>{position} {token}</b>, dimension <b>{dimension}</b>: token, segment and position "
            "add up to <b>{summed}</b>. LayerNorm subtracts the mean of the token's numbers, "
            "divides by their deviation, multiplies by a weight and adds a bias: <b>{output}</b>.",
            position=position,
            token=text.tokens[position],
            dimension=dimension,
            summed=rounded(float(numbers[2]), 3),
            output=rounded(float(numbers[-1]), 3),
            method="layernorm-step-by-step",
        ),
        name="layer-norm",
        columns={"step": STEPS, "by": by, "number after it": numbers},
        chart=Bars("number after the step", {"number after it": STEP_COLORS}),
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
                least_cosine=cosines.min(),
                most_cosine=cosines.max(),
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
                    "cosine of sum and output": cosines,
                },
                name="lengths",
                decimals=4,
                fold="Length of every token after each step",
            ),
        ],
        decimals=5,
        program=program(
            LAYER_NORM_PROGRAM,
            bert,
            typed,
            position=position,
            dimension=dimension,
            name="layer-norm",
        ),
    )


@view("which part contributes how much?", page="Input Embeddings", rank=30)
def shares(bert: Bert, typed: InputText) -> View:
    """The share of token, segment and position embedding in each token's vector."""
    text = typed.tokenize(bert)
    contributions = part_shares(bert, input_embeddings(bert, text))
    token, segment, position = contributions.shares.mean(axis=1)
    furthest = int(contributions.shares[2].argmax())
    cls_shares = {}
    if text.word_ids[0] is None:  # the tokenizer's own [CLS], whatever it is called
        names = ("cls_token", "cls_segment", "cls_position")
        cls_shares = dict(zip(names, contributions.shares[:, 0].tolist(), strict=True))
    return card(
        say(
            "The position contributes most to <b>{position} {token}</b>: <b>{largest_share}</b>. "
            "Means over all {tokens} tokens: token <b>{token_share}</b>, position "
            "<b>{position_share}</b>, segment <b>{segment_share}</b>. LayerNorm's bias, the same "
            "for all, is left out; it is <b>{bias_share}</b> of the whole.",
            tokens=len(text),
            token_share=f"{token:.1%}",
            segment_share=f"{segment:.1%}",
            position_share=f"{position:.1%}",
            position=furthest,
            token=text.tokens[furthest],
            largest_share=f"{contributions.shares[2, furthest]:.1%}",
            bias_share=f"{contributions.bias_shares.mean():.0%}",
            method="contribution-of-each-part",
            **cls_shares,
        ),
        name="shares",
        columns={"position": text.position_ids, "token": text.tokens, **contributions.columns()},
        chart=Bars(
            "share in the output",
            {
                f"{part}: share": color
                for part, color in zip(PART_NAMES, (TOKEN, SEGMENT, POSITION), strict=True)
            },
            ".1~%",
            names=numbered(text.tokens),
            stacked=True,
        ),
        fold="Table, with the length of each part and its cosine with the sum",
        program=program(SHARES_PROGRAM, bert, typed, name="shares"),
    )


LAYER_NORM_PROGRAM = '''
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

SHARES_PROGRAM = '''
"""What token, segment and position bring to each vector."""

embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
summed = parts.sum(dim=0)
_, deviation = mean_and_deviation(summed, norm.eps)

# Each part after LayerNorm, without the bias; their sum is output - bias.
scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
without_bias = scaled.sum(dim=0)
lengths = parts.norm(dim=-1)
cosines = torch.cosine_similarity(parts, summed[None], dim=-1)
shares = (scaled * without_bias).sum(dim=-1) / (without_bias**2).sum(dim=-1)
output = without_bias + bias
bias_shares = (bias * output).sum(dim=-1) / (output**2).sum(dim=-1)

for i, token in enumerate(inputs.tokens()):
    print(token)
    print("    lengths", lengths[:, i].round(decimals=4).tolist())
    print("    cosines", cosines[:, i].round(decimals=4).tolist())
    print("    shares", shares[:, i].round(decimals=4).tolist())
    print("    share of the bias", [round(bias_shares[i].item(), 4)])
'''
