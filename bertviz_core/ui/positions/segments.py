"""What the page on positions shows of the segment table."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.heatmaps.embeddings import saturation_limit
from bertviz_core.figures.positions.signed_rows import signed_rows
from bertviz_core.positions.segments import SegmentComparison, compare_segments
from bertviz_core.snippets.positions import segments_code
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table

if TYPE_CHECKING:
    import pandas as pd


def segment_table(bert: Bert) -> None:
    """Show the two rows of the segment table and their difference."""
    found = compare_segments(bert)
    finding(
        "The rows of segment A and B have cosine similarity <b>{cosine}</b>. They are <b>{a}</b> "
        "and <b>{b}</b> long, and <b>{apart}</b> apart; the median row of a "
        "token is {token} long.",
        cosine=f"{found.cosine:.3f}",
        a=f"{found.norms[0]:.2f}",
        b=f"{found.norms[1]:.2f}",
        apart=f"{found.norms[2]:.2f}",
        token=f"{np.median(bert.tables.word_norms):.2f}",
    )
    if bert.type_vocab_size > 2:
        note(
            "The segment table has {count} rows; the first two are shown.",
            count=bert.type_vocab_size,
        )
    rows, difference = np.stack([found.a, found.b]), found.difference[None]
    limit, small = saturation_limit(rows), saturation_limit(difference)
    st.text("The two rows")
    chart(
        signed_rows(rows, ("segment A", "segment B"), limit),
        alt=f"Heatmap of the two segment embeddings over {bert.hidden_size} dimensions, nearly "
        f"alike (cosine {found.cosine:.3f}); colours end at ±{limit:.2g}.",
        name="segments",
    )
    st.text("Their difference, B − A, on a scale of its own")
    chart(
        signed_rows(difference, ("difference",), small),
        alt=f"Heatmap of the difference of the two segment embeddings; the largest, "
        f"{found.difference[found.largest[0]]:.3f}, in dimension {found.largest[0]}; colours end "
        f"at ±{small:.2g}.",
        name="segments-difference",
    )
    with st.expander("The numbers, largest difference first", icon=":material/table:"):
        table(_numbers(found), name="segments", decimals=4, height=320)
    code(lambda: segments_code(bert), name="segments")


def _numbers(found: SegmentComparison) -> "pd.DataFrame":
    import pandas as pd

    order = found.largest
    return pd.DataFrame(
        {
            "dimension": order,
            "segment A": found.a[order],
            "segment B": found.b[order],
            "B − A": found.difference[order],
        }
    )
