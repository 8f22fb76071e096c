"""The headline: the cosines of all positions with each other."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures.matrices import (
    similarity_picture,
    similarity_png,
    similarity_window,
    window_around,
)
from bertviz_core.positions.table import PositionAnalysis, analyse_positions
from bertviz_core.shared.results import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.view import View, beside, caption, picture, program, say, table

WINDOW = 64  # rows and columns of the frame on the picture


def _last_position(page: Mapping[str, Any]) -> int:
    return page["bert"].max_position_embeddings - 1


@once
def analysis_of(bert: Bert) -> PositionAnalysis:
    """How the rows of the position table compare with each other."""
    return analyse_positions(bert.tables.position_embeddings)


@once
def _png(bert: Bert) -> str:
    similarity = analysis_of(bert).similarity
    return similarity_png(similarity, float(similarity.min()))


@view("the position table", page="Positions and Segments", rank=0)
def position_table(
    bert: Bert,
    row: Annotated[int, Slider("Position i", 0, _last_position)] = 100,
    column: Annotated[int, Slider("Position j", 0, _last_position)] = 110,
) -> View:
    """How similar the rows of all positions are to each other, and of two of them."""
    analysis = analysis_of(bert)
    similarity = analysis.similarity
    count = len(similarity)
    low = float(similarity.min())
    window = window_around(row, column, count, WINDOW)
    most = int(analysis.nearest[row])
    least = int(similarity[row].argmin())
    part = similarity[np.ix_(*window)]
    columns, rows = (f"{first} to {last}" for first, last in window.sides)
    return View(
        say(
            "<b>{next_door}</b> of {count} positions are most similar to a direct neighbour; {row} "
            "and {column} have cosine <b>{cosine:.3f}</b>.",
            method="rows-of-the-position-table",
            row=row,
            column=column,
            cosine=float(similarity[row, column]),
            next_door=round(analysis.next_door * count),
            count=count,
        ),
        beside(
            [
                caption("Cosine similarity of all positions"),
                picture(
                    similarity_picture(_png(bert), count=count, low=low, window=window),
                    alt=f"Picture of the cosine similarity between all {count} × {count} pairs of "
                    f"positions, from {low:.2f} to 1, which is that of a position with itself.",
                    name="matrix",
                    typed=False,
                ),
            ],
            [
                caption(
                    "The part in the frame, enlarged: positions {rows} (down) and {columns} "
                    "(across)",
                    rows=rows,
                    columns=columns,
                ),
                picture(
                    similarity_window(part, window, low=low),
                    alt=f"Heatmap of the cosines of positions {rows} with {columns}, from "
                    f"{part.min():.2f} to {part.max():.2f}.",
                    name="matrix-window",
                ),
            ],
            presented=1,
        ),
        caption(
            "Position {row} is most similar to position <b>{most}</b> (cosine {most_cosine:.3f}), "
            "least to position <b>{least}</b> ({least_cosine:.3f}).",
            row=row,
            most=most,
            most_cosine=float(similarity[row, most]),
            least=least,
            least_cosine=float(similarity[row, least]),
        ),
        table(
            lambda: (
                {"position": np.array(window.rows)}
                | dict(zip(map(str, window.columns), part.T, strict=True))
            ),
            name="cosines",
            fold="Table",
        ),
        program(
            PROGRAM,
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


PROGRAM = '''
"""The rows of the position table compared with each other."""

row = ...
column = ...
model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

similarity = cosine_similarity(table)
first, last = max(column - 5, 0), column + 5
for position, cosine in enumerate(similarity[row, first:last], start=first):
    print(f"cosine of {row} and {position}: {cosine:.4f}")

others = similarity - 3 * np.eye(len(table))  # without each position itself
next_door = abs(others.argmax(axis=1) - np.arange(len(table))) == 1
most, least = others[row].argmax(), similarity[row].argmin()
print(f"most similar to {row}: {most}, {similarity[row, most]:.4f}")
print(f"least: {least}, {similarity[row, least]:.4f}")
print("most similar to a direct neighbour:", next_door.sum(), "of", len(table))
'''
