"""What a cosine in the token table is worth: its percentile among pairs of random rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.neighbors import Neighbors
from bertviz_core.snippets.calibration import table_calibration_code
from bertviz_core.ui.calibrations import table_calibration
from bertviz_core.ui.html import note
from bertviz_core.ui.percentiles import column, picture
from bertviz_core.ui.show import code, table

_SEEN = "_table_ruler"


def known(bert: Bert) -> Calibration | None:
    """The table's ruler, if this visitor has waited for it once; None before."""
    return table_calibration(bert.name) if st.session_state.get(_SEEN) == bert.name else None


def measured(bert: Bert) -> Calibration:
    """The table's ruler, measured now if it must be."""
    ruler = table_calibration(bert.name)
    st.session_state[_SEEN] = bert.name
    return ruler


def centred_scores(bert: Bert, ruler: Calibration, found: Neighbors) -> NDArray[np.float32]:
    """Cosines of a query with its neighbours after taking the table's mean off every row.

    Args:
        bert: The model in use.
        ruler: Of its token table.
        found: The neighbours; in a sum such as king - man + woman each term loses the mean.

    Returns:
        float32 (k,), one cosine a neighbour.
    """
    # `centred_cosines` takes the mean off once: the signs of a sum may ask for more or less.
    more = sum(term.sign for term in found.terms) - 1
    query = found.vector.astype(np.float64) - more * ruler.means[0].astype(np.float64)
    return ruler.centred_cosines(query[None], bert.tables.word_embeddings[found.token_ids])[0]


def worth_of(bert: Bert, shown: Mapping[str, Neighbors]) -> None:
    """Fold away the ruler, with the best answer of each query marked on it.

    Args:
        bert: The model in use.
        shown: Neighbours by cosine, at least one, by query and best answer.
    """
    folded = st.expander(
        "What a cosine in this table is worth",
        icon=":material/straighten:",
        key="worth",
        bind="query-params",
    )
    if folded.open:
        with folded:
            _ruler(bert, shown)


def _ruler(bert: Bert, shown: Mapping[str, Neighbors]) -> None:
    ruler = measured(bert)
    names = list(shown) if len(shown) > 1 else []
    raw = [float(found.scores[0]) for found in shown.values()]
    centred = [float(centred_scores(bert, ruler, found)[0]) for found in shown.values()]
    kinds = (("as they are", raw, False), ("mean-centred", centred, True))
    for place, (title, cosines, taken) in zip(st.columns(2, gap="medium"), kinds, strict=True):
        with place:
            st.text(
                f"Cosines of {ruler.pairs:,} pairs of random rows ([unused] ones left out), {title}"
            )
            for number, cosine in enumerate(cosines):
                picture(
                    ruler,
                    [cosine],
                    name=f"table-ruler-{number + 1}{'-centred' if taken else ''}",
                    centred=taken,
                    names=names[number : number + 1],
                )
    note(
        "Measured on {pairs} pairs among {rows} rows drawn at random, without special tokens and "
        "[unused]; their mean cosine is {mean}, mean-centred {centred}.",
        pairs=f"{ruler.pairs:,}",
        rows=f"{ruler.vectors:,}",
        mean=f"{ruler.anisotropy[0]:.3f}",
        centred=f"{ruler.centred_anisotropy[0]:.3f}",
    )
    import pandas as pd

    columns: dict[str, Any] = {
        "query and its nearest": list(shown),
        "cosine": raw,
        "percentile": column(ruler.percentiles(raw)),
        "mean-centred": centred,
        "mean-centred, percentile": column(ruler.percentiles(centred, centred=True)),
    }
    table(pd.DataFrame(columns), name="table-ruler")
    code(lambda: table_calibration_code(bert, raw[0]), name="table-ruler")
