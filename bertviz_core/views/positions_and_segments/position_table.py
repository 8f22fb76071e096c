"""The headline: the cosines of all positions; and how far their distance explains them."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.colors import MUTED, POSITION
from bertviz_core.figures.matrices import (
    similarity_picture,
    similarity_png,
    similarity_window,
    window_around,
)
from bertviz_core.positions.baselines import sinusoidal_table
from bertviz_core.positions.table import (
    PositionAnalysis,
    analyse_positions,
    explained_by_smoothness,
)
from bertviz_core.shared import once
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.view import View

MODEL, SINUSOIDS = "model", "sinusoids"
METHOD = "what-the-distance-of-two-positions-predicts"
WINDOW = 64  # rows and columns of the frame on the picture
FAR = 50  # positions apart


def _last_position(page: Mapping[str, Any]) -> int:
    return page["bert"].max_position_embeddings - 1


@once
def table_of(bert: Bert, which: str) -> Array:
    """The position table of a model, or the sinusoids of its shape."""
    own = bert.tables.position_embeddings
    return own if which == MODEL else sinusoidal_table(*own.shape)


@once
def analysis_of(bert: Bert, which: str) -> PositionAnalysis:
    """How the rows of either table compare with each other."""
    return analyse_positions(table_of(bert, which))


@once
def _png(bert: Bert) -> str:
    similarity = analysis_of(bert, MODEL).similarity
    return similarity_png(similarity, float(similarity.min()))


@once
def _by_smoothness(bert: Bert) -> Array:
    return explained_by_smoothness(bert.tables.position_embeddings)


def percent_range(values: Array) -> str:
    """The lowest and the highest value: "44–45%", or "44%" where they look the same."""
    low, high = f"{values.min():.0%}", f"{values.max():.0%}"
    return high if low == high else f"{low.rstrip('%')}–{high}"


@view("the position table", page="Positions and Segments", rank=0)
def position_table(
    bert: Bert,
    row: Annotated[int, Slider("Position i", 0, _last_position)] = 100,
    column: Annotated[int, Slider("Position j", 0, _last_position)] = 110,
) -> View:
    """How similar the rows of all positions are to each other, and of two of them."""
    analysis = analysis_of(bert, MODEL)
    similarity, count = analysis.similarity, len(analysis.norms)
    low, window = float(similarity.min()), window_around(row, column, count, WINDOW)
    most, least = int(analysis.nearest[row]), int(similarity[row].argmin())
    part = similarity[np.ix_(*window)]
    columns, rows = (f"{first} to {last}" for first, last in window.sides)
    return View(
        say(
            "<b>{next_door}</b> of {count} positions are most similar to a direct neighbour; {row} "
            "and {column} have cosine <b>{cosine:.3f}</b>.",
            method=METHOD,
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
                    similarity_picture(_png(bert), window, count=count, low=low),
                    alt=f"Picture of the cosine similarity between all {count} × {count} pairs of "
                    f"positions, from {low:.2f} to 1, which is that of a position with itself.",
                    name="matrix",
                    typed=False,
                ),
            ],
            [
                caption("In the frame: {rows} with {columns}", rows=rows, columns=columns),
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
            TABLE_PROGRAM,
            bert,
            row=row,
            column=column,
            name="positions",
            drawing=TABLE_DRAWING,
            arrays=lambda: {
                "position embeddings": bert.tables.position_embeddings,
                "cosines": similarity,
            },
        ),
    )


@view("is it only the distance?", page="Positions and Segments", rank=20)
def distance(bert: Bert) -> View:
    """How well the distance of two positions predicts how similar they are."""
    profile, computed = (analysis_of(bert, one).by_distance for one in (MODEL, SINUSOIDS))
    count = len(profile.mean)
    far = min(FAR, count)
    return card(
        say(
            "The distance of two positions explains <b>{explained}</b> of the differences in "
            "similarity. In random tables that are as smooth it explains {by_smoothness}, in "
            "sinusoids {explained_sinusoids}.",
            method=METHOD,
            explained=f"{profile.explained:.0%}",
            by_smoothness=percent_range(_by_smoothness(bert)),
            explained_sinusoids=f"{computed.explained:.0%}",
        ),
        name="by-distance",
        columns=profile.columns() | {"sinusoids mean": computed.mean},
        chart=Chart(
            "curves",
            "mean cosine similarity",
            {"cosine mean": POSITION, "sinusoids mean": MUTED},
            band=("cosine 10%", "cosine 90%", "10th to 90th percentile of the pairs", POSITION),
        ),
        below=caption(
            "Next-door positions have a mean cosine of {next_door_cosine:.3f}, positions {far} "
            "apart {far_cosine:.3f}. The rest depends on where in the text a pair is. In a table "
            "of random numbers the distance explains about {by_chance}, and as many positions are "
            "most similar to a direct neighbour.",
            next_door_cosine=float(profile.mean[0]),
            far=far,
            far_cosine=float(profile.mean[far - 1]),
            by_chance=f"{2 / (count + 1):.1%}",
        ),
        program=program(DISTANCE_PROGRAM, bert, name="distance"),
    )


TABLE_PROGRAM = '''
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


TABLE_DRAWING = """
import plotly.graph_objects as go

# A ring at the two positions that are asked for.
figure = go.Figure(go.Heatmap(z=similarity.astype(np.float32), colorscale="Viridis"))
ring = {"symbol": "circle-open", "size": 14}
figure.add_scatter(x=[column], y=[row], mode="markers", marker=ring)
figure.update_yaxes(autorange="reversed", scaleanchor="x", title="position i")
figure.update_layout(xaxis_title="position j", height=700)
"""


DISTANCE_PROGRAM = '''
"""How alike two positions are by their distance alone, beside sinusoids of the same shape."""

sinusoids_of = ...
model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
sinusoids = sinusoids_of(n, d)

i, j = np.triu_indices(n, 1)  # every pair once
distance = j - i
for name, rows in (("this model", table), ("sinusoids", sinusoids)):
    cosines = cosine_similarity(rows)[i, j]
    mean = np.bincount(distance, cosines) / np.maximum(np.bincount(distance), 1)
    left = ((cosines - mean[distance]) ** 2).sum() / ((cosines - cosines.mean()) ** 2).sum()
    print(f"{name}: the distance predicts {1 - left:.0%}")
    for apart in range(1, 11):
        print(f"mean cosine at distance {apart}: {mean[apart]:.4f}")
'''
