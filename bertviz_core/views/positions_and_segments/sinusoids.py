"""A model's positions beside the sinusoids of the original Transformer."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.matrices import similarity_picture, similarity_png
from bertviz_core.positions.table import (
    SAME,
    analyse_positions,
    correlation_of_cosines,
    mean_by_distance,
    sinusoidal_table,
)
from bertviz_core.shared.results import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Part
from bertviz_core.views.positions_and_segments.position_table import analysis_of
from bertviz_core.views.view import View, beside, caption, picture, program, say, table


@once
def _cosines_of_sinusoids(count: int, hidden_size: int) -> Array:
    return analyse_positions(sinusoidal_table(count, hidden_size)).similarity


def cosines_by_table(bert: Bert) -> dict[str, Array]:
    """The cosines of all positions, of a model and of the sinusoids of its shape, by title."""
    shape = bert.tables.position_embeddings.shape
    return {"This model": analysis_of(bert).similarity, "Sinusoids": _cosines_of_sinusoids(*shape)}


@once
def _png(bert: Bert, title: str, low: float) -> str:
    return similarity_png(cosines_by_table(bert)[title], low)


@view("against sinusoids", page="Positions and Segments", rank=40, doing="Comparing both tables …")
def against_sinusoids(bert: Bert) -> View:
    """Whether the positions are the sinusoids of the original Transformer."""
    cosines = cosines_by_table(bert)
    correlation = correlation_of_cosines(*cosines.values())
    count = bert.max_position_embeddings
    low = min(float(matrix.min()) for matrix in cosines.values())  # where the colours begin
    sides: list[list[Part]] = [
        [
            caption(title),
            picture(
                similarity_picture(_png(bert, title, low), count=count, low=low),
                alt=f"{title}: picture of the cosines of all {count} × {count} pairs of positions, "
                f"from {matrix.min():.2f} to 1.",
                name=title.lower().replace(" ", "-"),
                typed=False,
            ),
        ]
        for title, matrix in cosines.items()
    ]
    return View(
        say(
            "Are these positions sinusoids? <b>{answer}</b> The cosines of all pairs of positions "
            "have a correlation of <b>{correlation:.2f}</b> with those of sinusoids.",
            method="are-they-sinusoids",
            answer="Yes, or a rotation of them." if correlation >= SAME else "No.",
            correlation=correlation,
        ),
        beside(*sides),
        caption(
            "The cosine of position i (down) with position j (across). Of sinusoids it depends on "
            "the distance of i and j alone."
        ),
        table(
            {"distance": np.arange(1, count)}
            | {
                f"mean cosine, {title.lower()}": mean_by_distance(each)
                for title, each in cosines.items()
            },
            name="cosines-by-distance",
            fold="Table of the mean cosine by distance",
        ),
        program(
            PROGRAM,
            bert,
            arrays=lambda: {f"cosines, {title}": matrix for title, matrix in cosines.items()},
            name="sinusoids",
        ),
    )


PROGRAM = '''
"""The cosines of the position table beside those of the original Transformer's sinusoids."""

model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
sinusoids = np.empty((n, d))
sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])

both = cosine_similarity(table), cosine_similarity(sinusoids)
pairs = np.triu_indices(n, 1)
print(f"correlation: {np.corrcoef(both[0][pairs], both[1][pairs])[0, 1]:.4f}")
for distance in range(1, n):
    means = [np.diagonal(cosines, distance).mean() for cosines in both]
    print(distance, *(f"{mean:.4f}" for mean in means))
'''
