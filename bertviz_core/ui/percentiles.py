"""Where a cosine stands among others: its percentile, in words, in a table, drawn."""

from collections.abc import Mapping
from math import floor
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.calibration import Calibration
from bertviz_core.figures.calibration import percentile_scale
from bertviz_core.ui.show import Column, chart


def in_words(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """Say where a cosine stands: "higher than 71% of unrelated pairs".

    Args:
        calibration: Of the model or of its token table; None gives "".
        cosine: The cosine.
        layer: Where it was measured; 0 for the token table.
        centred: Whether it is a cosine of centred vectors.

    Returns:
        Text, to be put into a sentence. Never rounded up: 99.97 stays below 100.
    """
    if calibration is None:
        return ""
    pairs = _pairs(calibration)
    percentile = calibration.percentile(cosine, layer, centred=centred)
    if 0 < percentile < 100:
        return f"{_standing(percentile)} of {pairs}"
    return f"{_standing(percentile)} {calibration.pairs:,} {pairs} measured"


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
    if calibration is None:
        return ""
    return f", {_standing(calibration.percentile(cosine, layer, centred=centred))}"


def _pairs(calibration: Calibration) -> str:
    """What was paired; the calibration of a token table comes from no sentences."""
    return "unrelated pairs" if calibration.sentences else "pairs of random rows"


def _standing(percentile: float) -> str:
    """The first words of `in_words`: "higher than 71%", or "higher than all" at the ends."""
    if 0 < percentile < 100:
        return f"higher than {percent(percentile)}%"
    return f"{'higher' if percentile >= 100 else 'lower'} than all"


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


def cosine_columns(
    title: str, cosines: NDArray[Any], percentiles: NDArray[np.float64] | None
) -> dict[str, Any]:
    """A table's columns of cosines and of their percentiles; the first alone without these."""
    if percentiles is None:
        return {title: cosines}
    return {title: cosines, f"{title}, percentile": column(percentiles)}


def columns_with_centred(
    title: str,
    cosines: NDArray[Any],
    centred: NDArray[Any] | None,
    calibration: Calibration | None,
    layer: int = 0,
) -> dict[str, Any]:
    """A table's columns of cosines and mean-centred cosines, each with its percentiles.

    Args:
        title: Of the column of cosines.
        cosines: One a row.
        centred: The same, mean-centred; None leaves them out.
        calibration: None leaves out all but the cosines.
        layer: Where they were measured; 0 for the token table.
    """
    columns: dict[str, Any] = {title: cosines}
    if calibration is not None:
        columns["percentile"] = column(calibration.percentiles(cosines, layer))
        if centred is not None:
            columns |= cosine_columns(
                "mean-centred", centred, calibration.percentiles(centred, layer, centred=True)
            )
    return columns


def pictures(
    calibration: Calibration,
    marks: Mapping[str, tuple[float, float]],
    layer: int = 0,
    *,
    pairs: str,
) -> None:
    """Draw where cosines stand, as they are on the left and mean-centred on the right.

    Args:
        calibration: Of the model or of its token table.
        marks: A cosine and its mean-centred value by what they are compared with, printed beside
            them; "" prints nothing. Each has a picture: names of near marks would print over each
            other.
        layer: Where they were measured; 0 for the token table.
        pairs: What the calibration has paired: "unrelated pairs at layer 6".
    """
    kinds = (
        (False, "as they are", "", calibration.quantiles),
        (True, "mean-centred", "-centred", calibration.centred_quantiles),
    )
    for half, (centred, kind, suffix, by_layer) in zip(
        st.columns(2, gap="medium"), kinds, strict=True
    ):
        half.text(f"Cosines of {calibration.pairs:,} {pairs}, {kind}")
        quantiles = by_layer[layer]
        for number, (mark, cosines) in enumerate(marks.items(), start=1):
            cosine = cosines[centred]
            named = f"{mark}, {cosine:.3f}" if mark else f"{cosine:.3f}"
            with half:
                chart(
                    percentile_scale(quantiles, [cosine], [mark] if mark else ()),
                    alt=f"Histogram of the cosines of {calibration.pairs:,} {_pairs(calibration)}, "
                    f"half of them below {quantiles[len(quantiles) // 2]:.3f}; {named}, is "
                    f"{in_words(calibration, cosine, layer, centred=centred)}.",
                    name=f"percentile-scale-{number}{suffix}",
                )
