"""The headline: the cosines of all positions as a picture, and those around two of them."""

from typing import Annotated

from bertviz_core.bert import Bert
from bertviz_core.figures.matrices import similarity_window, window_around
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import (
    MODEL,
    all_cosines,
    analysis_of,
    cosines_file,
    matrix_columns,
)
from bertviz_core.views.view import View

WINDOW = 64  # rows and columns of the frame on the picture


def last_position(bert: Bert) -> int:
    """The end of both fields."""
    return bert.max_position_embeddings - 1


@view("the position table", page="Positions and Segments", rank=0)
def position_table(
    bert: Bert,
    row: Annotated[int, Slider("Position i", 0, last_position)] = 100,
    column: Annotated[int, Slider("Position j", 0, last_position)] = 110,
) -> View:
    """How similar the rows of all positions are to each other, and of two of them."""
    analysis = analysis_of(bert, MODEL)
    similarity = analysis.similarity
    low, window = float(similarity.min()), window_around(row, column, similarity.shape, WINDOW)
    part = similarity[window.cells]
    rows = f"{window.first_row} to {window.last_row}"
    columns = f"{window.first_column} to {window.last_column}"
    return View(
        say(
            "<b>{next_door}</b> of {count} positions are most similar to a direct neighbour; {row} "
            "and {column} have cosine <b>{cosine:.3f}</b>.",
            method="what-the-distance-of-two-positions-predicts",
            row=row,
            column=column,
            cosine=float(similarity[row, column]),
            next_door=round(analysis.next_door * len(similarity)),
            count=len(similarity),
        ),
        beside(
            [
                caption("Cosine similarity of all positions"),
                all_cosines(bert, MODEL, low, window),
            ],
            [
                caption("In the frame: {rows} with {columns}", rows=rows, columns=columns),
                picture(
                    similarity_window(similarity, window, low=low),
                    alt=f"Heatmap of the cosines of positions {rows} with {columns}, from "
                    f"{part.min():.2f} to {part.max():.2f}.",
                    name="matrix-window",
                ),
            ],
        ),
        table(
            lambda: matrix_columns(part, window.first_row, window.first_column),
            name="cosines",
            fold="Table",
            files=cosines_file(bert, MODEL),
        ),
        program(
            "positions/table",
            bert,
            row=row,
            column=column,
            name="positions",
            arrays=lambda: {
                "position embeddings": bert.tables.position_embeddings,
                "cosines": similarity,
            },
        ),
    )
