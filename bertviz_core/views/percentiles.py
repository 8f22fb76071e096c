"""The percentile of a cosine among others, in words and in a table.

How many digits mean something is decided in one place, `calibration.digits`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.calibration import Calibration
from bertviz_core.calibration.digits import percent, rounded
from bertviz_core.csv_files import Column


def in_words(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """Say how high a cosine is: "higher than 71% of pairs of different content words".

    Never rounded up: 99.97 stays below 100. Without a scale it is "".
    """
    if calibration is None:
        return ""
    percentile = calibration.percentile(cosine, layer, centred=centred)
    if 0 < percentile < 100:
        return f"{_standing(percentile)} of {calibration.kind}"
    return f"{_standing(percentile)} {calibration.pairs:,} {calibration.kind} measured"


def after(calibration: Calibration | None, cosine: float, layer: int = 0) -> str:
    """What follows a cosine in a sentence: ", higher than 71% of pairs of words", or ""."""
    words = in_words(calibration, cosine, layer)
    return f", {words}" if words else ""


def interval(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """How far a percentile depends on which sentences were drawn: "68% to 74%"; "" without a scale.

    Both ends are rounded outwards. Nothing is said of other kinds of texts.
    """
    if calibration is None:
        return ""
    percentile = calibration.percentile(cosine, layer, centred=centred)
    low, high = calibration.interval(percentile, layer, centred=centred).tolist()
    digits = 0 if 1 <= high < 99 else 1
    return f"{percent(low)}% to {np.ceil(10**digits * high - 1e-9) / 10**digits:g}%"


def _standing(percentile: float) -> str:
    """The first words of `in_words`: "higher than 71%", or "higher than all" at the ends."""
    if 0 < percentile < 100:
        return f"higher than {percent(percentile)}%"
    return f"{'higher' if percentile >= 100 else 'lower'} than all"


def column(percentiles: NDArray[Any]) -> Column:
    """A table's column of percentiles, cut by `rounded`; empty cells for NaN."""
    shown = [None if np.isnan(value) else value for value in rounded(percentiles).tolist()]
    return Column(shown, decimals=None)


def hints(percentiles: NDArray[Any]) -> NDArray[np.str_]:
    """What the pointer says of each cosine: "higher than 71% of such pairs"; "" for NaN."""
    texts = [
        "" if np.isnan(value) else f"{_standing(value)} of such pairs"
        for value in np.ravel(percentiles).tolist()
    ]
    return np.array(texts, dtype=np.str_).reshape(np.shape(percentiles))


def cosine_columns(
    title: str, cosines: NDArray[Any], percentiles: NDArray[np.float64] | None
) -> dict[str, Any]:
    """A table's columns of cosines and of their percentiles; the first alone without these."""
    if percentiles is None or np.isnan(percentiles).all():
        return {title: cosines}
    return {title: cosines, f"{title}, percentile": column(percentiles)}


def columns_with_centred(
    title: str,
    cosines: NDArray[Any],
    centred: NDArray[Any] | None,
    calibration: Calibration | None,
    layer: int = 0,
) -> dict[str, Any]:
    """A table's columns of cosines and mean-centred cosines, each with its percentiles."""
    columns: dict[str, Any] = {title: cosines}
    if calibration is not None:
        columns["percentile"] = column(calibration.percentiles(cosines, layer))
    if centred is not None:
        percentiles = None
        if calibration is not None:
            percentiles = calibration.percentiles(centred, layer, centred=True)
        columns |= cosine_columns("mean-centred", centred, percentiles)
    return columns
