"""Where a cosine in the token table stands: its percentile among pairs of random rows."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.neighbors import Neighbors
from bertviz_core.ui.calibrations import table_calibration
from bertviz_core.ui.html import note
from bertviz_core.ui.percentiles import columns_with_centred, pictures
from bertviz_core.ui.show import code, table


def centred_scores(bert: Bert, calibration: Calibration, neighbors: Neighbors) -> Array:
    """Cosines of a query with its neighbours after taking the table's mean off every row.

    Args:
        bert: The model in use.
        calibration: Of its token table.
        neighbors: In a sum such as king - man + woman each term loses the mean.

    Returns:
        float32 (k,), one cosine a neighbour.
    """
    # `centred_cosines` takes the mean off once: the signs of a sum may ask for more or less.
    more = sum(term.sign for term in neighbors.terms) - 1
    query = neighbors.vector.astype(np.float64) - more * calibration.means[0].astype(np.float64)
    rows = bert.tables.word_embeddings[neighbors.token_ids]
    return calibration.centred_cosines(query[None], rows)[0]


def on_percentile_scale(bert: Bert, nearest: Mapping[str, Neighbors]) -> None:
    """Fold away the percentile scale of the table, with the best answer of each query marked.

    Args:
        bert: The model in use.
        nearest: Neighbours by cosine, at least one, by query and best answer.
    """
    folded = st.expander(
        "Percentile scale: the cosines of random rows",
        icon=":material/straighten:",
        key="worth",
        bind="query-params",
    )
    if folded.open:
        with folded:
            _unfolded(bert, nearest)


def _unfolded(bert: Bert, nearest: Mapping[str, Neighbors]) -> None:
    calibration = table_calibration(bert.name)
    cosines = np.array([neighbors.scores[0] for neighbors in nearest.values()])
    centred = np.array(
        [centred_scores(bert, calibration, neighbors)[0] for neighbors in nearest.values()]
    )
    pairs = zip(cosines.tolist(), centred.tolist(), strict=True)
    marks = dict(zip(nearest if len(nearest) > 1 else [""], pairs, strict=True))
    pictures(calibration, marks, pairs="pairs of random rows ([unused] ones left out)")
    note(
        "Measured on {pairs} pairs among {rows} rows drawn at random, without special tokens and "
        "[unused]; their mean cosine is {mean}, mean-centred {centred}.",
        pairs=f"{calibration.pairs:,}",
        rows=f"{calibration.vectors:,}",
        mean=f"{calibration.anisotropy[0]:.3f}",
        centred=f"{calibration.centred_anisotropy[0]:.3f}",
    )
    table(
        {"query and its nearest": list(nearest)}
        | columns_with_centred("cosine", cosines, centred, calibration),
        name="percentile-scale",
    )
    code("calibration/table", bert, cosine=round(float(cosines[0]), 6), name="table-ruler")
