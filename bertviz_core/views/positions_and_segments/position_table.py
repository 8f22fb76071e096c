"""The headline: the cosines of all positions; those of one of them, and those by distance."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.curves import curves_over, distance_curves
from bertviz_core.figures.matrices import similarity_window, window_around
from bertviz_core.positions.table import (
    explained_by_smoothness,
    nearest_positions,
)
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import (
    MODEL,
    SINUSOIDS,
    all_cosines,
    analysis_of,
    both_curves,
    percent_range,
)
from bertviz_core.views.view import View

WINDOW = 64  # rows and columns of the frame on the picture
NEIGHBORS = 10  # most similar positions that are listed
FAR = 50  # positions apart


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
    low, window = float(similarity.min()), window_around(row, column, len(similarity), WINDOW)
    part = similarity[np.ix_(*window)]
    columns, rows = (f"{first} to {last}" for first, last in window.sides)
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
            [caption("Cosine similarity of all positions"), all_cosines(bert, MODEL, low, window)],
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


@view("one position and all others", page="Positions and Segments", rank=10)
def one_position(bert: Bert, row: int) -> View:
    """Which positions are most similar to one position, and which least."""
    cosines, computed = (analysis_of(bert, one).similarity[row] for one in (MODEL, SINUSOIDS))
    nearest = nearest_positions(analysis_of(bert, MODEL).similarity, row, NEIGHBORS)
    most, least = int(nearest[0]), int(cosines.argmin())
    return card(
        say(
            "Position <b>{one}</b> is most similar to position <b>{most}</b> (cosine "
            "{most_cosine:.3f}), least to position <b>{least}</b> ({least_cosine:.3f}).",
            method="what-the-distance-of-two-positions-predicts",
            one=row,
            most=most,
            most_cosine=float(cosines[most]),
            least=least,
            least_cosine=float(cosines[least]),
        ),
        name=f"row-{row}",
        columns={
            "position": np.arange(len(cosines)),
            "cosine": cosines,
            "cosine of sinusoids": computed,
        },
        chart=curves_over(
            both_curves(cosines, computed),
            across="position j",
            up=f"cosine to position {row}",
            marked=nearest.tolist(),
            line_at=row,
            height=360,
        ),
        alt=f"Cosine similarity of position {row} to each of the {len(cosines)} positions, "
        f"down to {cosines[least]:.3f}; of sinusoids {computed.min():.3f}.",
        below=caption(
            "The dots are the {count} most similar positions; the vertical line is at the "
            "position itself.",
            count=len(nearest),
        ),
        program=program(ONE_POSITION_PROGRAM, bert, row=row, k=NEIGHBORS, name="one_position"),
    )


@once
def _by_smoothness(bert: Bert) -> Array:
    return explained_by_smoothness(bert.tables.position_embeddings)


@view("is it only the distance?", page="Positions and Segments", rank=20)
def distance(bert: Bert) -> View:
    """How well the distance of two positions predicts how similar they are."""
    profile, computed = (analysis_of(bert, one).by_distance for one in (MODEL, SINUSOIDS))
    count = len(profile.mean)
    far, middle = min(FAR, count), count // 2 + 1
    return card(
        say(
            "The distance of two positions explains <b>{explained}</b> of the differences in "
            "similarity. In random tables that are as smooth it explains {by_smoothness}, in "
            "sinusoids {explained_sinusoids}.",
            method="what-the-distance-of-two-positions-predicts",
            explained=f"{profile.explained:.0%}",
            by_smoothness=percent_range(_by_smoothness(bert)),
            explained_sinusoids=f"{computed.explained:.0%}",
        ),
        name="by-distance",
        columns=profile.columns() | {"sinusoids mean": computed.mean},
        chart=distance_curves(both_curves(profile.mean, computed.mean), profile.low, profile.high),
        alt=f"Mean cosine by distance: {profile.mean[0]:.3f} at distance 1, "
        f"{profile.mean[middle - 1]:.3f} at {middle}, of sinusoids {computed.mean[0]:.3f} and "
        f"{computed.mean[middle - 1]:.3f}.",
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

from sklearn.metrics.pairwise import cosine_similarity

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


ONE_POSITION_PROGRAM = '''
"""One row of the position table against all others."""

from sklearn.metrics.pairwise import cosine_similarity

row = ...
k = ...  # nearest positions
model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

cosines = cosine_similarity(table[row : row + 1], table)[0]
order = np.argsort(-cosines, kind="stable")
for position in order[order != row][:k]:
    print(position, f"{cosines[position]:.4f}")
print("least:", cosines.argmin(), f"{cosines.min():.4f}")
'''


DISTANCE_PROGRAM = '''
"""How alike two positions are by their distance alone, beside sinusoids of the same shape."""

from sklearn.metrics.pairwise import cosine_similarity

model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
sinusoids = np.empty((n, d))
sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])

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
