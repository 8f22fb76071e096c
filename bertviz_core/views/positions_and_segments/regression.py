"""Whether the number of a position can be read off its row, and off the rows of other tables."""

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT
from bertviz_core.positions.baselines import COVARIANCES, NUMBERS, WALK, random_tables
from bertviz_core.positions.regression import STRENGTHS, numbers_read
from bertviz_core.positions.table import SHORT
from bertviz_core.shared import once
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, program, say, table
from bertviz_core.views.positions_and_segments.position_table import SINUSOIDS, table_of
from bertviz_core.views.view import View

OWN, FIRST, TRUE = "this model", "this model, fitted on 0 to 127", "its number"
CURVES = {OWN: POSITION, SINUSOIDS: SEGMENT, FIRST: OUTPUT, TRUE: MUTED}
READ = 0.5  # of the error off random numbers: below, it is said that a number can be read
BLOCK = 32  # rows left out together: between its neighbours a row would only be interpolated


@once
def _read(bert: Bert) -> dict[str, Exact]:
    """The numbers as read off this table and others, (n,); by the last only those from 128 on."""
    own, numbers = bert.tables.position_embeddings, np.arange(bert.max_position_embeddings)
    others = {kind: draw(0) for kind, draw in random_tables(own).items()}
    tables = {OWN: own, SINUSOIDS: table_of(bert, SINUSOIDS), **others}
    blocks = numbers * (len(own) // BLOCK) // len(own)
    read = {kind: numbers_read(one, blocks) for kind, one in tables.items()}
    return read | {FIRST: numbers_read(own, np.where(numbers < SHORT, -1, 0))}


@view("can a position be read off its row?", page="Positions and Segments", rank=35, card=True)
def read_off(bert: Bert) -> View:
    """How well a linear regression finds the number of a position from its row alone."""
    if (count := bert.max_position_embeddings) < SHORT + BLOCK:
        return View(note("This model has {count} positions: too few to leave out.", count=count))
    read, numbers = _read(bert), np.arange(count)
    apart = {kind: np.abs(own - numbers) for kind, own in read.items()}
    errors = {kind: float(np.nanmean(own)) for kind, own in apart.items()}
    return card(
        say(
            "The number of a position <b>{can}</b> be read off its row: a linear regression that "
            "has not seen the {block} rows around it has a mean error of <b>{error:.1f}</b> "
            "positions. For random numbers the error is <b>{random:.0f}</b>, for random rows as "
            "smooth as these {smooth:.0f}, for sinusoids {sinusoids:.1f}, for a random walk "
            "{walk:.1f}.",
            method="a-position-read-off-its-row",
            can="can" if errors[OWN] < READ * errors[NUMBERS] else "cannot",
            block=BLOCK,
            error=errors[OWN],
            random=errors[NUMBERS],
            smooth=errors[COVARIANCES],
            sinusoids=errors[SINUSOIDS],
            walk=errors[WALK],
        ),
        name="read-off",
        columns={"position": numbers, TRUE: numbers, **read},
        chart=Chart("curves", "number that is read", CURVES, ".0f"),
        below=[
            caption(
                "Fitted on rows 0 to 127 alone, it reads those from 128 on as {low:.0f} to "
                "{high:.0f}, with a mean error of {beyond:.0f}. With only the {block} rows around "
                "left out, it is {before:.0f} before 128, and {after:.0f} from there on.",
                low=float(np.nanmin(read[FIRST])),
                high=float(np.nanmax(read[FIRST])),
                beyond=errors[FIRST],
                block=BLOCK,
                before=float(apart[OWN][:SHORT].mean()),
                after=float(apart[OWN][SHORT:].mean()),
            ),
            table({"table": [*errors], "mean error": [*errors.values()]}, name="read-errors"),
        ],
        fold="Each position",
        program=program(PROGRAM, bert, strengths=list(STRENGTHS), block=BLOCK, name="read_off"),
    )


PROGRAM = '''
"""The number of a position read off its row, by a regression that has not seen its block."""

strengths = ...
block = ...
sinusoids_of = ...
model = ...
own = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = own.shape
numbers, draw = np.arange(n), np.random.default_rng(0).standard_normal((n, d))
tables = {"this model": own, "sinusoids": sinusoids_of(n, d)}
tables |= {"random numbers": draw, "random walk": draw.cumsum(axis=0)}
leave_out = {"groups": numbers * (n // block) // n, "cv": LeaveOneGroupOut()}
for name, table in tables.items():
    square, errors = ((table - table.mean(axis=0)) ** 2).sum() / d, []
    for strength in strengths:
        read = cross_val_predict(Ridge(strength * square), table, numbers, **leave_out)
        errors.append(abs(read - numbers).mean())
    print(f"{name}: {min(errors):.2f} off")
'''
