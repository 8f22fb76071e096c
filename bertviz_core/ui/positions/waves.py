"""What a table of positions is made of: patterns over positions, and waves."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.csv_files import Columns
from bertviz_core.figures import colors
from bertviz_core.figures.positions.curves import Curve, curves_over
from bertviz_core.positions.baselines import DRAWS
from bertviz_core.positions.likeness import Baseline, LikenessWithBaselines
from bertviz_core.ui.html import caption, finding
from bertviz_core.ui.show import chart, folded_table

WAVES = 10


def shared_patterns(likeness: LikenessWithBaselines, patterns: int) -> None:
    """Draw how much of their strongest patterns two tables share, by how many are compared."""
    st.subheader("Patterns in common", anchor=False)
    curves = [
        Curve("this model", likeness.table.shared, colors.POSITION),
        _mean("the same spectrum and covariances", likeness.covariances, colors.SMOOTH, "solid"),
        _mean("random tables of the same spectrum", likeness.spectrum, colors.SMOOTH, "dash"),
        _mean("random walks", likeness.walk, colors.SMOOTH, "dot"),
        _mean("its rows shuffled", likeness.shuffled, colors.MUTED, "dash"),
        _mean("random numbers", likeness.random, colors.MUTED, "dot"),
    ]
    chart(
        curves_over(
            curves,
            across="strongest patterns compared",
            up="share in common",
            first=1,
            line_at=patterns,
            height=400,
        ),
        alt=f"Share in common with the sinusoids by number of patterns: at {patterns} "
        + ", ".join(f"{curve.name} {curve.values[patterns - 1]:.3f}" for curve in curves)
        + ".",
        name="shared-patterns",
    )
    st.caption(
        f"Of random tables: the mean of {DRAWS} draws; the bands run from lowest to highest."
    )
    folded_table(
        "Table",
        lambda: curve_columns(curves, "patterns", first=1),
        key="pattern-numbers",
        name="shared-patterns",
    )


def _mean(name: str, drawn: Baseline, color: str, dash: str) -> Curve:
    mean: Array = drawn.shared.mean(axis=0)
    return Curve(name, mean, color, dash, (drawn.shared.min(axis=0), drawn.shared.max(axis=0)))


def strongest_waves(own: Array, computed: Array, walk: Array, random: Array) -> None:
    """Draw how much of four tables is in waves that go up and down once, twice, three times ...

    Args:
        own: float32 (n,), shares of the model's table, from `baselines.wave_shares`.
        computed: The same of the sinusoids.
        walk: The same of a random walk.
        random: The same of random numbers.
    """
    st.subheader("Which waves they are made of", anchor=False)
    strongest = min(WAVES, len(own))
    held = [float(np.sort(shares)[-strongest:].sum()) for shares in (own, computed, walk, random)]
    best = int(own.argmax()) + 1
    finding(
        "The {waves} strongest waves hold <b>{share}</b> of this model's table and "
        "{share_sinusoids} of the sinusoids.",
        method="waves-along-the-positions",
        waves=strongest,
        share=f"{held[0]:.0%}",
        share_sinusoids=f"{held[1]:.0%}",
    )
    caption(
        "Of a random walk they hold {share_walk}, of random numbers {share_random}. The strongest "
        "wave of this model's table goes up and down {times} over all positions and holds "
        "{share_strongest}.",
        share_walk=f"{held[2]:.0%}",
        share_random=f"{held[3]:.0%}",
        times={1: "once", 2: "twice"}.get(best, f"{best} times"),
        share_strongest=f"{own[best - 1]:.0%}",
    )
    curves = [
        Curve("this model", own, colors.POSITION),
        Curve("sinusoids", computed, colors.MUTED, "dash"),
        Curve("a random walk", walk, colors.SMOOTH, "dashdot"),
        Curve("random numbers", random, colors.MUTED, "dot"),
    ]
    chart(
        curves_over(
            curves,
            across="times up and down over all positions",
            up="share of variance",
            first=1,
            doubling=True,
        ),
        alt=f"Share of variance by number of waves: the {strongest} strongest hold {held[0]:.0%} "
        f"of this model's table, {held[1]:.0%} of the sinusoids, {held[2]:.0%} of a random walk, "
        f"{held[3]:.0%} of random numbers.",
        name="waves",
    )
    folded_table(
        "Table",
        lambda: curve_columns(curves, "times up and down", first=1),
        key="wave-numbers",
        name="waves",
        decimals=4,
    )


def curve_columns(curves: list[Curve], counted: str, *, first: int) -> Columns:
    """Columns of several curves over the same whole numbers, from `first` on."""
    numbers = np.arange(first, first + len(curves[0].values))
    columns: dict[str, Any] = {counted: numbers}
    for curve in curves:
        columns[curve.name] = curve.values
        if curve.spread:
            columns[f"{curve.name}, lowest"], columns[f"{curve.name}, highest"] = curve.spread
    return columns
