"""How long the rows of the position table are, whether those from 128 on differ, and their path."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.figures import colors
from bertviz_core.figures.axes import titled
from bertviz_core.figures.drawing import Figure, Trace, draw, frame, line, marks, panel_title
from bertviz_core.positions.borders import SHORT, Border, border_at
from bertviz_core.positions.table import COMPONENTS, PrincipalPath
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import beside, caption, note, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import MODEL, SINUSOIDS, analysis_of
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, Sentence, View

METHOD = "lengths-and-paths-of-positions"
TOO_FEW = "This model has {count} positions: too few to compare rows before and from 128 on."
TRAINED = (
    "A text trains only the rows of its own positions. BERT as first published saw 128 tokens in "
    "90% of its steps and 512 in the rest (Devlin et al. 2019, A.2). This model: {short}."
)


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
    """How long each position's row is, whether those from 128 on differ, and the path of all."""
    own, computed = (analysis_of(bert, which) for which in (MODEL, SINUSOIDS))
    norms, shown = own.norms, slice(components, components + 2)
    border, alike = border_at(norms), np.diagonal(own.similarity, 1)
    # Position 0 may be so long that all others would look alike.
    top = min(float(norms.max()), 1.5 * float(np.quantile(norms, 0.98)))
    beyond = int((norms > top).sum())
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
        _at_the_border(border) if border else note(TOO_FEW, count=len(norms)),
        picture(
            _along_positions(norms, alike, top, [SHORT] if border else []),
            alt=f"Length of each of the {len(norms)} position embeddings: {norms[0]:.2f} at "
            f"position 0, median {np.median(norms):.2f}, longest {norms.max():.2f} at position "
            f"{norms.argmax()}; below, the cosine of each with the next, median "
            f"{np.median(alike):.2f}.",
            name="norms",
        ),
        _neighbours(alike) if border else [],
        caption(TRAINED, short=origin_of(bert.checkpoint).short) if border else [],
        (caption if border else say)(
            "Position <b>{longest}</b> has the longest row, <b>{length:.2f}</b>; the median is "
            "<b>{median:.2f}</b>, the shortest {shortest:.2f}. All sinusoids have the same length, "
            "{length_sinusoids:.2f}." + " {beyond} rows end above the chart." * bool(beyond),
            method=METHOD,
            longest=int(norms.argmax()),
            length=float(norms.max()),
            median=float(np.median(norms)),
            shortest=float(norms.min()),
            length_sinusoids=float(computed.norms.mean()),
            beyond=beyond,
        ),
        beside(*paths),
        table(
            lambda: (
                own.columns()
                | {"cosine to next": [*alike.tolist(), None]}
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


def _at_the_border(border: Border) -> Sentence:
    """Whether the rows from 128 on differ in length from those before, beside other borders."""
    opening = (
        "From position 128 on, rows are <b>{longer}</b>"
        if border.is_break
        else "At position 128, lengths change <b>no more than elsewhere</b>"
    )
    return say(
        opening + ": the median is <b>{before:.3f}</b> over the 32 rows before and "
        "<b>{after:.3f}</b> over the 32 rows from there on. Of {others} other places, "
        "<b>{larger}</b> have a larger step.",
        method=METHOD,
        longer="longer" if border.after > border.before else "shorter",
        **border._asdict(),
    )


def _neighbours(alike: Array) -> Sentence:
    """How alike the rows on both sides of 128 are, and which neighbours are least alike."""
    across, least = float(alike[SHORT - 1]), np.sort(np.argsort(alike, kind="stable")[:4])
    return caption(
        "Rows 127 and 128 have cosine {across:.2f}; {less_alike} of {pairs} other pairs of "
        "neighbours are less alike. The least alike are {least}. The median cosine of neighbours "
        "is {near:.2f} before 128 and {far:.2f} from there on.",
        across=across,
        less_alike=int((alike < across).sum()),
        pairs=len(alike) - 1,
        least=joined(f"{i}–{i + 1}" for i in least),
        near=float(np.median(alike[: SHORT - 1])),
        far=float(np.median(alike[SHORT:])),
    )


def _along_positions(norms: Array, alike: Array, top: float, starts: Sequence[int]) -> Figure:
    """Lengths above, cosines of neighbours below, over the same positions, one part shaded."""
    low, places = min(float(norms.min()), top), np.arange(len(norms))
    fill = {"fillcolor": colors.faint(colors.POSITION, 0.13), "line": {"width": 0}}
    height = {"yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    look: Trace = {"mode": "lines", "line": {"color": colors.POSITION, "width": 2}}
    between = look | {"yaxis": "y2", "customdata": places}
    hover = "%{customdata} and the next<br>cosine %{y:.3f}"
    return draw(
        [
            line(places, norms, "", "position %{x}<br>length %{y:.3f}", **look),
            line(places[:-1] + 0.5, alike, "", hover, **between),
        ],
        height=400,
        shapes=[frame((start, places[-1]), (0, 0)) | fill | height for start in starts],
        annotations=[panel_title(f"from {at} on", y=1, x=at) | {"xref": "x"} for at in starts],
        xaxis=titled("position", anchor="y2"),
        yaxis=titled("length", domain=[0.5, 1], range=[low - 0.08 * (top - low), top * 1.03]),
        yaxis2=titled("cosine to next", domain=[0, 0.44]),
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
