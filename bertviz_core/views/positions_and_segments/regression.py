"""Whether the number of a position can be read off its row, and off the rows of other tables."""

import numpy as np

from bertviz_core.arrays import Exact, held_out_ridge
from bertviz_core.bert import Bert
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT
from bertviz_core.positions.baselines import random_table, random_walk, same_spectrum
from bertviz_core.shared import once
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import program, say
from bertviz_core.views.positions_and_segments.position_table import SINUSOIDS, table_of
from bertviz_core.views.view import View

OWN, TRUE = "this model", "its number"
SMOOTH, RANDOM, WALK = "random, as smooth", "random numbers", "random walk"
CURVES = {OWN: POSITION, SINUSOIDS: SEGMENT, SMOOTH: OUTPUT, TRUE: MUTED}
READ = 0.5  # of the error off random numbers: below, it is said that a number can be read
# Left out one after the other: between its neighbours a row would only be interpolated.
BLOCKS = 16
RIDGE = 0.1  # of the sum of squares of a dimension, the mean of all


@once
def _read(bert: Bert) -> dict[str, Exact]:
    """The numbers of positions as read off this table and others: float64 (n,)."""
    own = bert.tables.position_embeddings
    tables = {
        OWN: own,
        SINUSOIDS: table_of(bert, SINUSOIDS),
        SMOOTH: same_spectrum(own, together=True),
        WALK: random_walk(*own.shape),
        RANDOM: random_table(*own.shape),
    }
    read, numbers = {}, np.arange(len(own))
    blocks = numbers * BLOCKS // len(own)
    for kind, table in tables.items():
        rows = table.astype(np.float64)
        ridge = RIDGE * len(rows) * rows.var(axis=0).mean() or 1.0  # of equal rows any will do
        read[kind] = held_out_ridge(rows, numbers.astype(np.float64), blocks, ridge)
    return read


@view("can a position be read off its row?", page="Positions and Segments", rank=35, card=True)
def read_off(bert: Bert) -> View:
    """How well a linear regression finds the number of a position from its row alone."""
    read, numbers = _read(bert), np.arange(bert.max_position_embeddings)
    errors = {kind: float(abs(one - numbers).mean()) for kind, one in read.items()}
    return card(
        say(
            "The number of a position <b>{can}</b> be read off its row: a linear regression that "
            "has not seen the {block} rows around it has a mean error of <b>{error:.1f}</b> "
            "positions. For random numbers the error is <b>{random:.0f}</b>, for random rows as "
            "smooth as these {smooth:.0f}, for sinusoids {sinusoids:.1f}, for a random walk "
            "{walk:.1f}.",
            method="a-position-read-off-its-row",
            can="can" if errors[OWN] < READ * errors[RANDOM] else "cannot",
            block=-(-len(numbers) // BLOCKS),
            error=errors[OWN],
            random=errors[RANDOM],
            smooth=errors[SMOOTH],
            sinusoids=errors[SINUSOIDS],
            walk=errors[WALK],
        ),
        name="read-off",
        columns={"position": numbers, TRUE: numbers, **read},
        chart=Chart("curves", "number that is read", CURVES, ".0f"),
        program=program(PROGRAM, bert, ridge=RIDGE, blocks=BLOCKS, name="read_off"),
    )


PROGRAM = '''
"""The number of a position read off its row, by a regression that has not seen its block."""

ridge = ...  # of the sum of squares of a dimension, the mean of all
blocks = ...
sinusoids_of = ...
model = ...
own = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = own.shape
numbers, draw = np.arange(n), np.random.default_rng(0).standard_normal((n, d))
tables = {"this model": own, "sinusoids": sinusoids_of(n, d)}
tables |= {"random numbers": draw, "random walk": draw.cumsum(axis=0)}
for name, table in tables.items():
    regression = Ridge(ridge * n * table.var(axis=0).mean())
    read = cross_val_predict(regression, table, numbers, cv=PredefinedSplit(numbers * blocks // n))
    print(f"{name}: {abs(read - numbers).mean():.2f} off")
'''
