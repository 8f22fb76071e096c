"""What the page on positions shows of the position table."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures import colors
from bertviz_core.figures.heatmaps.pictures import (
    Window,
    similarity_picture,
    similarity_window,
    window_around,
)
from bertviz_core.figures.positions.curves import Curve, curves_over, distance_curves
from bertviz_core.figures.positions.path import path_figure
from bertviz_core.positions.table import Array, PositionAnalysis, nearest_positions
from bertviz_core.snippets.positions import position_table_code
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding
from bertviz_core.ui.positions import results as position_cache
from bertviz_core.ui.show import chart, code, csv_download, table
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    import pandas as pd

PARTS = {
    part: part for part in ("position table", "against sinusoids", "segment table", "experiments")
}
WINDOW = 64
NEIGHBORS = 10
ROW, COLUMN = 100, 110


def position_table(bert: Bert) -> None:
    """Show the position table: all cosines, one row of them, distances, lengths, the path."""
    with waiting("Comparing all positions …", height=720):
        analysis = position_cache.position_analysis(bert.name)
        chance = position_cache.explained_by_chance(*bert.tables.position_embeddings.shape)
    last = bert.max_position_embeddings - 1
    left, right = slots.row("positions", 2)
    with left:
        row = choose_row(bert)
    with right:
        column = inputs.number("Position j", 0, last, min(COLUMN, last), key="column")
    _say_finding(analysis, row, column, chance)
    _matrix(analysis, row, column)
    st.subheader(f"Position {row} and all others", anchor=False)
    _one_row(analysis, row)
    st.subheader("Is it only the distance?", anchor=False)
    _distances(analysis, chance)
    left, right = slots.row("lengths", 2, gap="medium")
    with left:
        st.subheader("How long are they?", anchor=False)
        _norms(analysis, row)
    with right:
        st.subheader("The path through the table", anchor=False)
        path(analysis, row, choose_components(analysis), name="learned")
    with st.expander("The numbers of every position", icon=":material/table:"):
        table(_every_position(analysis, row), name=f"positions-beside-{row}", height=400)
    code(lambda: position_table_code(bert, row, column, NEIGHBORS), name="positions")


def choose_row(bert: Bert) -> int:
    """Ask for a position."""
    last = bert.max_position_embeddings - 1
    return inputs.number("Position i", 0, last, min(ROW, last), key="row")


def choose_components(analysis: PositionAnalysis) -> int:
    """Ask for two principal components that follow each other; the first of them, from 0."""
    count = analysis.path.coordinates.shape[1]
    pairs = {f"{i} and {i + 1}": i - 1 for i in range(1, count, 2)}
    return inputs.choice("Principal components", pairs, key="components")


def path(analysis: PositionAnalysis, row: int, first: int, *, name: str) -> None:
    """Draw the positions along two of their principal components."""
    shown = slice(first, first + 2)
    chart(
        path_figure(
            analysis.path.coordinates[:, shown],
            analysis.path.explained[shown],
            (first + 1, first + 2),
            of="position",
            mark=row,
        ),
        alt=f"The {len(analysis.norms)} positions joined in order on principal components "
        f"{first + 1} and {first + 2}, which hold {analysis.path.explained[shown].sum():.0%} of "
        f"the table's variance; position {row} is ringed.",
        name=f"path-{name}",
    )


def whole_matrix(analysis: PositionAnalysis, low: float, window: Window | None, name: str) -> None:
    """Draw all cosines of a table as one picture, with its file."""
    count = len(analysis.similarity)
    chart(
        similarity_picture(analysis.similarity, low=low, of="position", window=window),
        alt=f"Picture of the cosine similarity between all {count} × {count} pairs of positions, "
        f"from {analysis.similarity.min():.2f} to 1; bright along the diagonal, where positions "
        "are close.",
        name=f"matrix-{name}",
    )
    csv_download(
        f"All {count} × {count} cosines as CSV",
        lambda: matrix_frame(analysis.similarity, 0, 0),
        name=f"position-cosines-{name}",
    )


def matrix_frame(values: Array, first_row: int, first_column: int) -> "pd.DataFrame":
    """A matrix as a table whose rows and columns carry their positions."""
    import pandas as pd

    columns = [str(i) for i in range(first_column, first_column + values.shape[1])]
    frame = pd.DataFrame(values, columns=columns)
    frame.insert(0, "position", np.arange(first_row, first_row + len(values)))
    return frame


def distance_frame(profiles: dict[str, PositionAnalysis]) -> "pd.DataFrame":
    """The profiles of several tables by distance, beside each other."""
    import pandas as pd

    first = next(iter(profiles.values())).by_distance
    columns: dict[str, object] = {
        "distance": np.arange(1, len(first.mean) + 1),
        "pairs": first.pairs,
    }
    for name, analysis in profiles.items():
        profile = analysis.by_distance
        columns |= {
            f"{name} mean": profile.mean,
            f"{name} 10%": profile.low,
            f"{name} 90%": profile.high,
        }
    return pd.DataFrame(columns)


def _say_finding(analysis: PositionAnalysis, row: int, column: int, chance: float) -> None:
    finding(
        "Positions <b>{row}</b> and <b>{column}</b> have cosine similarity <b>{cosine}</b>. "
        "For <b>{next_door}</b> of the {count} positions the most similar one is next door. The "
        "distance |i − j| alone explains <b>{explained}</b> of how the similarities of all pairs "
        "differ ({chance} in a table of random numbers).",
        row=row,
        column=column,
        cosine=f"{analysis.similarity[row, column]:.3f}",
        next_door=f"{analysis.next_door:.1%}",
        count=len(analysis.norms),
        explained=f"{analysis.by_distance.explained:.0%}",
        chance=f"{chance:.1%}",
    )


def _matrix(analysis: PositionAnalysis, row: int, column: int) -> None:
    similarity = analysis.similarity
    window = window_around(row, column, (len(similarity), len(similarity)), WINDOW)
    low = float(similarity.min())
    rows, columns = window.cells
    part = similarity[rows, columns]
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("Cosine similarity of every position with every other")
        whole_matrix(analysis, low, window, "learned")
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
    with st.expander("The numbers in the frame", icon=":material/table:"):
        table(
            matrix_frame(part, window.first_row, window.first_column),
            name=f"cosines-{window.first_row}-{window.first_column}",
            height=320,
        )


def _one_row(analysis: PositionAnalysis, row: int) -> None:
    near = nearest_positions(analysis.similarity, row, NEIGHBORS)
    cosines = analysis.similarity[row]
    left, right = st.columns([5, 2], gap="medium")
    with left:
        chart(
            curves_over(
                [Curve(f"position {row}", cosines, colors.POSITION)],
                across="position j",
                up=f"cosine to position {row}",
                marked=near.tolist(),
                line_at=row,
            ),
            alt=f"Cosine similarity of position {row} to each of the {len(cosines)} positions: "
            f"1 at itself, {cosines[near[0]]:.3f} at position {near[0]}, down to "
            f"{cosines.min():.3f} at position {cosines.argmin()}.",
            name=f"row-{row}",
        )
        st.caption(
            f"The dots are the {len(near)} most similar positions; the line is {row} itself."
        )
    with right:
        table(_neighbors(analysis, row), name=f"nearest-to-{row}", height=360)


def _neighbors(analysis: PositionAnalysis, row: int) -> "pd.DataFrame":
    import pandas as pd

    near = nearest_positions(analysis.similarity, row, NEIGHBORS)
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(near) + 1),
            "position": near,
            "cosine": analysis.similarity[row, near],
        }
    )


def _distances(analysis: PositionAnalysis, chance: float) -> None:
    profile = analysis.by_distance
    finding(
        "Next-door positions have a mean cosine of <b>{one}</b>, positions {far} apart "
        "<b>{other}</b>. Predicting every pair by the mean at its distance explains "
        "<b>{explained}</b> of the variance; the rest depends on where the pair stands.",
        one=f"{profile.mean[0]:.3f}",
        far=min(50, len(profile.mean)),
        other=f"{profile.mean[min(50, len(profile.mean)) - 1]:.3f}",
        explained=f"{profile.explained:.1%}",
    )
    chart(
        distance_curves(
            [Curve("mean of all pairs", profile.mean, colors.POSITION)], profile.low, profile.high
        ),
        alt=f"Mean cosine by distance: {profile.mean[0]:.3f} at distance 1, "
        f"{profile.mean[len(profile.mean) // 2]:.3f} at {len(profile.mean) // 2 + 1}; distance "
        f"alone explains {profile.explained:.1%} of the variance, by chance {chance:.1%}.",
        name="by-distance",
    )
    with st.expander("The numbers by distance", icon=":material/table:"):
        table(distance_frame({"cosine": analysis}), name="cosine-by-distance", height=320)


def _norms(analysis: PositionAnalysis, row: int) -> None:
    norms = analysis.norms
    longest = int(norms.argmax())
    finding(
        "Position <b>{longest}</b> is longest, <b>{most}</b>; the median is <b>{median}</b>.",
        longest=longest,
        most=f"{norms[longest]:.2f}",
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


def _every_position(analysis: PositionAnalysis, row: int) -> "pd.DataFrame":
    import pandas as pd

    columns: dict[str, object] = {
        "position": np.arange(len(analysis.norms)),
        f"cosine to {row}": analysis.similarity[row],
        "length": analysis.norms,
        "most similar": analysis.nearest,
    }
    for number, component in enumerate(analysis.path.coordinates.T, start=1):
        columns[f"component {number}"] = component
    return pd.DataFrame(columns)
