"""What the page on the inside of a model shows of single tensors and of the token table's rows."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.tensors import (
    Array,
    NormsByKind,
    TensorStatistics,
    extreme_rows,
    norms_by_kind,
    share_longer,
)
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.figures import colors
from bertviz_core.figures.inside.norms import norms_by_kind_scatter
from bertviz_core.figures.inside.tensor_histogram import tensor_histogram
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.inside_the_model import results as inside_cache
from bertviz_core.ui.inside_the_model.parameters import TABLES
from bertviz_core.ui.show import chart, code, csv_download, table

if TYPE_CHECKING:
    import pandas as pd

EXTREMES = 10
CONTROL = 0.99  # the share of [unused] rows a trained row should exceed
SCALES = {"logarithmic": True, "linear": False}
KIND_NAMES = {"unused": "[unused]", "subword": "## subword"}


def choose_tensor(bert: Bert) -> str:
    """Ask for a tensor of the file; the token table at first."""
    names = inside_cache.census_of(bert.name).names
    if st.session_state.get("tensor", names[0]) not in names:
        st.session_state["tensor"] = names[0]  # the model before had more layers
    return str(st.selectbox("Tensor", names, key="tensor", **inputs.BOUND))


def one_tensor(bert: Bert, name: str) -> None:
    """Show how the numbers of one tensor are spread, and its extreme rows."""
    found = inside_cache.statistics_of(bert.name, name)
    count = found.parameter.count
    finding(
        "<b>{count}</b> numbers from {low} to {high}, mean <b>{mean}</b>, standard deviation "
        "<b>{std}</b>; the whole tensor has length {norm}. {zeros}",
        count=f"{count:,}",
        low=f"{found.smallest:.4f}",
        high=f"{found.largest:.4f}",
        mean=f"{found.mean:.4f}",
        std=f"{found.std:.4f}",
        norm=f"{found.norm:.3f}",
        zeros=f"{found.zeros:,} are exactly 0." if found.zeros else "None is exactly 0.",
    )
    log = inputs.choice(
        "Heights",
        SCALES,
        key="heights",
        help="Logarithmic heights show single outliers; linear ones the shape of the bulk.",
    )
    color = TABLES.get(name, (name, colors.OUTPUT if "pooler" in name else colors.MUTED))[1]
    chart(
        tensor_histogram(found.counts, found.edges, color=color, log=log),
        alt=f"Histogram of the {count:,} numbers of {name} in {len(found.counts)} bins from "
        f"{found.smallest:.4f} to {found.largest:.4f}; the fullest bin holds "
        f"{found.counts.max():,}, at {_middle(found):.4f}.",
        name="tensor-histogram",
    )
    import pandas as pd  # after the picture: its import takes a third of a second

    with st.expander("The numbers of the histogram", icon=":material/table:"):
        bins = {"from": found.edges[:-1], "to": found.edges[1:], "numbers": found.counts}
        table(pd.DataFrame(bins), name="tensor-histogram", decimals=5, height=320)
    vector = len(found.parameter.shape) == 1
    st.subheader("Extreme numbers" if vector else "Extreme rows", anchor=False)
    st.caption(
        "Length here is the absolute value of each number."
        if vector
        else f"Length of each of the {len(found.row_norms):,} rows; the longest and the shortest."
    )
    names = _row_names(bert, name, len(found.row_norms), vector=vector)
    table(_extremes(found.row_norms, names), name="extreme-rows", height=_tall(len(names)))
    csv_download(
        f"All {len(found.row_norms):,} lengths as CSV",
        lambda: pd.DataFrame({"row": names, "length": found.row_norms}),
        name="row-lengths",
    )
    shown = min(EXTREMES, len(found.row_norms))
    code(
        lambda: filled("inside/tensor", bert, name=name, bins=len(found.counts), k=shown),
        name="tensor",
    )


def token_norms(bert: Bert) -> None:
    """Draw the length of every row of the token table against its id, by kind."""
    words, norms = bert.vocabulary, bert.tables.word_norms
    described = norms_by_kind(norms, words.kinds, len(KINDS))
    _say_control(bert, described)
    names = [KIND_NAMES.get(kind, kind) for kind in KINDS]
    present = np.flatnonzero(described.counts)
    chart(
        norms_by_kind_scatter(norms, words.kinds, names, words.tokens),
        alt=f"Length of {len(norms):,} rows of the token table against their id. Medians: "
        + ", ".join(f"{names[k]} {described.medians[k]:.3f}" for k in present)
        + ".",
        name="token-norms",
    )
    st.caption(
        "One point a token. Click a kind in the legend to hide it, twice to see it alone; "
        "drag to zoom. A low id mostly means a frequent word."
    )
    import pandas as pd  # after the picture: its import takes a third of a second

    table(
        pd.DataFrame(
            {
                "kind": [names[k] for k in present],
                "rows": described.counts[present],
                "median length": described.medians[present],
                "mean": described.means[present],
                "standard deviation": described.stds[present],
                "shortest": described.smallest[present],
                "longest": described.largest[present],
            }
        ),
        name="lengths-by-kind",
    )
    st.subheader("Extreme rows", anchor=False)
    table(_extremes(norms, words.tokens), name="extreme-tokens", height=_tall(len(norms)))
    csv_download(
        f"All {len(norms):,} rows as CSV",
        lambda: pd.DataFrame(
            {
                "token id": np.arange(len(norms)),
                "token": words.tokens,
                "kind": [names[k] for k in words.kinds],
                "length": norms,
            }
        ),
        name="token-lengths",
    )
    code(lambda: filled("inside/norms", bert), name="norms")


def _say_control(bert: Bert, described: NormsByKind) -> None:
    """Compare words with the rows that no text holds."""
    unused, word = KINDS.index("unused"), KINDS.index("word")
    kinds, norms = bert.vocabulary.kinds, bert.tables.word_norms
    if not described.counts[unused]:
        note("{name} has no [unused] rows, so there is no group without training to compare with.",
             name=bert.name)  # fmt: skip
        return
    control = norms[kinds == unused]
    finding(
        "The {count} [unused] rows stand for no text and were hardly trained: their median length "
        "is <b>{control}</b>. That of words is <b>{word}</b>, and <b>{share}</b> of the words are "
        "longer than {level} of the [unused] rows.",
        count=f"{len(control):,}",
        control=f"{described.medians[unused]:.3f}",
        word=f"{described.medians[word]:.3f}",
        share=f"{share_longer(norms[kinds == word], control, CONTROL):.2%}",
        level=f"{CONTROL:.0%}",
    )
    start = bert.settings.get("initializer_range")
    if isinstance(start, float):
        st.caption(
            f"A fresh row, drawn at random with the standard deviation {start} of config.json, "
            f"has a length near {start * bert.hidden_size**0.5:.3f}. What moved an [unused] row "
            "from there is weak: it is a wrong answer whenever a masked word is predicted from the "
            "same table, now and then a random stand-in for a word, and subject to weight decay."
        )


def _extremes(lengths: Array, names: "tuple[str, ...] | list[str]") -> "pd.DataFrame":
    import pandas as pd

    longest, shortest = extreme_rows(lengths, min(EXTREMES, len(lengths)))
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(longest) + 1),
            "longest": [names[row] for row in longest],
            "its row": longest,
            "its length": lengths[longest],
            "shortest": [names[row] for row in shortest],
            "in row": shortest,
            "of length": lengths[shortest],
        }
    )


def _tall(rows: int) -> int:
    """Pixels of a table of extremes."""
    return 40 + 35 * min(EXTREMES, rows)


def _row_names(bert: Bert, name: str, rows: int, *, vector: bool) -> list[str]:
    if name == "embeddings.word_embeddings.weight":
        return list(bert.vocabulary.tokens)
    if name == "embeddings.token_type_embeddings.weight":
        return [f"segment {'AB'[row] if row < 2 else row}" for row in range(rows)]
    what = "dimension" if vector else "output dimension"
    if name == "embeddings.position_embeddings.weight":
        what = "position"
    return [f"{what} {row}" for row in range(rows)]


def _middle(found: TensorStatistics) -> float:
    fullest = int(found.counts.argmax())
    return float(found.edges[fullest : fullest + 2].mean())
