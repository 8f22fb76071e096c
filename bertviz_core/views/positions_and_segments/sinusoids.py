"""A model's positions beside the sinusoids of the original Transformer."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.colors import MUTED, POSITION
from bertviz_core.positions.table import (
    SAME,
    analyse_positions,
    correlation_of_cosines,
    mean_by_distance,
    sinusoidal_table,
)
from bertviz_core.shared.results import once
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.positions_and_segments.position_table import analysis_of
from bertviz_core.views.view import View, caption, program, say

OURS, SINUSOIDS = "this model", "sinusoids"


@once
def _cosines_of_sinusoids(count: int, hidden_size: int) -> Array:
    return analyse_positions(sinusoidal_table(count, hidden_size)).similarity


@view("against sinusoids", page="Positions and Segments", rank=40, doing="Comparing both tables …")
def against_sinusoids(bert: Bert) -> View:
    """Whether the positions are the sinusoids of the original Transformer."""
    cosines = {
        OURS: analysis_of(bert).similarity,
        SINUSOIDS: _cosines_of_sinusoids(*bert.tables.position_embeddings.shape),
    }
    correlation = correlation_of_cosines(*cosines.values())
    return card(
        say(
            "Are these positions sinusoids? <b>{answer}</b> The cosines of all pairs of positions "
            "have a correlation of <b>{correlation:.2f}</b> with those of sinusoids.",
            method="are-they-sinusoids",
            answer="Yes, or a rotation of them." if correlation >= SAME else "No.",
            correlation=correlation,
        ),
        name="cosines-by-distance",
        columns={
            "distance": np.arange(1, bert.max_position_embeddings),
            **{title: mean_by_distance(each) for title, each in cosines.items()},
        },
        chart=Curves("mean cosine of two positions", {OURS: POSITION, SINUSOIDS: MUTED}),
        below=caption(
            "The mean over all pairs of positions that are so far apart. Of sinusoids the cosine "
            "depends on the distance alone."
        ),
        program=program(
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
