"""What a table of positions is made of: patterns over positions, and waves."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.figures import colors
from bertviz_core.figures.positions.curves import Curve, curves_over
from bertviz_core.positions.likeness import LikenessWithRulers
from bertviz_core.positions.table import Array
from bertviz_core.ui.html import finding
from bertviz_core.ui.show import chart, table

if TYPE_CHECKING:
    import pandas as pd

WAVES = 10


def shared_patterns(alike: LikenessWithRulers, patterns: int) -> None:
    """Draw what the strongest patterns of two tables share, by how many are compared."""
    st.subheader("Patterns in common", anchor=False)
    found = alike.found.shared
    curves = [
        Curve("this model", found, colors.POSITION),
        Curve("its rows shuffled", alike.shuffled.shared, colors.MUTED, "dash"),
        Curve("random numbers", alike.random.shared, colors.MUTED, "dot"),
    ]
    chart(
        curves_over(
            curves,
            across="strongest patterns compared",
            up="share in common",
            first=1,
            line_at=patterns,
        ),
        alt=f"Share in common with the sinusoids by number of patterns: at {patterns} this model "
        f"{found[patterns - 1]:.3f}, its rows shuffled {alike.shuffled.shared[patterns - 1]:.3f}, "
        f"random numbers {alike.random.shared[patterns - 1]:.3f}.",
        name="shared-patterns",
    )
    with st.expander("The numbers of the curves", icon=":material/table:"):
        table(_frame(curves, "patterns"), name="shared-patterns", height=320)


def strongest_waves(learned: Array, computed: Array, random: Array) -> None:
    """Draw how much of each table is in waves of each number over all positions."""
    st.subheader("Which waves they are made of", anchor=False)
    strongest = min(WAVES, len(learned))
    held = [float(np.sort(shares)[-strongest:].sum()) for shares in (learned, computed, random)]
    best = int(learned.argmax()) + 1
    finding(
        "The {count} strongest waves hold <b>{learned}</b> of the learned table ({computed} of "
        "the sinusoids, {random} of random numbers); the strongest goes up and down <b>{best}</b> "
        "times over all positions, which holds {share}.",
        count=strongest,
        learned=f"{held[0]:.0%}",
        computed=f"{held[1]:.0%}",
        random=f"{held[2]:.0%}",
        best=best,
        share=f"{learned[best - 1]:.0%}",
    )
    curves = [
        Curve("learned", learned, colors.POSITION),
        Curve("sinusoids", computed, colors.MUTED, "dash"),
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
        f"of the learned table, {held[1]:.0%} of the sinusoids, {held[2]:.0%} of random numbers.",
        name="waves",
    )
    with st.expander("The numbers of the waves", icon=":material/table:"):
        table(_frame(curves, "times up and down"), name="waves", decimals=4, height=320)


def _frame(curves: list[Curve], counted: str) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(
        {counted: np.arange(1, len(curves[0].values) + 1)}
        | {curve.name: curve.values for curve in curves}
    )
