"""Whether a model's positions are sinusoids: the answer, its numbers, and what they ask."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.positions.likeness import (
    Baseline,
    Likeness,
    LikenessWithBaselines,
    Verdict,
)
from bertviz_core.ui.html import finding
from bertviz_core.ui.show import table

ANSWERS: dict[Verdict, str] = {
    "the same": "Yes, row by row.",
    "the same, rotated": "Yes, after a rotation of the axes.",
    "alike in part": "No, but they come nearer than smooth random tables do.",
    "smooth": "No. They are smooth, but {more} more like sinusoids than smooth random tables are.",
    "not alike": "No, and they are not smooth either.",
}


def answer(likeness: LikenessWithBaselines, patterns: int) -> None:
    """Say whether the positions are sinusoids, and show the numbers.

    Args:
        likeness: Of the model's table to the sinusoids.
        patterns: How many of the strongest patterns are compared.
    """
    found = likeness.table
    more = "no" if found.rotation <= likeness.best else "hardly"
    finding(
        "Are these positions sinusoids? <b>{answer}</b> The best rotation explains "
        "<b>{rotation}</b> of the table, <b>{rotation_covariances}</b> of random tables with its "
        "spectrum and covariances, and {rotation_spectrum} of those with its spectrum alone.",
        method="are-they-sinusoids",
        answer=ANSWERS[likeness.verdict].format(more=more),
        rotation=f"{found.rotation:.0%}",
        rotation_covariances=percent_range(likeness.covariances.rotation),
        rotation_spectrum=percent_range(likeness.spectrum.rotation),
    )
    table(_columns(likeness, patterns), name="likeness")
    _explanation()


def percent_range(values: Array) -> str:
    """The lowest and the highest value: "44–45%", or "44%" where they look the same."""
    low, high = f"{values.min():.0%}", f"{values.max():.0%}"
    return high if low == high else f"{low.rstrip('%')}–{high}"


def _columns(likeness: LikenessWithBaselines, patterns: int) -> dict[str, Any]:
    rows: dict[str, Likeness | Baseline] = {
        "this model": likeness.table,
        "same spectrum and covariances": likeness.covariances,
        "same spectrum": likeness.spectrum,
        "random walk": likeness.walk,
        "its rows shuffled": likeness.shuffled,
        "random numbers": likeness.random,
    }
    rotations = [np.atleast_1d(row.rotation) for row in rows.values()]
    shares = [np.atleast_2d(row.shared)[:, patterns - 1] for row in rows.values()]
    return {
        "likeness to the sinusoids": list(rows),
        "step to the next row": [float(np.mean(row.step)) for row in rows.values()],
        "best rotation, R²": [float(draws.mean()) for draws in rotations],
        "R² lowest": [float(draws.min()) for draws in rotations],
        "R² highest": [float(draws.max()) for draws in rotations],
        f"{patterns} patterns, share in common": [float(draws.mean()) for draws in shares],
        "share lowest": [float(draws.min()) for draws in shares],
        "share highest": [float(draws.max()) for draws in shares],
        "same rows, mean cosine": [float(np.mean(row.identity)) for row in rows.values()],
    }


def _explanation() -> None:
    with st.expander("What the numbers ask, and the random tables"):
        st.markdown(
            "- **Same rows**: is row i of one table row i of the other? The mean of their cosines; "
            "1 means yes.\n"
            "- **Best rotation**: are they the same but for the choice of axes? Both tables are "
            "centred and brought to one size. Then one is turned so that it lies as near the other "
            "as possible (orthogonal Procrustes). R² is the share of it that is explained then.\n"
            "- **Patterns in common**: a table's strongest patterns over positions are its first "
            "left singular vectors, curves such as slow waves. The number is the mean squared "
            "cosine of the principal angles between the two spaces that these curves span; 1 "
            "means the same space.\n"
            "- **Step to the next row**: how smooth is the table? The mean squared distance of "
            "next-door rows, divided by that of two rows at random: near 0 for smooth tables, "
            "about 1 without any order.\n\n"
            "A number means little without a baseline. Slow waves are the strongest patterns of "
            "*every* smooth table, so some likeness to sinusoids comes with smoothness alone. The "
            "smooth random tables show how much. Those with the **same spectrum** keep the "
            "strength of every wave in every dimension of this model's table and move the waves "
            "at random, each by itself. With the same **covariances** a wave moves as far in all "
            "dimensions: such a table varies in as few directions as this model's. In a **random "
            "walk** each row is the one before plus random numbers. The other two have no order: "
            "this model's rows **shuffled**, and **random numbers**. Three tables of each kind "
            "are drawn, with the seeds 0 to 2; shown are their mean, lowest and highest.\n\n"
            "The verdict: the same from a mean cosine or an R² of 0.95 on. Nearer than smooth "
            "tables, where the rotation leaves at most 0.8 times as much unexplained as it leaves "
            "of the best random table (not counting those with its covariances, which keep nearly "
            "all of it). Smooth, up to a step of 0.5."
        )
