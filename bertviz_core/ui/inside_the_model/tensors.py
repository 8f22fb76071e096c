"""The sections "one tensor" and "norms of the token table": numbers, and lengths of rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.tensors import extreme_rows, norms_by_kind
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.claims.tables import LOW_IDS, UNUSED_ROWS
from bertviz_core.figures import colors
from bertviz_core.figures.inside.norms import FEW, norms_by_kind_scatter
from bertviz_core.figures.inside.tensors import tensor_histogram
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.inside_the_model.parameters import TABLE_LOOKS
from bertviz_core.ui.inside_the_model.results import census_of, picture_of_norms, statistics_of
from bertviz_core.ui.results import judged_by_tables
from bertviz_core.ui.show import chart, code, folded_table

EXTREMES = 10
MOST_UNUSED = 0.99  # the share of [unused] rows that a trained row should be longer than
SCALES = {"logarithmic": True, "linear": False}


def one_tensor(bert: Bert) -> None:
    """Ask for a tensor; show how its numbers are spread, and its extreme rows."""
    name = inputs.listed("Tensor", census_of(bert.name).names, key="tensor")
    statistics = statistics_of(bert.name, name)
    count, rows = statistics.parameter.count, len(statistics.row_norms)
    finding(
        "<b>{count}</b> numbers from {smallest} to {largest}: mean {mean}, standard deviation "
        "<b>{std}</b>, length of all {length}"
        + ("; {zeros} exactly 0." if statistics.zeros else "."),
        count=f"{count:,}",
        smallest=f"{statistics.smallest:.4f}",
        largest=f"{statistics.largest:.4f}",
        mean=f"{statistics.mean:.4f}",
        std=f"{statistics.std:.4f}",
        length=f"{statistics.norm:.3f}",
        zeros=f"{statistics.zeros:,}",
        method="one-tensor",
    )
    log = inputs.choice(
        "Heights",
        SCALES,
        key="heights",
        help="Logarithmic heights show single outliers; linear ones the shape of the bulk.",
    )
    fullest = int(statistics.counts.argmax())
    color = TABLE_LOOKS.get(name, (name, colors.OUTPUT if "pooler" in name else colors.MUTED))[1]
    chart(
        tensor_histogram(statistics.counts, statistics.edges, color=color, log=log),
        alt=f"Histogram of the {count:,} numbers of {name} in {len(statistics.counts)} bins from "
        f"{statistics.smallest:.4f} to {statistics.largest:.4f}; the fullest bin holds "
        f"{statistics.counts.max():,}, at {statistics.edges[fullest : fullest + 2].mean():.4f}.",
        name="tensor-histogram",
    )
    names = _row_names(bert, name, rows, vector=len(statistics.parameter.shape) == 1)
    folded_table(
        "Table: the longest and the shortest rows",
        lambda: _extremes(statistics.row_norms, names),
        key="extreme-rows",
        name="extreme-rows",
        files={
            f"All {rows:,} lengths as CSV": (
                "row-lengths",
                lambda: {"row": names, "length": statistics.row_norms},
            ),
            "The histogram as CSV": (
                "tensor-histogram",
                statistics.columns,
            ),
        },
    )
    code("inside/tensor", bert, parameter=name, bins=len(statistics.counts), k=min(EXTREMES, rows))


def token_norms(bert: Bert) -> None:
    """Draw the length of every row of the token table against its id, by kind."""
    words, norms = bert.vocabulary, bert.tables.word_norms
    lengths = norms_by_kind(norms, words.kinds, len(KINDS))
    counts = np.bincount(words.kinds, minlength=len(KINDS))
    _say_unused(bert, lengths["median"])
    names = KIND_NAMES
    present = np.flatnonzero(counts)
    shown = inputs.several("Only these kinds", {names[k]: int(k) for k in present}, key="kinds")
    extremes = np.concatenate(extreme_rows(norms, min(EXTREMES, len(norms))))
    chart(
        norms_by_kind_scatter(
            norms,
            words.kinds,
            names,
            words.tokens,
            extremes=extremes,
            shown=shown,
            png=picture_of_norms(bert.name, tuple(shown)),
        ),
        alt=f"Length of {len(norms):,} rows of the token table against their id. Medians: "
        + ", ".join(f"{names[k]} {lengths['median'][k]:.3f}" for k in present)
        + ".",
        name="token-norms",
    )
    st.caption(
        "One point for each token. The pointer names some of them, the "
        f"{EXTREMES} longest and shortest, and every token of a kind with at most {FEW} rows; "
        "the file below names all. Drag to zoom."
    )
    with st.expander("What do the lengths tell?", icon=":material/help:"):
        for claim, method in (
            (UNUSED_ROWS, "trained-or-fresh"),
            (LOW_IDS, "norms-of-the-token-table"),
        ):
            found = judged_by_tables(bert.name, claim.name)
            finding(claim.template(found), method=method, **found.numbers)
    folded_table(
        "Table",
        lambda: {
            "kind": [names[k] for k in present],
            "rows": counts[present],
            "median length": lengths["median"][present],
            "mean": lengths["mean"][present],
            "standard deviation": lengths["std"][present],
            "shortest": lengths["smallest"][present],
            "longest": lengths["largest"][present],
        },
        key="kinds-table",
        name="lengths-by-kind",
        files={
            f"The {EXTREMES} longest and shortest rows as CSV": (
                "extreme-tokens",
                lambda: _extremes(norms, words.tokens),
            ),
            f"All {len(norms):,} rows as CSV": (
                "token-lengths",
                lambda: {
                    "token id": np.arange(len(norms)),
                    "token": words.tokens,
                    "kind": [names[k] for k in words.kinds],
                    "length": norms,
                },
            ),
        },
    )
    code("inside/norms", bert)


def _say_unused(bert: Bert, medians: NDArray[np.float64]) -> None:
    """Compare words with the rows that no text uses."""
    unused, word = KINDS.index("unused"), KINDS.index("word")
    kinds, norms = bert.vocabulary.kinds, bert.tables.word_norms
    untrained = norms[kinds == unused]
    if not untrained.size:
        note(
            "{name} has no [unused] rows, so there is no group that stands for no text.",
            name=bert.name,
        )
        return
    longer = np.mean(norms[kinds == word] > np.quantile(untrained, MOST_UNUSED))
    finding(
        "Median length: words <b>{median_words}</b>, the {count} [unused] rows "
        "<b>{median_unused}</b>; <b>{share}</b> of the words are longer than {most} of those.",
        count=f"{len(untrained):,}",
        median_unused=f"{medians[unused]:.3f}",
        median_words=f"{medians[word]:.3f}",
        share=f"{longer:.2%}",
        most=f"{MOST_UNUSED:.0%}",
        method="norms-of-the-token-table",
    )


def _extremes(lengths: Array, names: Sequence[str]) -> dict[str, Any]:
    longest, shortest = extreme_rows(lengths, min(EXTREMES, len(lengths)))
    return {
        "rank": np.arange(1, len(longest) + 1),
        "longest": [names[row] for row in longest],
        "its row": longest,
        "its length": lengths[longest],
        "shortest": [names[row] for row in shortest],
        "in row": shortest,
        "of length": lengths[shortest],
    }


def _row_names(bert: Bert, name: str, rows: int, *, vector: bool) -> list[str]:
    if name == "embeddings.word_embeddings.weight":
        return list(bert.vocabulary.tokens)
    if name == "embeddings.token_type_embeddings.weight":
        return [f"segment {'AB'[row] if row < 2 else row}" for row in range(rows)]
    what = "dimension" if vector else "output dimension"
    if name == "embeddings.position_embeddings.weight":
        what = "position"
    return [f"{what} {row}" for row in range(rows)]
