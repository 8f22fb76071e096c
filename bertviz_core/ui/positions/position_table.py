"""The position table: its picture, which the page opens with, and the sections about its rows."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures import colors
from bertviz_core.figures.positions.curves import Curve, curves_over, distance_curves
from bertviz_core.figures.positions.pictures import similarity_window, window_around
from bertviz_core.positions.table import PositionAnalysis, nearest_positions
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import caption, finding
from bertviz_core.ui.positions.answer import percent_range
from bertviz_core.ui.positions.pictures import (
    choose_components,
    distance_columns,
    matrix_columns,
    matrix_file,
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
ROW, COLUMN = 100, 110  # of a first visit


def choose_pair(bert: Bert) -> tuple[int, int]:
    """Ask for two positions."""
    last = bert.max_position_embeddings - 1
    left, right = slots.part("slim-positions").columns(2, gap="medium")
    with left:
        row = inputs.number("Position i", 0, last, min(ROW, last), key="row")
    with right:
        column = inputs.number("Position j", 0, last, min(COLUMN, last), key="column")
    return row, column


def position_table(bert: Bert, row: int, column: int) -> None:
    """Show all cosines of the position table, and those around two positions."""
    analysis = position_analysis(bert.name)
    finding(
        "<b>{next_door}</b> of {count} positions are most similar to a direct neighbour; {row} and "
        "{column} have cosine <b>{cosine}</b>.",
        method="what-the-distance-of-two-positions-predicts",
        row=row,
        column=column,
        cosine=f"{analysis.similarity[row, column]:.3f}",
        next_door=round(analysis.next_door * len(analysis.norms)),
        count=len(analysis.norms),
    )
    _matrix(bert, analysis, row, column)
    code(
        "positions/table",
        bert,
        row=row,
        column=column,
        k=NEIGHBORS,
        name="positions",
        arrays=lambda: {
            "position embeddings": bert.tables.position_embeddings,
            "cosines": analysis.similarity,
        },
    )


def _matrix(bert: Bert, analysis: PositionAnalysis, row: int, column: int) -> None:
    similarity = analysis.similarity
    window = window_around(row, column, (len(similarity), len(similarity)), WINDOW)
    low = float(similarity.min())
    rows, columns = window.cells
    part = similarity[rows, columns]
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("Cosine similarity of all positions")
        whole_matrix(bert, analysis, low, window, "model")
    with right:
        st.text(
            f"In the frame: {window.first_row} to {window.last_row} with "
            f"{window.first_column} to {window.last_column}"
        )
        chart(
            similarity_window(similarity, window, low=low, of="position"),
            alt=f"Heatmap of the cosines of positions {window.first_row} to {window.last_row} "
            f"with {window.first_column} to {window.last_column}, "
            f"from {part.min():.2f} to {part.max():.2f}.",
            name="matrix-window",
        )
    folded_table(
        "Table",
        lambda: matrix_columns(part, window.first_row, window.first_column),
        key="frame-numbers",
        name=f"cosines-{window.first_row}-{window.first_column}",
        files=matrix_file("model", analysis),
    )


def one_position(bert: Bert, row: int) -> None:
    """Show one row of the cosines, and the positions most similar to it."""
    analysis = position_analysis(bert.name)
    nearest = nearest_positions(analysis.similarity, row, NEIGHBORS)
    cosines = analysis.similarity[row]
    finding(
        "Position <b>{one}</b> is most similar to position <b>{most}</b> (cosine {most_cosine}), "
        "least to position <b>{least}</b> ({least_cosine}).",
        method="what-the-distance-of-two-positions-predicts",
        one=row,
        most=int(nearest[0]),
        most_cosine=f"{cosines[nearest[0]]:.3f}",
        least=int(cosines.argmin()),
        least_cosine=f"{cosines.min():.3f}",
    )
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


def is_it_the_distance(bert: Bert) -> None:
    """Show the cosines by distance, and how much of them the distance predicts."""
    analysis = position_analysis(bert.name)
    by_chance = explained_by_chance(*bert.tables.position_embeddings.shape)
    profile = analysis.by_distance
    count = len(profile.mean)
    far, middle = min(FAR, count), count // 2 + 1
    finding(
        "Knowing only how far apart two positions are predicts <b>{explained}</b> of how their "
        "similarities differ ({by_smoothness} in random tables as smooth as this one).",
        method="what-the-distance-of-two-positions-predicts",
        explained=f"{profile.explained:.0%}",
        by_smoothness=percent_range(explained_by_smoothness(bert.name)),
    )
    caption(
        "Next-door positions have a mean cosine of {next_door_cosine}, positions {far} apart "
        "{far_cosine}. What the distance does not predict depends on where in the text a pair is. "
        "In a table of random numbers the distance predicts {by_chance}, and "
        "{next_door_by_chance} of the positions are most similar to a direct neighbour.",
        next_door_cosine=f"{profile.mean[0]:.3f}",
        far=far,
        far_cosine=f"{profile.mean[far - 1]:.3f}",
        by_chance=f"{by_chance:.1%}",
        # All but the two at the ends have two neighbours among n - 1 others: 2 / n in all.
        next_door_by_chance=f"{2 / (count + 1):.1%}",
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
        "Table",
        lambda: distance_columns({"cosine": analysis}),
        key="distance-numbers",
        name="cosine-by-distance",
    )


def lengths_and_path(bert: Bert, row: int) -> None:
    """Show how long the rows are, and their path along two principal components."""
    analysis = position_analysis(bert.name)
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
    left, right = slots.row("lengths", 2, gap="medium")
    with left:
        st.text("How long they are")
        chart(
            curves_over(
                [Curve("length", norms, colors.POSITION)],
                across="position",
                up="length (Euclidean norm)",
                line_at=row,
                height=400,
            ),
            alt=f"Length of each of the {len(norms)} position embeddings: {norms[0]:.2f} at "
            f"position 0, median {np.median(norms):.2f}, longest {norms[longest]:.2f} at position "
            f"{longest}.",
            name="norms",
        )
    with right, slots.part("path"):
        path(analysis, row, choose_components(analysis), name="model")
    folded_table(
        "Table",
        lambda: _every_position(analysis, row),
        key="position-numbers",
        name=f"positions-beside-{row}",
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
