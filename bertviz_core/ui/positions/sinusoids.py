"""The section "against sinusoids": a model's positions beside the first Transformer's."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures import colors
from bertviz_core.figures.positions.curves import Curve, curves_over, distance_curves
from bertviz_core.figures.positions.pictures import table_picture
from bertviz_core.positions.table import PositionAnalysis
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.html import finding
from bertviz_core.ui.positions.answer import answer
from bertviz_core.ui.positions.pictures import (
    choose_components,
    distance_columns,
    matrix_columns,
    matrix_file,
    path,
    whole_matrix,
)
from bertviz_core.ui.positions.results import (
    picture_of_table,
    position_analysis,
    sinusoid_analysis,
    sinusoid_likeness,
    sinusoidal_table,
    wave_shares,
)
from bertviz_core.ui.positions.waves import shared_patterns, strongest_waves
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting

PATTERNS = 10


def against_sinusoids(bert: Bert, row: int) -> None:
    """Show both tables in the same pictures, and how alike they are in numbers.

    Args:
        bert: The checkpoint in use.
        row: The position in view.
    """
    with waiting("Comparing both tables …", height=720):
        own = position_analysis(bert.name)
        computed = sinusoid_analysis(*bert.tables.position_embeddings.shape)
        likeness = sinusoid_likeness(bert.name)
        shares = wave_shares(bert.name)
    most = len(likeness.table.shared)
    said = st.container()
    with slots.part("slim-patterns"):
        patterns = inputs.number(
            "Strongest patterns to compare", 1, most, min(PATTERNS, most), key="patterns"
        )
    with said:
        answer(likeness, patterns)
    _both_tables(bert)
    _both_matrices(bert, own, computed)
    _curves(own, computed, row)
    shared_patterns(likeness, patterns)
    strongest_waves(*shares)
    st.subheader("The paths through both tables", anchor=False)
    with slots.part("paths"):
        _both_paths(bert, row)
    code("positions/sinusoids", bert, patterns=patterns, name="sinusoids")


def _both_tables(bert: Bert) -> None:
    st.subheader("The tables themselves", anchor=False)
    own = bert.tables.position_embeddings
    for column, title, values, name in zip(
        st.columns(2, gap="medium"),
        ("This model", "Sinusoids"),
        (own, sinusoidal_table(*own.shape)),
        ("model", "sinusoids"),
        strict=True,
    ):
        positions, dimensions = values.shape
        png, limit = picture_of_table(bert.name, name, values)
        with column:
            st.text(title)
            chart(
                table_picture(values, limit, rows="position", png=png),
                alt=f"{title}: picture of {positions} positions by {dimensions} dimensions, "
                f"red above zero, blue below; colours end at ±{limit:.2g}.",
                name=f"table-{name}",
            )
    st.caption(
        "Rows are positions, columns dimensions. The sinusoids run from fast waves on the left to "
        "slow ones on the right; another table need not have such an order."
    )


def _both_matrices(bert: Bert, own: PositionAnalysis, computed: PositionAnalysis) -> None:
    st.subheader("Which positions are alike", anchor=False)
    finding(
        "Knowing only the distance predicts <b>{explained_sinusoids}</b> of how the similarities "
        "of sinusoids differ, and <b>{explained}</b> for this model's positions.",
        method="what-the-distance-of-two-positions-predicts",
        explained_sinusoids=f"{computed.by_distance.explained:.0%}",
        explained=f"{own.by_distance.explained:.0%}",
    )
    low = float(min(own.similarity.min(), computed.similarity.min()))
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("This model")
        whole_matrix(bert, own, low, None, "model")
    with right:
        st.text("Sinusoids")
        whole_matrix(bert, computed, low, None, "sinusoids")


def _curves(own: PositionAnalysis, computed: PositionAnalysis, row: int) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        st.text(f"Cosine to position {row}")
        chart(
            curves_over(
                _pair(own.similarity[row], computed.similarity[row]),
                across="position j",
                up=f"cosine to position {row}",
                line_at=row,
                height=360,
            ),
            alt=f"Cosine of position {row} to all others: this model from "
            f"{own.similarity[row].min():.2f}, sinusoids from "
            f"{computed.similarity[row].min():.2f}, both up to 1 at {row}.",
            name=f"rows-{row}",
        )
    with right:
        st.text("By distance")
        profile = own.by_distance
        chart(
            distance_curves(
                _pair(profile.mean, computed.by_distance.mean),
                profile.low,
                profile.high,
                height=360,
            ),
            alt=f"Mean cosine by distance: at distance 1 this model {profile.mean[0]:.3f}, "
            f"sinusoids {computed.by_distance.mean[0]:.3f}.",
            name="distances-both",
        )
    left, right = slots.row("numbers", 2, gap="medium")
    with left:
        folded_table(
            "Table of the cosines",
            lambda: {
                "position": np.arange(len(own.norms)),
                "this model": own.similarity[row],
                "sinusoids": computed.similarity[row],
            },
            key="row-numbers",
            name=f"cosines-to-{row}",
            files=matrix_file("model", own) | matrix_file("sinusoids", computed),
        )
    with right:
        folded_table(
            "Table by distance",
            lambda: distance_columns({"this model": own, "sinusoids": computed}),
            key="both-distance-numbers",
            name="by-distance-both",
        )


@fragment
def _both_paths(bert: Bert, row: int) -> None:
    table = bert.tables.position_embeddings
    own, computed = position_analysis(bert.name), sinusoid_analysis(*table.shape)
    first = choose_components(own)
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("This model")
        path(own, row, first, name="model")
    with right:
        st.text("Sinusoids")
        path(computed, row, first, name="sinusoids")
    finding(
        "All sinusoids have one length, <b>{length_sinusoids}</b>; this model's positions run from "
        "<b>{shortest}</b> to <b>{longest}</b>.",
        method="lengths-and-paths-of-positions",
        length_sinusoids=f"{computed.norms.mean():.2f}",
        shortest=f"{own.norms.min():.2f}",
        longest=f"{own.norms.max():.2f}",
    )
    folded_table(
        "Table of the paths and lengths",
        lambda: _path_columns(own, computed, first),
        key="path-numbers",
        name="paths",
        files={
            f"All {values.shape[0]} × {values.shape[1]} numbers ({name}) as CSV": (
                f"positions-{name}",
                partial(matrix_columns, values),
            )
            for name, values in (("model", table), ("sinusoids", sinusoidal_table(*table.shape)))
        },
    )


def _pair(own: Array, computed: Array) -> list[Curve]:
    return [
        Curve("this model", own, colors.POSITION),
        Curve("sinusoids", computed, colors.MUTED, "dash"),
    ]


def _path_columns(own: PositionAnalysis, computed: PositionAnalysis, first: int) -> dict[str, Any]:
    columns: dict[str, Any] = {"position": np.arange(len(own.norms))}
    for name, analysis in (("this model", own), ("sinusoids", computed)):
        for component in (first, first + 1):
            columns[f"{name} component {component + 1}"] = analysis.path.coordinates[:, component]
        columns[f"{name} length"] = analysis.norms
    return columns
