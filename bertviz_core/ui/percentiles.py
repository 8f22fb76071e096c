"""Percentiles beside similarities: in a sentence, in brackets, and as a table's column."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.calibration import Calibration
from bertviz_core.ui.ruler import beside, percent

if TYPE_CHECKING:
    import pandas as pd


def after(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """What follows a cosine in a sentence: ", higher than 71% of unrelated pairs", or ""."""
    said = beside(calibration, cosine, layer, centred=centred)
    return f", {said}" if said else ""


def worth(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """The same in short, where the sentence has said once what it means: ", higher than 71%"."""
    if calibration is None:
        return ""
    percentile = calibration.percentile(cosine, layer, centred=centred)
    if percentile >= 100:
        return ", higher than all"
    return ", lower than all" if percentile <= 0 else f", higher than {percent(percentile)}%"


def column(percentiles: NDArray[Any]) -> "pd.Series":
    """A table's column of percentiles with the one decimal that means something.

    As in `ruler.percent` none is rounded up to 100 or down to 0. Of dtype object, because a table
    shows all float columns with the same number of decimals.
    """
    import pandas as pd

    shown = np.floor(10 * np.asarray(percentiles, dtype=np.float64) + 1e-9) / 10
    shown = np.where(np.asarray(percentiles) > 0, np.maximum(shown, 0.1), shown)
    return pd.Series(shown.tolist(), dtype=object)
