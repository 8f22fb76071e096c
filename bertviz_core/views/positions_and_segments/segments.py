"""The two rows of the segment table."""

import numpy as np

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.embeddings.random_init import random_init_comparison
from bertviz_core.errors import UserInputError
from bertviz_core.figures.matrices import saturation_limit, signed_rows
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.view import View, caption, program, say

NAMES = ("segment A", "segment B", "B − A")


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
    spread = bert.settings["initializer_range"]
    comparison = random_init_comparison(bert.tables.token_type_embeddings, spread)
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
            fresh=comparison.fresh_length,
            deviation=comparison.fresh_deviation,
            changed=comparison.changed,
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
