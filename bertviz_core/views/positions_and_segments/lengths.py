"""How long the rows of the position table are, and the path they take through its dimensions."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures import colors
from bertviz_core.figures.axes import titled
from bertviz_core.figures.curves import Curve, curves_over
from bertviz_core.figures.drawing import Figure, draw, marks
from bertviz_core.positions.table import COMPONENTS, PrincipalPath
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import MODEL, SINUSOIDS, analysis_of
from bertviz_core.views.view import Part, View


def component_pairs(bert: Bert) -> dict[str, int]:
    """Principal components that follow each other; the first of the two, from 0."""
    count = min(COMPONENTS, bert.max_position_embeddings - 1, bert.hidden_size)
    return {f"{i} and {i + 1}": i - 1 for i in range(1, count, 2)}


@view("lengths and path", page="Positions and Segments", rank=30)
def lengths(
    bert: Bert,
    row: int,
    components: Annotated[
        int,
        Choice(
            "Principal components", component_pairs, about="the principal components of the path"
        ),
    ] = 0,
) -> View:
    """How long each position's row is, and the path of all positions, beside sinusoids."""
    own, computed = (analysis_of(bert, which) for which in (MODEL, SINUSOIDS))
    norms, shown = own.norms, slice(components, components + 2)
    longest = int(norms.argmax())
    paths: list[list[Part]] = [
        [
            caption(title),
            picture(
                path_figure(analysis.path, components, row),
                alt=f"{title}: the {len(norms)} positions joined in order on principal components "
                f"{components + 1} and {components + 2}, which hold "
                f"{analysis.path.explained[shown].sum():.0%} of the table's variance; position "
                f"{row} is ringed.",
                name=f"path-{which}",
            ),
        ]
        for title, which, analysis in (
            ("The path of this model", MODEL, own),
            ("The path of sinusoids", SINUSOIDS, computed),
        )
    ]
    return View(
        say(
            "Position <b>{longest}</b> has the longest row, <b>{length:.2f}</b>; the median is "
            "<b>{median:.2f}</b>, the shortest {shortest:.2f}. All sinusoids have the same "
            "length, {length_sinusoids:.2f}.",
            method="lengths-and-paths-of-positions",
            longest=longest,
            length=float(norms[longest]),
            median=float(np.median(norms)),
            shortest=float(norms.min()),
            length_sinusoids=float(computed.norms.mean()),
        ),
        picture(
            curves_over(
                [Curve("length", norms, colors.POSITION)],
                across="position",
                up="length (Euclidean norm)",
                line_at=row,
            ),
            alt=f"Length of each of the {len(norms)} position embeddings: {norms[0]:.2f} at "
            f"position 0, median {np.median(norms):.2f}, longest {norms[longest]:.2f} at position "
            f"{longest}.",
            name="norms",
        ),
        beside(*paths),
        table(
            lambda: (
                own.columns()
                | {
                    f"sinusoids {title}": values
                    for title, values in computed.path.columns().items()
                    if title != "position"
                }
            ),
            name="positions",
            fold="Table of the lengths and paths",
        ),
        program("positions/lengths", bert, first=components),
    )


def path_figure(path: PrincipalPath, first: int, mark: int) -> Figure:
    """The path through two components, from `first` on, coloured by position; `mark` is ringed."""
    x, y = path.coordinates[:, first], path.coordinates[:, first + 1]
    rows = np.arange(len(x))
    scale = {"colorscale": colors.SIMILARITY, "showscale": True}
    line = marks(
        x,
        y,
        {"color": rows, "size": 6, "colorbar": {"title": {"text": "position"}}} | scale,
        "position %{customdata}<br>%{x:.3f}, %{y:.3f}",
        mode="lines+markers",
        # Faint: a path that goes round often must not hide its points.
        line={"color": colors.faint(colors.MUTED, 0.45), "width": 0.8},
        customdata=rows,
    )
    look = {"size": 13, "symbol": "circle-open", "color": colors.MARK, "line": {"width": 2.5}}
    ring = marks(x[[mark]], y[[mark]], look)
    across, up = (
        titled(f"component {number + 1} ({path.explained[number]:.0%} of the variance)")
        for number in (first, first + 1)
    )
    return draw([line, ring], height=400, xaxis=across, yaxis=up)
