"""How far the map can be trusted: in a sentence, and by lines from one point."""

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.figures.senses import lines_to
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.trust import map_ranks
from bertviz_core.ui.html import chart_lines, finding
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.occurrences import Mapped


def how_far_to_trust(mapped: Mapped, layer: int, kind: str, points: Array, chart: str) -> None:
    """Say how many of the nearest by cosine are near on the map, of all points and of one.

    Args:
        mapped: The occurrences in view.
        layer: The layer in view.
        kind: How points are placed.
        points: float32 (n, 2).
        chart: Name of the map's chart, on which lines lead from the chosen occurrence to its
            nearest ones.
    """
    measured = results.trust(mapped.key, layer, kind, mapped.vectors, points)
    row = int(st.session_state["near"]) - 1
    nearest, _ = nearest_occurrences(mapped.vectors[:, layer], row, measured.nearest)
    close = map_ranks(points, row)[nearest] <= measured.nearest
    finding(
        "Of the {map_nearest} nearest occurrences of a point by cosine, on average "
        "<b>{map_kept}</b> are among its {map_nearest} nearest on the map; by chance {map_chance}. "
        "Trustworthiness <b>{map_trust}</b> (1 is best, about 0.5 is chance). Read distances on "
        "the map with that in mind. The lines are those of number {map_point}: solid to "
        "{map_close} of its nearest that are near on the map too, dotted to {map_far} that are "
        "not.",
        method="trust-in-the-map",
        map_nearest=measured.nearest,
        map_kept=f"{measured.nearest * measured.kept.mean():.1f}",
        map_chance=f"{measured.nearest * measured.by_chance:.1f}",
        map_trust=f"{measured.trustworthiness:.2f}",
        map_point=row + 1,
        map_close=int(close.sum()),
        map_far=int((~close).sum()),
    )
    chart_lines(chart, lines_to(points, row, nearest, close))
