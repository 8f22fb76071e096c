"""How long the rows of the position table are, and whether those from 128 on differ."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.figures import colors
from bertviz_core.figures.axes import titled
from bertviz_core.figures.drawing import Figure, Trace, draw, frame, line, panel_title
from bertviz_core.positions.table import SHORT, Border, border_at
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, program, say
from bertviz_core.views.positions_and_segments.analyses import MODEL, SINUSOIDS, analysis_of
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Sentence, View

METHOD = "lengths-of-positions"
TOO_FEW = "This model has {count} positions: too few to compare rows before and from 128 on."
TRAINED = (
    "A text trains only the rows of its own positions. BERT as first published saw 128 tokens in "
    "90% of its steps and 512 in the rest (Devlin et al. 2019, A.2). This model: {short}."
)


@view("are rows from 128 on different?", page="Positions and Segments", rank=30, card=True)
def lengths(bert: Bert) -> View:
    """How long each position's row is, and whether those from 128 on differ."""
    own, computed = (analysis_of(bert, which) for which in (MODEL, SINUSOIDS))
    norms = own.norms
    border, alike = border_at(norms), np.diagonal(own.similarity, 1)
    # Position 0 may be so long that all others would look alike.
    top = min(float(norms.max()), 1.5 * float(np.quantile(norms, 0.98)))
    beyond = int((norms > top).sum())
    said = [
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
        )
    ]
    if border:
        said = [
            _neighbours(alike),
            caption(TRAINED, short=origin_of(bert.checkpoint).short),
            *said,
        ]
    return card(
        _at_the_border(border) if border else note(TOO_FEW, count=len(norms)),
        name="norms",
        columns={
            "position": np.arange(len(norms)),
            "length": norms,
            "cosine to next": [*alike.tolist(), None],
        },
        chart=_along_positions(norms, alike, top, [SHORT] if border else []),
        alt=f"Length of each of the {len(norms)} position embeddings: {norms[0]:.2f} at "
        f"position 0, median {np.median(norms):.2f}, longest {norms.max():.2f} at position "
        f"{norms.argmax()}; below, the cosine of each with the next, median "
        f"{np.median(alike):.2f}.",
        below=said,
        program=program(PROGRAM, bert, name="lengths"),
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


PROGRAM = '''
"""How long the rows of the position table are, and how alike neighbours."""

from sklearn.metrics.pairwise import cosine_similarity

model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

lengths = np.linalg.norm(table, axis=1)
alike = np.diag(cosine_similarity(table), 1)  # each row and the next one
for position in range(0, len(table), 32):
    print(position, f"{lengths[position]:.4f}")
if len(table) >= 160:
    windows = np.lib.stride_tricks.sliding_window_view(lengths, 32)
    medians = np.median(windows, axis=1)  # of the 32 rows from each position on
    steps = abs(medians[32:] - medians[:-32])  # the first one lies before position 32
    print(f"before 128: {medians[96]:.3f}, from 128 on: {medians[128]:.3f}")
    print("larger steps:", (steps > steps[96]).sum(), "of", len(steps) - 1)
    print(f"cosine of 127 and 128: {alike[127]:.2f}, less alike:", (alike < alike[127]).sum())
print("longest:", lengths.argmax(), "median:", f"{np.median(lengths):.2f}")
'''
