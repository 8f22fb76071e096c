"""Where a cosine stands among others: its percentile, in words, in a table, drawn."""

from collections.abc import Sequence
from math import floor
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.figures.calibration.percentiles import ruler_figure
from bertviz_core.ui import calibrations
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.memory import models
from bertviz_core.ui.show import Column, chart


def percentile_scale(bert: Bert) -> Calibration | None:
    """Give the model's calibration, or begin to measure it beside the page.

    Call it once a page, before the first similarity. The page goes on at once: while the model is
    measured a progress bar stands here, and afterwards the page runs again. Without the encoder in
    memory a button starts it.

    Returns:
        The calibration; None while there is none, and then the page shows plain cosines.
    """
    calibration = calibrations.known(bert.name)
    if calibration is not None:
        return calibration
    job = calibrations.measuring(bert.name)
    if job is not None and job.state == "failed":
        note("No percentiles: {problem}", problem=job.message)
        return None
    if job is None and not models.has_encoder(bert.name):
        slot = st.empty()
        if not slot.button(
            "Measure the percentile scale", icon=":material/straighten:", key="measure"
        ):
            st.caption(
                "Runs the model on the sentences of this project, once, a few seconds; afterwards "
                "every similarity shows its percentile among unrelated pairs."
            )
            return None
        slot.empty()
    calibrations.measure(bert.name)
    _follow(bert.name)
    return None


def in_words(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """Say where a cosine stands: "higher than 71% of unrelated pairs".

    Args:
        calibration: From `percentile_scale`, or of the token table; None gives "".
        cosine: The cosine.
        layer: Where it was measured; 0 for the token table.
        centred: Whether it is a cosine of centred vectors.

    Returns:
        Text, to be put into a sentence. Never rounded up: 99.97 stays below 100.
    """
    if calibration is None:
        return ""
    percentile = calibration.percentile(cosine, layer, centred=centred)
    if 0 < percentile < 100:
        return f"higher than {percent(percentile)}% of unrelated pairs"
    side = "higher" if percentile >= 100 else "lower"
    return f"{side} than all {calibration.pairs:,} unrelated pairs measured"


def after(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """What follows a cosine in a sentence: ", higher than 71% of unrelated pairs", or ""."""
    words = in_words(calibration, cosine, layer, centred=centred)
    return f", {words}" if words else ""


def briefly(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """The same in short, where the sentence has said once what it means: ", higher than 71%"."""
    words = after(calibration, cosine, layer, centred=centred)
    short = words.removesuffix(" of unrelated pairs")
    return short.partition(" all ")[0] + " all" if " all " in short else short


def percent(percentile: float) -> str:
    """A percentile in as many digits as mean something: "71", near the ends "0.4" and "99.8"."""
    if 1 <= percentile < 99:
        return f"{floor(percentile)}"
    return f"{max(floor(10 * percentile) / 10, 0.1):g}"


def column(percentiles: NDArray[Any]) -> Column:
    """A table's column of percentiles, as in `percent`: none is rounded up to 100 or down to 0."""
    exact = np.asarray(percentiles, dtype=np.float64)
    shown = np.floor(10 * exact + 1e-9) / 10
    return Column(np.where(exact > 0, np.maximum(shown, 0.1), shown), decimals=1)


def picture(
    calibration: Calibration | None,
    cosines: Sequence[float],
    layer: int = 0,
    *,
    name: str,
    centred: bool = False,
    names: Sequence[str] = (),
) -> None:
    """Draw where cosines stand among those of unrelated pairs; nothing without a calibration.

    Args:
        calibration: From `percentile_scale`, or of the token table.
        cosines: One or a few cosines of one layer.
        layer: Where they were measured; 0 for the token table.
        name: Names the chart on the page and its file.
        centred: Whether they are cosines of centred vectors.
        names: What each cosine is, where there are several.
    """
    if calibration is None:
        return
    quantiles = calibration.centred_quantiles if centred else calibration.quantiles
    marks = "; ".join(
        f"{f'{names[number]}, ' if names else ''}{cosine:.3f}, is "
        + in_words(calibration, cosine, layer, centred=centred)
        for number, cosine in enumerate(cosines)
    )
    middle = quantiles[layer][len(quantiles[layer]) // 2]
    chart(
        ruler_figure(quantiles[layer], cosines, names),
        alt=f"Histogram of the cosines of {calibration.pairs:,} unrelated pairs, half of them "
        f"below {middle:.3f}; {marks}.",
        name=name,
    )


@st.fragment(run_every=0.5)
def _follow(name: str) -> None:
    """Follow the measurement while the page can already be read and used."""
    job = calibrations.measuring(name)
    if job is None or job.state != "running":
        st.rerun()
    job.watch()
    st.progress(job.share, _progress_text(name, job))


def _progress_text(name: str, job: Job) -> str:
    steps = f": {job.done} of {job.total} steps done" if job.total else ""
    return (
        f"Measuring the percentile scale of {name}, once{steps}. You can go on working meanwhile."
    )
