"""One dimension: the tokens of the whole vocabulary that are highest and lowest in it."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import (
    MAX_K,
    extreme_tokens,
    most_variable_dimensions,
    outlier_dimensions,
)
from bertviz_core.figures.colors import TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider
from bertviz_core.views.input_embeddings.layer_norm import DIMENSION, furthest_dimension
from bertviz_core.views.parts import note, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Links, View

SUGGESTED = 4  # outliers, and dimensions that vary, to look at


@view("one dimension", page="Input Embeddings", rank=80)
def dimension(
    bert: Bert,
    typed: InputText,
    dim: Annotated[int | None, DIMENSION] = None,
    keep: Annotated[Keep, Choice("Tokens", KEEPS, about="which tokens are shown")] = KEEPS[0],
    ends: Annotated[int, Slider("How many", 1, MAX_K, about="how many tokens at each end")] = 10,
) -> View:
    """The tokens of the whole vocabulary that are highest and lowest in one dimension."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    number = furthest_dimension(bert) if dim is None else dim
    found = extreme_tokens(bert, number, ends, keep)
    outliers = outlier_dimensions(bert, parts)[:SUGGESTED].tolist()
    varied = most_variable_dimensions(parts.output, SUGGESTED).tolist()
    suggested = Links(
        "Look at",
        {f"{one}, an outlier": {"dim": one} for one in outliers}
        | {f"{one}, varied in your text": {"dim": one} for one in varied if one not in outliers},
    )
    if not found.candidates.any():
        return View(suggested, note("This vocabulary has no such tokens. Choose another kind."))
    tokens, values, deviation = bert.vocabulary.tokens, found.values, found.deviation or 1.0
    everything, own = values[found.candidates], values[text.input_ids]
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
                tokens=f"{everything.size:,}",
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
        below=table(
            {
                "position": text.position_ids,
                "token": text.tokens,
                "number in the token table": own,
                "share of the vocabulary below": [(everything < one).mean() for one in own],
                "number after LayerNorm": parts.output[:, number],
            },
            name=f"dimension-{number}-of-the-text",
            fold="Table of your text",
        ),
        program=program(PROGRAM, bert, dimension=number, k=ends, keep=keep, name="dimension"),
    )


PROGRAM = '''
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
