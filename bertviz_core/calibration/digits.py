"""How many digits of a percentile mean something."""

from typing import Any

import numpy as np

from bertviz_core.arrays import Exact


def rounded(percentiles: Any) -> Exact:
    """Cut percentiles to the digits that mean something: whole ones, and tenths near the ends.

    Args:
        percentiles: From 0 to 100; NaN stays NaN.

    Returns:
        float64 of the same shape; none is rounded up to 100 or down to 0.
    """
    exact = np.asarray(percentiles, dtype=np.float64)
    tenths = np.floor(10 * exact + 1e-9) / 10
    shown: Exact = np.where((exact >= 1) & (exact < 99), np.floor(exact + 1e-9), tenths)
    return np.where(exact > 0, np.maximum(shown, 0.1), shown)


def percent(percentile: float) -> str:
    """A percentile as text, cut by `rounded`: "71", near the ends "0.4" and "99.8"."""
    return f"{float(rounded(percentile)):g}"
