"""A model's positions against the sinusoids of the original Transformer: values and lengths."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.figures.colors import POSITION
from bertviz_core.figures.matrices import signed_png, table_picture
from bertviz_core.figures.stack import saturation_limit
from bertviz_core.positions.likeness import (
    COVARIANCES,
    SPECTRUM,
    LikenessWithBaselines,
    Verdict,
    likeness_with_baselines,
)
from bertviz_core.positions.table import SHORT, Border, border_at
from bertviz_core.shared import once
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, caption, note, picture, program, say, table
from bertviz_core.views.positions_and_segments.position_table import (
    MODEL,
    SINUSOIDS,
    analysis_of,
    percent_range,
    table_of,
)
from bertviz_core.views.view import Part, Sentence, View

ANSWERS: dict[Verdict, str] = {
    "the same": "Yes, row by row.",
    "the same, rotated": "Yes, after a rotation of the axes.",
    "alike in part": "No, but they are nearer to them than smooth random tables are.",
    "smooth": "No. They are smooth, but {more} more like sinusoids than smooth random tables are.",
    "not alike": "No. They are not smooth.",
}
BOTH = (("This model", MODEL), ("Sinusoids", SINUSOIDS))
METHOD = "lengths-of-positions"
TOO_FEW = "This model has {count} positions: too few to compare rows before and from 128 on."
TRAINED = (
    "A text trains only the rows of its own positions. BERT as first published saw 128 tokens in "
    "90% of its steps and 512 in the rest (Devlin et al. 2019, A.2). This model: {short}."
)


@once
def _likeness(bert: Bert) -> LikenessWithBaselines:
    return likeness_with_baselines(table_of(bert, MODEL), table_of(bert, SINUSOIDS))


@once
def _png(bert: Bert, which: str) -> tuple[str, float]:
    """A table as a picture, and where its colours end."""
    values = table_of(bert, which)
    return signed_png(values, limit := saturation_limit(values)), limit


@view("against sinusoids", page="Positions and Segments", rank=40, doing="Comparing both tables …")
def against_sinusoids(bert: Bert) -> View:
    """Whether the positions are the sinusoids of the original Transformer."""
    likeness = _likeness(bert)
    found, more = likeness.table, "no" if likeness.table.rotation <= likeness.best else "hardly"
    return View(
        say(
            "Are these positions sinusoids? <b>{answer}</b> The best rotation explains "
            "<b>{rotation}</b> of the table, <b>{rotation_covariances}</b> of random tables with "
            "its spectrum and covariances, and {rotation_spectrum} of those with its spectrum "
            "alone.",
            method="are-they-sinusoids",
            answer=ANSWERS[likeness.verdict].format(more=more),
            rotation=f"{found.rotation:.0%}",
            rotation_covariances=percent_range(likeness.baselines[COVARIANCES].rotation),
            rotation_spectrum=percent_range(likeness.baselines[SPECTRUM].rotation),
        ),
        beside(*position_tables(bert)),
        caption(
            "Rows are positions, columns dimensions. The sinusoids are ordered from fast waves on "
            "the left to slow ones on the right. Other tables may have another order."
        ),
        table(likeness.columns(), name="likeness"),
        program(
            SINUSOIDS_PROGRAM,
            bert,
            arrays=lambda: {
                "position embeddings": table_of(bert, MODEL),
                "sinusoids": table_of(bert, SINUSOIDS),
            },
            name="sinusoids",
        ),
    )


def position_tables(bert: Bert) -> list[list[Part]]:
    """Both tables as pictures, each with its title."""
    columns: list[list[Part]] = []
    for title, which in BOTH:
        values, (png, limit) = table_of(bert, which), _png(bert, which)
        shown = picture(
            table_picture(values, limit, png),
            alt=f"{title}: picture of {values.shape[0]} positions by {values.shape[1]} dimensions, "
            f"red above zero, blue below; colours end at ±{limit:.2g}.",
            name=f"table-{which}",
            typed=False,
        )
        columns.append([caption(title), shown])
    return columns


@view("are rows from 128 on different?", page="Positions and Segments", rank=30, card=True)
def lengths(bert: Bert) -> View:
    """How long each position's row is, and whether those from 128 on differ."""
    own = analysis_of(bert, MODEL)
    norms, alike = own.norms, np.diagonal(own.similarity, 1)
    border = border_at(norms)
    # Position 0 may be so long that all others would look alike.
    low, top = float(norms.min()), min(float(norms.max()), 1.5 * float(np.quantile(norms, 0.98)))
    beyond = int((norms > top).sum())
    said = (
        "Position <b>{longest}</b> has the longest row, <b>{length:.2f}</b>; the median is "
        "<b>{median:.2f}</b>, the shortest {shortest:.2f}. All sinusoids have the same length, "
        "{length_sinusoids:.2f}."
    )
    if beyond:
        said += " {beyond} rows end above the chart."
    all_lengths = (caption if border else say)(
        said,
        method=METHOD,
        longest=int(norms.argmax()),
        length=float(norms.max()),
        median=float(np.median(norms)),
        shortest=low,
        length_sinusoids=float(analysis_of(bert, SINUSOIDS).norms.mean()),
        beyond=beyond,
    )
    return card(
        _at_the_border(border) if border else note(TOO_FEW, count=len(norms)),
        name="norms",
        columns={
            "position": np.arange(len(norms)),
            "length": norms,
            "cosine to next": [*alike.tolist(), None],
        },
        chart=Chart(
            "curves",
            "length of the row",
            {"length": POSITION},
            axis={"range": [low - 0.08 * (top - low), top * 1.03]},
            at=SHORT if border else None,
        ),
        below=[
            caption(
                "The line is at position 128. Rows 127 and 128 have cosine {across:.2f}; "
                "{less_alike} of {pairs} other pairs of neighbours are less alike.",
                across=float(alike[SHORT - 1]),
                less_alike=int((alike < alike[SHORT - 1]).sum()),
                pairs=len(alike) - 1,
            ),
            caption(TRAINED, short=origin_of(bert.checkpoint).short),
            all_lengths,
        ]
        if border
        else all_lengths,
        program=program(LENGTHS_PROGRAM, bert, name="lengths"),
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


SINUSOIDS_PROGRAM = '''
"""The position table beside the sinusoids of the original Transformer."""

sinusoids_of = ...
model = ...
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
sinusoids = sinusoids_of(n, d)


def centred(table: np.ndarray) -> np.ndarray:
    """The table with its mean row taken away, at length 1 in all."""
    rows = table - table.mean(axis=0)
    return rows / np.linalg.norm(rows)


def likeness(table: np.ndarray) -> tuple[float, float, float]:
    """Mean cosine of the same rows, R squared after the best rotation, step to the next row."""
    same_rows = (1 - paired_cosine_distances(table, sinusoids)).mean()
    fit = np.linalg.norm(centred(table).T @ centred(sinusoids), "nuc")  # of the best rotation
    step = (np.diff(table, axis=0) ** 2).sum() / (n - 1) / (2 * table.var(axis=0, ddof=1).sum())
    return float(same_rows), float(fit) ** 2, float(step)


def same_spectrum(draw: np.random.Generator, together: bool = False) -> np.ndarray:
    """A random table as smooth as the model's: its waves in each dimension, moved at random."""
    waves = np.fft.rfft(table, axis=0)
    shape = (len(waves), 1) if together else waves.shape
    angles = draw.uniform(0, 2 * np.pi, shape)
    angles[0] = 0  # the mean stays
    if n % 2 == 0:
        angles[-1] = 0  # 1, -1, 1, -1, ... cannot be moved
    return np.fft.irfft(waves * np.exp(1j * angles), n=n, axis=0)


print("this model:", *(f"{number:.4f}" for number in likeness(table)))
tables = {
    "same spectrum and covariances": lambda draw: same_spectrum(draw, together=True),
    "same spectrum": same_spectrum,
    "random walk": lambda draw: draw.standard_normal((n, d)).cumsum(axis=0),
    "its rows shuffled": lambda draw: draw.permutation(table),
    "random numbers": lambda draw: draw.standard_normal((n, d)),
}
for name, made in tables.items():
    mean = np.mean([likeness(made(np.random.default_rng(seed))) for seed in range(3)], axis=0)
    print(f"{name}:", *(f"{number:.4f}" for number in mean))
'''


LENGTHS_PROGRAM = '''
"""How long the rows of the position table are, and how alike neighbours."""

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
