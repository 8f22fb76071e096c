"""One dimension: the tokens of the vocabulary highest and lowest on it."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.embeddings.dimensions import MOST, DimensionExtremes, extreme_tokens
from bertviz_core.embeddings.embedding_layer import most_variable_dimensions
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.figures.neighbors.bars import neighbor_bars
from bertviz_core.figures.neighbors.distribution import score_distribution
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs, links, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.input_embeddings.dimension_input import dimension_input
from bertviz_core.ui.input_embeddings.sections import DIMENSION
from bertviz_core.ui.input_embeddings.shares import table_height
from bertviz_core.ui.show import chart, code, csv_download, table

if TYPE_CHECKING:
    import pandas as pd

    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings
    from bertviz_core.tokens import TokenizedText

KEEP_CHOICES: dict[str, Keep] = {"all": "all", "words": "words", "subwords": "subwords"}
SUGGESTED = 4


def one_dimension(
    bert: "Bert", text: "TokenizedText", parts: "InputEmbeddings", first: str, pair: str | None
) -> None:
    """Ask for a dimension and show which tokens of the whole vocabulary stand at its ends."""
    st.subheader("One dimension of the token table", anchor=False)
    fields = slots.row("dimension", 3)
    with fields[0]:
        dimension = dimension_input(bert)
    with fields[1]:
        keep = inputs.choice("Answers", KEEP_CHOICES, key="keep")
    with fields[2]:
        k = inputs.number("How many", 1, MOST, 10, key="k")
    _suggestions(bert, parts, first, pair)
    found = extreme_tokens(bert, dimension, k, keep)
    if not found.candidates.any():
        note("This vocabulary has no tokens of that kind; choose another.")
        return
    _say(bert, found)
    left, right = st.columns(2, gap="medium")
    for place, end, ids in (
        (left, "highest", found.highest), (right, "lowest", found.lowest),
    ):  # fmt: skip
        with place:
            st.caption(f"The {len(ids)} {end}")
            values = found.values[ids]
            chart(
                neighbor_bars(
                    [bert.vocabulary.tokens[i] for i in ids],
                    values,
                    score_name=f"number in dimension {dimension}",
                ),
                alt=f"Bars of the {len(ids)} tokens {end} in dimension {dimension}, "
                f"{values[0]:.3f} to {values[-1]:.3f}: "
                + ", ".join(bert.vocabulary.tokens[i] for i in ids[:3])
                + " first.",
                name=f"dimension-{end}",
            )
    import pandas as pd

    table(_ends(bert, found), name=f"dimension-{dimension}", height=table_height(2 * k))
    own = found.values[text.input_ids]
    st.caption(
        f"All {int(found.candidates.sum()):,} tokens in dimension {dimension}; the ticks below "
        "are the tokens of your text"
    )
    everything = found.values[found.candidates]
    below = [float((everything < value).mean()) for value in own]
    chart(
        score_distribution(everything, own, score_name=f"number in dimension {dimension}"),
        alt=f"Histogram of {everything.size:,} numbers around {found.mean:.3f}, standard deviation "
        f"{found.deviation:.3f}; the tokens of the text lie from {own.min():.3f} to "
        f"{own.max():.3f}.",
        name="dimension-distribution",
    )
    table(
        pd.DataFrame(
            {
                "position": text.position_ids,
                "token": text.tokens,
                "number in the token table": own,
                "share of the vocabulary below": below,
                "number after LayerNorm": parts.output[:, dimension],
            }
        ),
        name=f"dimension-{dimension}-of-the-text",
        height=table_height(len(text)),
    )
    csv_download(
        f"All {bert.vocab_size:,} numbers as CSV",
        lambda: pd.DataFrame({"token": bert.vocabulary.tokens, "number": found.values}),
        name=f"dimension-{dimension}-all",
    )
    code(
        lambda: filled("embeddings/dimension", bert, dimension=dimension, k=k, keep=keep),
        name="dimension",
    )


def _suggestions(bert: "Bert", parts: "InputEmbeddings", first: str, pair: str | None) -> None:
    """Link to dimensions that stand out in the model, and in this text."""
    outliers = outlier_dimensions(bert, parts, 6).dimensions[:SUGGESTED].tolist()
    varied = most_variable_dimensions(parts.output, SUGGESTED).tolist()
    view: dict[str, str | int] = {"a": first, "b": pair or "", "look": DIMENSION}
    links.examples(
        "Input_Embeddings",
        "Look at",
        {f"{d}, an outlier": view | {"dim": d} for d in outliers}
        | {f"{d}, varied in your text": view | {"dim": d} for d in varied if d not in outliers},
    )


def _say(bert: "Bert", found: DimensionExtremes) -> None:
    top, bottom = int(found.highest[0]), int(found.lowest[0])
    spread = found.deviation or 1.0
    finding(
        "In dimension <b>{dimension}</b> the {count} tokens stand around {mean}, standard "
        "deviation {deviation}. Highest is <b>{top}</b> ({high}, {above} deviations above), lowest "
        "<b>{bottom}</b> ({low}, {below} below).",
        dimension=found.dimension,
        count=f"{int(found.candidates.sum()):,}",
        mean=f"{found.mean:.3f}",
        deviation=f"{found.deviation:.3f}",
        top=bert.vocabulary.tokens[top],
        high=f"{found.values[top]:.3f}",
        above=f"{(found.values[top] - found.mean) / spread:.1f}",
        bottom=bert.vocabulary.tokens[bottom],
        low=f"{found.values[bottom]:.3f}",
        below=f"{(found.mean - found.values[bottom]) / spread:.1f}",
    )


def _ends(bert: "Bert", found: DimensionExtremes) -> "pd.DataFrame":
    import pandas as pd

    ids = np.concatenate([found.highest, found.lowest])
    ends = ["highest"] * len(found.highest) + ["lowest"] * len(found.lowest)
    ranks = [*range(1, len(found.highest) + 1), *range(1, len(found.lowest) + 1)]
    return pd.DataFrame(
        {
            "end": ends,
            "rank": ranks,
            "token": [bert.vocabulary.tokens[i] for i in ids],
            "token id": ids,
            "number": found.values[ids],
            "deviations from the mean": (found.values[ids] - found.mean) / (found.deviation or 1.0),
        }
    )
