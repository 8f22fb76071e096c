"""One dimension: the tokens of the vocabulary highest and lowest on it."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.embeddings.dimensions import MOST, DimensionExtremes, extreme_tokens
from bertviz_core.embeddings.embedding_layer import most_variable_dimensions
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.figures.neighbors import neighbor_bars, score_distribution
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import inputs, links, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, csv_download, table

SUGGESTED = 4


def dimension_input(bert: Bert) -> int:
    """Ask for a dimension; at first the one whose LayerNorm weight is furthest from the others.

    One that the model in use does not have falls back to that one.
    """
    last = bert.hidden_size - 1
    weight = bert.tables.layer_norm_weight
    furthest = int(np.abs(weight - weight.mean()).argmax())
    chosen = inputs.whole_number(f"Dimension, 0 to {last}", last, key="dim", empty=str(furthest))
    return furthest if chosen is None else chosen


def one_dimension(bert: Bert, text: TokenizedText, parts: InputEmbeddings) -> None:
    """Ask for a dimension and show which tokens of the whole vocabulary stand at its ends."""
    st.subheader("One dimension of the token table", anchor=False)
    with slots.cells("dimension", 3):
        dimension = dimension_input(bert)
        keep = inputs.choice("Tokens", KEEPS, key="keep")
        k = inputs.number("How many", 1, MOST, 10, key="ends")
    _suggestions(bert, parts)
    extremes = extreme_tokens(bert, dimension, k, keep)
    if not extremes.candidates.any():
        note("This vocabulary has no tokens of that kind; choose another.")
        return
    _say(bert, extremes)
    _ends(bert, extremes)
    _where_the_text_stands(text, parts, extremes)
    csv_download(
        f"All {bert.vocab_size:,} numbers as CSV",
        lambda: {"token": bert.vocabulary.tokens, "number": extremes.values},
        name=f"dimension-{dimension}-all",
    )
    code("embeddings/dimension", bert, dimension=dimension, k=k, keep=keep)


def _suggestions(bert: Bert, parts: InputEmbeddings) -> None:
    """Link to dimensions that stand out in the model, and in this text."""
    outliers = outlier_dimensions(bert, parts).dimensions[:SUGGESTED].tolist()
    varied = most_variable_dimensions(parts.output, SUGGESTED).tolist()
    links.row(
        "Look at",
        {f"{dimension}, an outlier": links.here(dim=dimension) for dimension in outliers}
        | {
            f"{dimension}, varied in your text": links.here(dim=dimension)
            for dimension in varied
            if dimension not in outliers
        },
    )


def _say(bert: Bert, extremes: DimensionExtremes) -> None:
    highest, lowest = int(extremes.highest[0]), int(extremes.lowest[0])
    high, low = extremes.values[highest], extremes.values[lowest]
    deviation = extremes.deviation or 1.0
    finding(
        "In dimension <b>{dimension}</b> the numbers of {tokens} tokens have mean {mean} and "
        "standard deviation {deviation}. Highest is <b>{highest}</b> ({high}, {above} deviations "
        "above the mean), lowest <b>{lowest}</b> ({low}, {below} below).",
        dimension=extremes.dimension,
        tokens=f"{int(extremes.candidates.sum()):,}",
        mean=f"{extremes.mean:.3f}",
        deviation=f"{extremes.deviation:.3f}",
        highest=bert.vocabulary.tokens[highest],
        high=f"{high:.3f}",
        above=f"{(high - extremes.mean) / deviation:.1f}",
        lowest=bert.vocabulary.tokens[lowest],
        low=f"{low:.3f}",
        below=f"{(extremes.mean - low) / deviation:.1f}",
        method="one-dimension",
    )


def _ends(bert: Bert, extremes: DimensionExtremes) -> None:
    dimension = extremes.dimension
    ends = {"highest": extremes.highest, "lowest": extremes.lowest}
    for half, (end, ids) in zip(st.columns(2, gap="medium"), ends.items(), strict=True):
        tokens, values = [bert.vocabulary.tokens[i] for i in ids], extremes.values[ids]
        with half:
            st.caption(f"The {len(ids)} {end}")
            chart(
                neighbor_bars(tokens, values, score_name=f"number in dimension {dimension}"),
                alt=f"Bars of the {len(ids)} tokens {end} in dimension {dimension}, "
                f"{values[0]:.3f} to {values[-1]:.3f}: {', '.join(tokens[:3])} first.",
                name=f"dimension-{end}",
            )
    ids = np.concatenate(list(ends.values()))
    values = extremes.values[ids]
    table(
        {
            "end": [end for end, rows in ends.items() for _ in rows],
            "rank": [rank for rows in ends.values() for rank in range(1, len(rows) + 1)],
            "token": [bert.vocabulary.tokens[i] for i in ids],
            "token id": ids,
            "number": values,
            "deviations from the mean": (values - extremes.mean) / (extremes.deviation or 1.0),
        },
        name=f"dimension-{dimension}",
    )


def _where_the_text_stands(
    text: TokenizedText, parts: InputEmbeddings, extremes: DimensionExtremes
) -> None:
    dimension = extremes.dimension
    everything, own = extremes.values[extremes.candidates], extremes.values[text.input_ids]
    st.caption(
        f"All {everything.size:,} tokens in dimension {dimension}; the ticks below are the tokens "
        "of your text"
    )
    chart(
        score_distribution(everything, own, score_name=f"number in dimension {dimension}"),
        alt=f"Histogram of {everything.size:,} numbers around {extremes.mean:.3f}, standard "
        f"deviation {extremes.deviation:.3f}; the tokens of the text lie from {own.min():.3f} to "
        f"{own.max():.3f}.",
        name="dimension-distribution",
    )
    table(
        {
            "position": text.position_ids,
            "token": text.tokens,
            "number in the token table": own,
            "share of the vocabulary below": [(everything < number).mean() for number in own],
            "number after LayerNorm": parts.output[:, dimension],
        },
        name=f"dimension-{dimension}-of-the-text",
    )
