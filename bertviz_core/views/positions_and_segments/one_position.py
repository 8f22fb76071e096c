"""One position: the cosine of its row to all others."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures.curves import curves_over
from bertviz_core.positions.table import nearest_positions
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import (
    MODEL,
    SINUSOIDS,
    analysis_of,
    both_curves,
)
from bertviz_core.views.view import View

NEIGHBORS = 10


@view("one position and all others", page="Positions and Segments", rank=10)
def one_position(bert: Bert, row: int) -> View:
    """Which positions are most similar to one position, and which least."""
    cosines, computed = (analysis_of(bert, one).similarity[row] for one in (MODEL, SINUSOIDS))
    nearest = nearest_positions(analysis_of(bert, MODEL).similarity, row, NEIGHBORS)
    most, least = int(nearest[0]), int(cosines.argmin())
    return View(
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
        beside(
            [
                picture(
                    curves_over(
                        both_curves(cosines, computed),
                        across="position j",
                        up=f"cosine to position {row}",
                        marked=nearest.tolist(),
                        line_at=row,
                        height=360,
                    ),
                    alt=f"Cosine similarity of position {row} to each of the {len(cosines)} "
                    f"positions: 1 at itself, {cosines[most]:.3f} at position {most}, down to "
                    f"{cosines[least]:.3f} at position {least}; of sinusoids down to "
                    f"{computed.min():.3f}.",
                    name=f"row-{row}",
                ),
                caption(
                    "The dots are the {count} most similar positions; the vertical line is at the "
                    "position itself.",
                    count=len(nearest),
                ),
            ],
            table(
                {
                    "rank": np.arange(1, len(nearest) + 1),
                    "position": nearest,
                    "cosine": cosines[nearest],
                },
                name=f"nearest-to-{row}",
            ),
            widths=(5, 2),
        ),
        table(
            {
                "position": np.arange(len(cosines)),
                "cosine": cosines,
                "cosine of sinusoids": computed,
            },
            name="row",
            fold="Table of all positions",
        ),
        program("positions/one_position", bert, row=row, k=NEIGHBORS),
    )
