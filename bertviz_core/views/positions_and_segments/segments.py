"""The segment table: its two rows and their difference."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import with_both_heads
from bertviz_core.encoder.next_sentence import lacking
from bertviz_core.figures.stack import saturation_limit, signed_rows
from bertviz_core.positions.table import compare_segments
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, program, say
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Links, Sentence, View

NAMES = ("segment A", "segment B", "B − A")


@view("segment table", page="Positions and Segments", rank=50, card=True)
def segments(bert: Bert) -> View:
    """How the two rows of the segment table differ."""
    found = compare_segments(bert)
    rows = np.stack([found.a, found.b, found.difference])
    limit, largest = saturation_limit(rows), int(found.largest[0])
    length_a, length_b, length_difference = map(float, found.norms)
    return card(
        say(
            "The rows of segment A and B have cosine similarity <b>{cosine:.3f}</b>; their "
            "difference is <b>{length_difference:.2f}</b> long, a median token row "
            "{length_token:.2f}.",
            method="rows-of-the-segment-table",
            cosine=found.cosine,
            length_difference=length_difference,
            length_token=float(np.median(bert.tables.word_norms)),
        ),
        name="segments",
        columns=found.columns(),
        chart=signed_rows(rows, NAMES, limit),
        alt=f"Heatmap of the two segment embeddings and their difference over {bert.hidden_size} "
        f"dimensions, cosine {found.cosine:.3f}; the largest difference, "
        f"{found.difference[largest]:.3f}, is in dimension {largest}; colours end at ±{limit:.2g}.",
        below=[
            caption(
                "Lengths {length_a:.2f} (A) and {length_b:.2f} (B); all three rows on one scale.",
                length_a=length_a,
                length_b=length_b,
            ),
            note("The segment table has {count} rows; two are shown.", count=bert.type_vocab_size)
            if bert.type_vocab_size > 2
            else [],
            _untrained(bert) if lacking(bert) else [],
            Links(
                "What the segment changes in a text:",
                {"flip the segments": {"section": "experiments", "change": "flip segments"}},
            ),
        ],
        decimals=4,
        fold="Table, largest difference first",
        program=program(PROGRAM, bert, name="segments"),
    )


def _untrained(bert: Bert) -> Sentence:
    """Say that a file lacks the head that segments were made for, and which models have it."""
    return caption(
        "Segments were made for telling whether a second text follows. {model} has no head for "
        "that: its file lacks {missing_tensors} tensors. Of the models offered here, {having} "
        "have it.",
        model=bert.name,
        missing_tensors=len(lacking(bert)),
        having=joined(with_both_heads()) or "none",
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
