"""Numbers one by one: of a token through LayerNorm, of its length, and of one dimension."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import LAYER_NORM_STEPS, layer_norm_lengths, waterfall
from bertviz_core.figures.axes import numbered
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, SENTENCES, TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Number, Slider
from bertviz_core.views.parts import note, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import View

# What the sentence names: what each step does it with, and what comes out.
NUMBERS = (
    *("token_number", "segment_number", "position_number", "mean", "deviation", "weight", "bias"),
    *("centred", "divided", "scaled", "output"),
)
MAX_ENDS = 100  # tokens at each end of a dimension
STEP_COLORS = (TOKEN, SEGMENT, POSITION, MUTED, MUTED, MUTED, OUTPUT)


def furthest_dimension(bert: Bert) -> int:
    """The dimension whose LayerNorm weight is furthest from the others."""
    weight = bert.tables.layer_norm_weight
    return int(np.abs(weight - weight.mean()).argmax())


DIMENSION = Number(
    lambda page: f"Dimension, 0 to {page['bert'].hidden_size - 1}",
    lambda page: page["bert"].hidden_size - 1,
    lambda page: furthest_dimension(page["bert"]),
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
    dim: Annotated[int | None, DIMENSION] = None,
    keep: Annotated[Keep, Choice("Tokens", KEEPS, about="which tokens are shown")] = KEEPS[0],
    ends: Annotated[int, Slider("How many", 1, MAX_ENDS, about="how many tokens at each end")] = 10,
) -> View:
    """The tokens of the whole vocabulary that are highest and lowest in one dimension."""
    number = furthest_dimension(bert) if dim is None else dim
    values = bert.tables.word_embeddings[:, number].astype(np.float64)
    allowed = np.flatnonzero(bert.vocabulary.allowed(keep))
    if not allowed.size:
        return View(note("This vocabulary has no such tokens. Choose another kind."))
    tokens, own = bert.vocabulary.tokens, values[allowed]
    mean, deviation = own.mean(), own.std()
    first, last = (allowed[np.argsort(one, kind="stable")[:ends]] for one in (-own, own))
    ids, apart = np.concatenate([first, last]), (values - mean) / (deviation or 1.0)
    return card(
        say(
            "In dimension <b>{dimension}</b> the numbers of {tokens} tokens have mean {mean} "
            "and standard deviation {deviation}. Highest is <b>{highest}</b> ({high}, {above} "
            "deviations above the mean), lowest <b>{lowest}</b> ({low}, {below} below).",
            dimension=number,
            tokens=f"{len(allowed):,}",
            mean=rounded(mean, 3),
            deviation=f"{deviation:.3f}",
            highest=tokens[first[0]],
            high=rounded(values[first[0]], 3),
            above=f"{apart[first[0]]:.1f}",
            lowest=tokens[last[0]],
            low=rounded(values[last[0]], 3),
            below=f"{-apart[last[0]]:.1f}",
            method="one-dimension",
        ),
        name=f"dimension-{number}",
        columns={
            "token": [tokens[i] for i in ids],
            "end": np.repeat(["highest", "lowest"], len(first)),
            "rank": [*range(1, len(first) + 1)] * 2,
            "token id": ids,
            "number": values[ids],
            "deviations from the mean": apart[ids],
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
