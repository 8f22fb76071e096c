"""The section "position table": which positions are alike, and what orders them."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures import colors
from bertviz_core.figures.positions.curves import Curve, curves_over, distance_curves
from bertviz_core.figures.positions.pictures import similarity_window, window_around
from bertviz_core.positions.table import PositionAnalysis, nearest_positions
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding
from bertviz_core.ui.positions.answer import percent_range
from bertviz_core.ui.positions.pictures import (
    choose_components,
    choose_row,
    distance_columns,
    matrix_columns,
    path,
    whole_matrix,
)
from bertviz_core.ui.positions.results import (
    explained_by_chance,
    explained_by_smoothness,
    position_analysis,
)
from bertviz_core.ui.show import chart, code, folded_table, table

WINDOW = 64  # rows and columns of the frame on the matrix
NEIGHBORS = 10
FAR = 50  # positions apart
COLUMN = 110  # of a first visit


def position_table(bert: Bert) -> None:
    """Show the position table: all cosines, one row of them, distances, lengths, the path."""
    analysis = position_analysis(bert.name)
    by_chance = explained_by_chance(*bert.tables.position_embeddings.shape)
    last = bert.max_position_embeddings - 1
    with slots.cells("positions", 2):
        row = choose_row(bert)
        column = inputs.number("Position j", 0, last, min(COLUMN, last), key="column")
    by_smoothness = explained_by_smoothness(bert.name)
    _say_finding(analysis, row, column, by_chance, by_smoothness)
    _matrix(bert, analysis, row, column)
    st.subheader(f"Position {row} and all others", anchor=False)
    _one_row(analysis, row)
    st.subheader("Is it only the distance?", anchor=False)
    _distances(analysis, by_chance)
    left, right = slots.row("lengths", 2, gap="medium")
    with left:
        st.subheader("How long are they?", anchor=False)
        _norms(analysis, row)
    with right:
        st.subheader("The path through the table", anchor=False)
        with slots.part("path"):
            _path(bert, row)
    folded_table(
        "The numbers of every position",
        lambda: _every_position(analysis, row),
        key="position-numbers",
        name=f"positions-beside-{row}",
    )
    code("positions/table", bert, row=row, column=column, k=NEIGHBORS, name="positions")


@st.fragment
def _path(bert: Bert, row: int) -> None:
    """Ask for two components and draw the path, without the rest of the section."""
    analysis = position_analysis(bert.name)
    path(analysis, row, choose_components(analysis), name="learned")


def _say_finding(
    analysis: PositionAnalysis, row: int, column: int, by_chance: float, by_smoothness: Array
) -> None:
    count = len(analysis.norms)
    finding(
        "Positions <b>{row}</b> and <b>{column}</b> have cosine similarity <b>{cosine}</b>. "
        "For <b>{next_door}</b> of the {count} positions the most similar one is next door "
        "({next_door_by_chance} by chance). Knowing only how far apart two positions are predicts "
        "<b>{explained}</b> of how the similarities of all pairs differ ({by_chance} in a table of "
        "random numbers, {by_smoothness} in random tables as smooth as this one).",
        method="what-the-distance-of-two-positions-predicts",
        row=row,
        column=column,
        cosine=f"{analysis.similarity[row, column]:.3f}",
        next_door=f"{analysis.next_door:.1%}",
        # All but the two at the ends have two neighbours among n - 1 others: 2 / n in all.
        next_door_by_chance=f"{2 / count:.1%}",
        count=count,
        explained=f"{analysis.by_distance.explained:.0%}",
        by_chance=f"{by_chance:.1%}",
        by_smoothness=percent_range(by_smoothness),
    )


def _matrix(bert: Bert, analysis: PositionAnalysis, row: int, column: int) -> None:
    similarity = analysis.similarity
    window = window_around(row, column, (len(similarity), len(similarity)), WINDOW)
    low = float(similarity.min())
    rows, columns = window.cells
    part = similarity[rows, columns]
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("Cosine similarity of every position with every other")
        whole_matrix(bert, analysis, low, window, "learned")
    with right:
        st.text(
            f"The frame: positions {window.first_row} to {window.last_row} with "
            f"{window.first_column} to {window.last_column}"
        )
        chart(
            similarity_window(similarity, window, low=low, of="position"),
            alt=f"Heatmap of the cosines of positions {window.first_row} to {window.last_row} "
            f"with {window.first_column} to {window.last_column}, "
            f"from {part.min():.2f} to {part.max():.2f}.",
            name="matrix-window",
        )
        st.caption(
            f"{part.size:,} of the {similarity.size:,} cells, on the same scale; each shows its "
            "value under the pointer. The sliders above move the frame."
        )
    folded_table(
        "The numbers in the frame",
        lambda: matrix_columns(part, window.first_row, window.first_column),
        key="frame-numbers",
        name=f"cosines-{window.first_row}-{window.first_column}",
    )


def _one_row(analysis: PositionAnalysis, row: int) -> None:
    nearest = nearest_positions(analysis.similarity, row, NEIGHBORS)
    cosines = analysis.similarity[row]
    left, right = st.columns([5, 2], gap="medium")
    with left:
        chart(
            curves_over(
                [Curve(f"position {row}", cosines, colors.POSITION)],
                across="position j",
                up=f"cosine to position {row}",
                marked=nearest.tolist(),
                line_at=row,
            ),
            alt=f"Cosine similarity of position {row} to each of the {len(cosines)} positions: "
            f"1 at itself, {cosines[nearest[0]]:.3f} at position {nearest[0]}, down to "
            f"{cosines.min():.3f} at position {cosines.argmin()}.",
            name=f"row-{row}",
        )
        st.caption(
            f"The dots are the {len(nearest)} most similar positions; the line is {row} itself."
        )
    with right:
        table(
            {
                "rank": np.arange(1, len(nearest) + 1),
                "position": nearest,
                "cosine": cosines[nearest],
            },
            name=f"nearest-to-{row}",
        )


def _distances(analysis: PositionAnalysis, by_chance: float) -> None:
    profile = analysis.by_distance
    count = len(profile.mean)
    far, middle = min(FAR, count), count // 2 + 1
    finding(
        "Next-door positions have a mean cosine of <b>{next_door_cosine}</b>, positions {far} "
        "apart <b>{far_cosine}</b>. Predicting every pair by the mean at its distance explains "
        "<b>{explained}</b> of the variance; the rest depends on where in the text the pair is.",
        method="what-the-distance-of-two-positions-predicts",
        next_door_cosine=f"{profile.mean[0]:.3f}",
        far=far,
        far_cosine=f"{profile.mean[far - 1]:.3f}",
        explained=f"{profile.explained:.1%}",
    )
    chart(
        distance_curves(
            [Curve("mean of all pairs", profile.mean, colors.POSITION)], profile.low, profile.high
        ),
        alt=f"Mean cosine by distance: {profile.mean[0]:.3f} at distance 1, "
        f"{profile.mean[middle - 1]:.3f} at {middle}; the mean at its distance predicts "
        f"{profile.explained:.1%} of how the cosines of pairs differ, by chance {by_chance:.1%}.",
        name="by-distance",
    )
    folded_table(
        "The numbers by distance",
        lambda: distance_columns({"cosine": analysis}),
        key="distance-numbers",
        name="cosine-by-distance",
    )


def _norms(analysis: PositionAnalysis, row: int) -> None:
    norms = analysis.norms
    longest = int(norms.argmax())
    finding(
        "Position <b>{longest}</b> has the longest row, <b>{length}</b>; the median is "
        "<b>{median}</b>.",
        method="lengths-and-paths-of-positions",
        longest=longest,
        length=f"{norms[longest]:.2f}",
        median=f"{np.median(norms):.2f}",
    )
    chart(
        curves_over(
            [Curve("length", norms, colors.POSITION)],
            across="position",
            up="length (Euclidean norm)",
            line_at=row,
            height=400,
        ),
        alt=f"Length of each of the {len(norms)} position embeddings: {norms[0]:.2f} at position "
        f"0, median {np.median(norms):.2f}, longest {norms[longest]:.2f} at {longest}.",
        name="norms",
    )


def _every_position(analysis: PositionAnalysis, row: int) -> dict[str, Any]:
    return {
        "position": np.arange(len(analysis.norms)),
        f"cosine to {row}": analysis.similarity[row],
        "length": analysis.norms,
        "most similar": analysis.nearest,
    } | {
        f"component {number}": component
        for number, component in enumerate(analysis.path.coordinates.T, start=1)
    }
