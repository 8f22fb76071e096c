"""Numbers one by one: of a token through LayerNorm, of its length, and of one dimension."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import MAX_K, extreme_tokens, most_variable_dimensions
from bertviz_core.embeddings.shares import LAYER_NORM_STEPS, layer_norm_lengths, waterfall
from bertviz_core.figures.axes import numbered
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, SENTENCES, TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Number, Slider
from bertviz_core.views.parts import note, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Links, View

# What the sentence names: what each step does it with, and what comes out.
NUMBERS = (
    *("token_number", "segment_number", "position_number", "mean", "deviation", "weight", "bias"),
    *("centred", "divided", "scaled", "output"),
)
STEP_COLORS = (TOKEN, SEGMENT, POSITION, MUTED, MUTED, MUTED, OUTPUT)
SUGGESTED = 4  # dimensions that vary, to look at


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
        name="one-number",
        columns=steps.columns(),
        chart=Chart("columns", "number after the step", {"number after it": STEP_COLORS}),
        below=table(
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
        decimals=5,
        program=program(
            ONE_NUMBER_PROGRAM,
            bert,
            typed,
            position=position,
            dimension=dimension,
            name="one-number",
        ),
    )


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


@view("one dimension", page="Input Embeddings", rank=80)
def dimension(
    bert: Bert,
    typed: InputText,
    dim: Annotated[int | None, DIMENSION] = None,
    keep: Annotated[Keep, Choice("Tokens", KEEPS, about="which tokens are shown")] = KEEPS[0],
    ends: Annotated[int, Slider("How many", 1, MAX_K, about="how many tokens at each end")] = 10,
) -> View:
    """The tokens of the whole vocabulary that are highest and lowest in one dimension."""
    parts = input_embeddings(bert, typed.tokenize(bert))
    number = furthest_dimension(bert) if dim is None else dim
    found = extreme_tokens(bert, number, ends, keep)
    varied = most_variable_dimensions(parts.output, SUGGESTED).tolist()
    suggested = Links(
        "Look at",
        {f"{one}, varied in your text": {"dim": one} for one in varied},
    )
    if not found.candidates.any():
        return View(suggested, note("This vocabulary has no such tokens. Choose another kind."))
    tokens, values, deviation = bert.vocabulary.tokens, found.values, found.deviation or 1.0
    both = {"highest": found.highest, "lowest": found.lowest}
    ids = np.concatenate(list(both.values()))
    highest, lowest = int(found.highest[0]), int(found.lowest[0])
    return card(
        [
            suggested,
            say(
                "In dimension <b>{dimension}</b> the numbers of {tokens} tokens have mean {mean} "
                "and standard deviation {deviation}. Highest is <b>{highest}</b> ({high}, {above} "
                "deviations above the mean), lowest <b>{lowest}</b> ({low}, {below} below).",
                dimension=number,
                tokens=f"{found.candidates.sum():,}",
                mean=rounded(found.mean, 3),
                deviation=f"{found.deviation:.3f}",
                highest=tokens[highest],
                high=rounded(values[highest], 3),
                above=f"{(values[highest] - found.mean) / deviation:.1f}",
                lowest=tokens[lowest],
                low=rounded(values[lowest], 3),
                below=f"{(found.mean - values[lowest]) / deviation:.1f}",
                method="one-dimension",
            ),
        ],
        name=f"dimension-{number}",
        columns={
            "token": [tokens[i] for i in ids],
            "end": [end for end, rows in both.items() for _ in rows],
            "rank": [rank for rows in both.values() for rank in range(1, len(rows) + 1)],
            "token id": ids,
            "number": values[ids],
            "deviations from the mean": (values[ids] - found.mean) / deviation,
        },
        chart=Chart("rows", f"number in dimension {number}", {"number": TOKEN}),
        program=program(
            DIMENSION_PROGRAM, bert, dimension=number, k=ends, keep=keep, name="dimension"
        ),
    )


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


DIMENSION_PROGRAM = '''
"""The tokens that are highest and lowest on one dimension of the token table."""

dimension = ...
k = ...
keep = ...  # "words", "subwords" or "all"
allowed = ...
tokenizer, model = ...
column = model.embeddings.word_embeddings.weight[:, dimension].tolist()
tokens = tokenizer.convert_ids_to_tokens(range(len(column)))
ids = [
    i
    for i, token in enumerate(tokens)
    if not token.startswith("[unused") and allowed(token, keep, tokenizer.all_special_tokens)
]
highest = sorted(ids, key=lambda i: -column[i])[:k]
lowest = sorted(ids, key=lambda i: column[i])[:k]
for i in highest + lowest:
    print(tokens[i], f"{column[i]:.6f}")
'''
