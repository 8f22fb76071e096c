"""Both position tables as several views show them: the model's, and sinusoids of its shape."""

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures import colors
from bertviz_core.figures.curves import Curve
from bertviz_core.figures.matrices import Window, similarity_picture, similarity_png
from bertviz_core.positions.baselines import sinusoidal_table
from bertviz_core.positions.table import PositionAnalysis, analyse_positions
from bertviz_core.shared import once
from bertviz_core.views.parts import picture
from bertviz_core.views.view import Picture

MODEL, SINUSOIDS = "model", "sinusoids"


@once
def table_of(bert: Bert, which: str) -> Array:
    """The position table of a model, or the sinusoids of its shape."""
    own = bert.tables.position_embeddings
    return own if which == MODEL else sinusoidal_table(*own.shape)


@once
def analysis_of(bert: Bert, which: str) -> PositionAnalysis:
    """How the rows of either table compare with each other."""
    return analyse_positions(table_of(bert, which))


@once
def _png(bert: Bert, which: str, low: float) -> str:
    return similarity_png(analysis_of(bert, which).similarity, low)


def all_cosines(bert: Bert, which: str, low: float, window: Window | None = None) -> Picture:
    """All cosines of either table; `low` has the darkest colour, `window` is framed."""
    values = analysis_of(bert, which).similarity
    png = _png(bert, which, low)
    return picture(
        similarity_picture(png, window, count=len(values), low=low),
        alt=f"Picture of the cosine similarity between all {len(values)} × {len(values)} pairs of "
        f"positions, from {values.min():.2f} to 1, which is that of a position with itself.",
        name=f"matrix-{which}" if window is None else "matrix",  # both may be on the page
        typed=False,
    )


def both_curves(own: Array, computed: Array) -> list[Curve]:
    """The same numbers of the model's table and of the sinusoids."""
    return [
        Curve("this model", own, colors.POSITION),
        Curve("sinusoids", computed, colors.MUTED, "dash"),
    ]


def percent_range(values: Array) -> str:
    """The lowest and the highest value: "44–45%", or "44%" where they look the same."""
    low, high = f"{values.min():.0%}", f"{values.max():.0%}"
    return high if low == high else f"{low.rstrip('%')}–{high}"
