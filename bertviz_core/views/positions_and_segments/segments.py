"""The segment table: its two rows and their difference."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures.stack import saturation_limit, signed_rows
from bertviz_core.positions.table import compare_segments
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.view import Links, View


@view("segment table", page="Positions and Segments", rank=50)
def segments(bert: Bert) -> View:
    """How the two rows of the segment table differ."""
    found = compare_segments(bert)
    rows, difference = np.stack([found.a, found.b]), found.difference[None]
    limit, small = saturation_limit(rows), saturation_limit(difference)
    length_a, length_b, length_difference = map(float, found.norms)
    largest = int(found.largest[0])
    return View(
        say(
            "The rows of segment A and B have cosine similarity <b>{cosine:.3f}</b>; their "
            "difference is <b>{length_difference:.2f}</b> long, a median token row "
            "{length_token:.2f}.",
            method="rows-of-the-segment-table",
            cosine=found.cosine,
            length_difference=length_difference,
            length_token=float(np.median(bert.tables.word_norms)),
        ),
        note("The segment table has {count} rows; two are shown.", count=bert.type_vocab_size)
        if bert.type_vocab_size > 2
        else [],
        caption(
            "The two rows, of lengths {length_a:.2f} (A) and {length_b:.2f} (B)",
            length_a=length_a,
            length_b=length_b,
        ),
        picture(
            signed_rows(rows, ("segment A", "segment B"), limit),
            alt=f"Heatmap of the two segment embeddings over {bert.hidden_size} dimensions, cosine "
            f"{found.cosine:.3f}; colours end at ±{limit:.2g}.",
            name="segments",
        ),
        caption("Their difference, B − A, on a scale of its own"),
        picture(
            signed_rows(difference, ("difference",), small),
            alt="Heatmap of the difference of the two segment embeddings; the largest, "
            f"{found.difference[largest]:.3f}, in dimension {largest}; colours end at "
            f"±{small:.2g}.",
            name="segments-difference",
        ),
        table(found.columns, name="segments", decimals=4, fold="Table, largest difference first"),
        program("positions/segments", bert),
        Links(
            "What the segment changes in a text:",
            {"flip the segments": {"section": "experiments", "change": "flip segments"}},
        ),
    )
