"""A model's positions against the sinusoids of the original Transformer."""

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.matrices import saturation_limit, signed_png, table_picture
from bertviz_core.positions.table import (
    COVARIANCES,
    SPECTRUM,
    LikenessWithBaselines,
    Verdict,
    likeness_with_baselines,
    sinusoidal_table,
)
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.view import Part, Picture, View

ANSWERS: dict[Verdict, str] = {
    "the same": "Yes, row by row.",
    "the same, rotated": "Yes, after a rotation of the axes.",
    "alike in part": "No, but they are nearer to them than smooth random tables are.",
    "smooth": "No. They are smooth, but not clearly nearer to them than smooth random tables are.",
    "not alike": "No. They are not smooth.",
}


def tables_of(bert: Bert) -> dict[str, Array]:
    """The position table of a model, and the sinusoids of its shape, by their titles."""
    own = bert.tables.position_embeddings
    return {"This model": own, "Sinusoids": sinusoidal_table(*own.shape)}


@once
def _likeness(bert: Bert) -> LikenessWithBaselines:
    return likeness_with_baselines(*tables_of(bert).values())


@once
def _pngs(bert: Bert) -> list[tuple[str, float]]:
    """Both tables as pictures, and where their colours end."""
    limits = [(values, saturation_limit(values)) for values in tables_of(bert).values()]
    return [(signed_png(values, limit), limit) for values, limit in limits]


def percent_range(values: list[float]) -> str:
    """The lowest and the highest value: "44–45%", or "44%" where they look the same."""
    low, high = f"{min(values):.0%}", f"{max(values):.0%}"
    return high if low == high else f"{low.rstrip('%')}–{high}"


@view("against sinusoids", page="Positions and Segments", rank=40, doing="Comparing both tables …")
def against_sinusoids(bert: Bert) -> View:
    """Whether the positions are the sinusoids of the original Transformer."""
    likeness = _likeness(bert)
    columns: list[list[Part]] = [
        [caption(title), shown] for title, shown in position_tables(bert).items()
    ]
    return View(
        say(
            "Are these positions sinusoids? <b>{answer}</b> The best rotation explains "
            "<b>{rotation}</b> of the table, <b>{rotation_covariances}</b> of random tables with "
            "its spectrum and covariances, and {rotation_spectrum} of those with its spectrum "
            "alone.",
            method="are-they-sinusoids",
            answer=ANSWERS[likeness.verdict],
            rotation=f"{likeness.table.rotation:.0%}",
            rotation_covariances=percent_range(likeness.rotations(COVARIANCES)),
            rotation_spectrum=percent_range(likeness.rotations(SPECTRUM)),
        ),
        beside(*columns),
        caption(
            "Rows are positions, columns dimensions. The sinusoids are ordered from fast waves on "
            "the left to slow ones on the right. Other tables may have another order."
        ),
        table(likeness.columns(), name="likeness"),
        program(
            PROGRAM,
            bert,
            arrays=lambda: dict(
                zip(("position embeddings", "sinusoids"), tables_of(bert).values(), strict=True)
            ),
            name="sinusoids",
        ),
    )


def position_tables(bert: Bert) -> dict[str, Picture]:
    """Both tables as pictures, by their titles."""
    both = zip(tables_of(bert).items(), _pngs(bert), strict=True)
    return {
        title: picture(
            table_picture(values, limit, png),
            alt=f"{title}: picture of {values.shape[0]} positions by {values.shape[1]} dimensions, "
            f"red above zero, blue below; colours end at ±{limit:.2g}.",
            name=title.lower().replace(" ", "-"),
            typed=False,
        )
        for (title, values), (png, limit) in both
    }


PROGRAM = '''
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
