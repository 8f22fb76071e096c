"""What both position tables are shown by, the model's and the sinusoids."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.csv_files import Columns
from bertviz_core.figures.positions.pictures import Window, similarity_picture
from bertviz_core.figures.positions.tables import path_figure
from bertviz_core.positions.table import PositionAnalysis
from bertviz_core.ui import inputs
from bertviz_core.ui.positions.results import picture_of_cosines
from bertviz_core.ui.show import chart

MakeColumns = Callable[[], Columns]


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


def whole_matrix(
    bert: Bert, analysis: PositionAnalysis, low: float, window: Window | None, name: str
) -> None:
    """Draw all cosines of a table as one picture.

    Args:
        bert: The checkpoint in use.
        analysis: Of the table.
        low: The value of the darkest colour.
        window: A part to frame.
        name: Which table: "model" or "sinusoids".
    """
    count = len(analysis.similarity)
    png = picture_of_cosines(bert.name, name, low, analysis.similarity)
    chart(
        similarity_picture(analysis.similarity, low=low, of="position", window=window, png=png),
        alt=f"Picture of the cosine similarity between all {count} × {count} pairs of positions, "
        f"from {analysis.similarity.min():.2f} to 1, which is that of a position with itself.",
        name=f"matrix-{name}" if window is None else "matrix",  # both may be on the page
    )


def matrix_file(name: str, analysis: PositionAnalysis) -> dict[str, tuple[str, MakeColumns]]:
    """All cosines of a table, the model's or the sinusoids, as a file of `folded_table`."""
    count = len(analysis.similarity)
    return {
        f"All {count} × {count} cosines ({name}) as CSV": (
            f"position-cosines-{name}",
            lambda: matrix_columns(analysis.similarity),
        )
    }


def matrix_columns(values: Array, first_row: int = 0, first_column: int = 0) -> dict[str, Any]:
    """Columns of a matrix, or of a part of one, whose rows are positions.

    Args:
        values: (rows, columns).
        first_row: Number of its first row in the whole matrix.
        first_column: Number of its first column, which is the title of that column.
    """
    numbers = np.arange(first_row, first_row + len(values))
    return {"position": numbers} | {
        str(number): column for number, column in enumerate(values.T, start=first_column)
    }


def distance_columns(analyses: dict[str, PositionAnalysis]) -> dict[str, Any]:
    """Columns of the cosines by distance, of one or several tables by their names."""
    pairs = next(iter(analyses.values())).by_distance.pairs
    columns: dict[str, Any] = {"distance": np.arange(1, len(pairs) + 1), "pairs": pairs}
    for name, analysis in analyses.items():
        profile = analysis.by_distance
        columns |= {
            f"{name} mean": profile.mean,
            f"{name} 10%": profile.low,
            f"{name} 90%": profile.high,
        }
    return columns
