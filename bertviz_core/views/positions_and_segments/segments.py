"""The two rows of the segment table."""

from math import exp, lgamma, sqrt
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, cosine
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures.matrices import saturation_limit, signed_rows
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.view import View, caption, program, say

NAMES = ("segment A", "segment B", "B − A")
# BERT as first published was drawn from a normal distribution that is cut at two deviations. Its
# deviation is this share of the whole one's.
CUT = 0.8796
CHANGED = 6.0  # standard deviations from both ways of drawing a table


class FreshRows(NamedTuple):
    """The rows of a table that was just drawn at random, and whether a table is still like that."""

    length: float  # mean length of a row
    deviation: float  # standard deviation of the length
    changed: bool  # whether chance cannot explain the mean square of the table


def fresh_rows(table: Array, spread: float) -> FreshRows:
    """Compare a table (rows, hidden_size) with independent normal numbers of mean 0.

    `requires_grad` does not tell: it is true of every parameter that a library loads.
    """
    hidden_size = table.shape[1]
    # Of the chi distribution with hidden_size degrees of freedom.
    mean = sqrt(2) * exp(lgamma((hidden_size + 1) / 2) - lgamma(hidden_size / 2))
    square = np.square(table, dtype=np.float64).mean()
    by_chance = sqrt(2 / table.size)
    scores = [abs(square / (spread * cut) ** 2 - 1) / by_chance for cut in (1, CUT)]
    deviation = sqrt(max(hidden_size - mean**2, 0))
    return FreshRows(spread * mean, spread * deviation, min(scores) > CHANGED)


@view("segment table", page="Positions and Segments", rank=50)
def segments(bert: Bert) -> View:
    """How the two rows of the segment table differ."""
    if bert.type_vocab_size < 2:
        raise UserInputError(
            f"{bert.name} has a segment table of one row: it knows no second segment, so there is "
            "nothing to compare."
        )
    first, second = bert.tables.token_type_embeddings[:2]
    rows = np.stack([first, second, second - first])
    falling = np.argsort(-np.abs(rows[2]), kind="stable")
    largest = int(falling[0])
    limit = saturation_limit(rows)
    fresh = fresh_rows(bert.tables.token_type_embeddings, bert.settings["initializer_range"])
    lengths = np.linalg.norm(rows, axis=1)
    similarity = float(cosine(first, second))
    return card(
        say(
            "The rows of segment A and B have cosine similarity <b>{cosine:.3f}</b>; their "
            "difference is <b>{length_difference:.2f}</b> long, a median token row "
            "{length_token:.2f}.",
            method="rows-of-the-segment-table",
            cosine=similarity,
            length_difference=float(lengths[2]),
            length_token=float(np.median(bert.tables.word_norms)),
        ),
        name="segments",
        columns={"dimension": falling, **dict(zip(NAMES, rows[:, falling], strict=True))},
        chart=signed_rows(rows, NAMES, limit),
        alt=f"Heatmap of the two segment embeddings and their difference over {bert.hidden_size} "
        f"dimensions, cosine {similarity:.3f}; the largest difference, "
        f"{rows[2, largest]:.3f}, is in dimension {largest}; colours end at ±{limit:.2g}.",
        below=caption(
            "Lengths {length_a:.2f} (A) and {length_b:.2f} (B), a row of a fresh BERT {fresh:.2f} "
            "± {deviation:.2f}; all three rows on one scale.",
            length_a=float(lengths[0]),
            length_b=float(lengths[1]),
            fresh=fresh.length,
            deviation=fresh.deviation,
            changed=fresh.changed,
        ),
        decimals=4,
        fold="Table, largest difference first",
        program=program(PROGRAM, bert, name="segments"),
    )


PROGRAM = '''
"""The two rows of the segment table: lengths, cosine, largest differences."""

model = ...
a, b = model.embeddings.token_type_embeddings.weight.detach().double()[:2]
print("lengths:", *(f"{row.norm():.4f}" for row in (a, b, b - a)))
print("cosine:", f"{torch.cosine_similarity(a, b, dim=0):.4f}")
for dimension in (b - a).abs().argsort(descending=True)[:10].tolist():
    print(dimension, f"{(b - a)[dimension]:.4f}")
'''
