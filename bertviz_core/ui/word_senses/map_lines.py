"""How far the map can be trusted: in a sentence, and by lines from one point."""

from bertviz_core.arrays import Array
from bertviz_core.figures.senses import lines_to
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.trust import map_ranks
from bertviz_core.ui.html import caption, chart_lines
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.occurrences import Mapped


def how_far_to_trust(
    mapped: Mapped, layer: int, kind: str, points: Array, chart: str, number: int
) -> None:
    """Say how many of the nearest by cosine are near on the map, of all points and of one.

    Args:
        mapped: The occurrences in view.
        layer: The layer in view.
        kind: How points are placed.
        points: float32 (n, 2).
        chart: Name of the map's chart, on which lines lead from the chosen occurrence to its
            nearest ones.
        number: Of the chosen occurrence, from 1.
    """
    measured = results.trust(mapped.key, layer, kind, mapped.at(layer), points)
    row = number - 1
    nearest, _ = nearest_occurrences(mapped.at(layer), row, measured.nearest)
    close = map_ranks(points, row)[nearest] <= measured.nearest
    caption(
        "On average the map keeps <b>{map_kept}</b> of the {map_nearest} nearest occurrences by "
        "cosine (by chance {map_chance}; trustworthiness {map_trust}). Lines lead from number "
        "{map_point} to its nearest: solid to {map_close} that are near on the map too, dotted to "
        "{map_far} that are not.",
        method="trust-in-the-map",
        map_nearest=measured.nearest,
        map_kept=f"{measured.nearest * measured.kept.mean():.1f}",
        map_chance=f"{measured.nearest * measured.by_chance:.1f}",
        map_trust=f"{measured.trustworthiness:.2f}",
        map_point=number,
        map_close=int(close.sum()),
        map_far=int((~close).sum()),
    )
    chart_lines(chart, lines_to(points, row, nearest, close))
