"""The section "segment table": its two rows and their difference."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.embeddings.stack import saturation_limit, signed_rows
from bertviz_core.positions.segments import compare_segments
from bertviz_core.ui import links
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.sections import EXPERIMENTS
from bertviz_core.ui.show import chart, code, folded_table


def segment_table(bert: Bert) -> None:
    """Show the two rows of the segment table, and their difference."""
    segments = compare_segments(bert)
    finding(
        "The rows of segment A and B have cosine similarity <b>{cosine}</b>; their difference has "
        "length <b>{length_difference}</b>, the median row of a token {length_token}.",
        method="rows-of-the-segment-table",
        cosine=f"{segments.cosine:.3f}",
        length_difference=f"{segments.norms[2]:.2f}",
        length_token=f"{np.median(bert.tables.word_norms):.2f}",
    )
    if bert.type_vocab_size > 2:
        note(
            "The segment table has {count} rows; the first two are shown.",
            count=bert.type_vocab_size,
        )
    rows, difference = np.stack([segments.a, segments.b]), segments.difference[None]
    order = segments.largest
    limit, small = saturation_limit(rows), saturation_limit(difference)
    st.text(f"The two rows, of lengths {segments.norms[0]:.2f} (A) and {segments.norms[1]:.2f} (B)")
    chart(
        signed_rows(rows, ("segment A", "segment B"), limit),
        alt=f"Heatmap of the two segment embeddings over {bert.hidden_size} dimensions, cosine "
        f"{segments.cosine:.3f}; colours end at ±{limit:.2g}.",
        name="segments",
    )
    st.text("Their difference, B − A, on a scale of its own")
    chart(
        signed_rows(difference, ("difference",), small),
        alt=f"Heatmap of the difference of the two segment embeddings; the largest, "
        f"{segments.difference[order[0]]:.3f}, in dimension {order[0]}; colours end at "
        f"±{small:.2g}.",
        name="segments-difference",
    )
    folded_table(
        "Table, largest difference first",
        segments.columns,
        key="segment-numbers",
        name="segments",
        decimals=4,
    )
    code("positions/segments", bert)
    links.row(
        "What the segment changes in a text:",
        {
            "flip the segments": links.view(
                "Positions_and_Segments", part=EXPERIMENTS, change="flip segments"
            )
        },
    )
