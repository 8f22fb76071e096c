"""Phrases and numbers for sentences."""

import math
from collections.abc import Iterable


def joined(parts: Iterable[str]) -> str:
    """Join phrases to "a, b and c"; "" if there are none."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def rounded(value: float, decimals: int = 2, sign: str = "") -> str:
    """A cosine or a correlation: "0.51", "−0.30", with `sign` "+" "+0.51"; "none" for NaN."""
    return "none" if math.isnan(value) else f"{value:{sign}.{decimals}f}".replace("-", "−")


def share(value: float) -> str:
    """A share of 1: "51%", below a tenth "5.1%", and "below 0.1%"."""
    if value < 0.001:
        return "below 0.1%"
    return f"{value:.1%}" if value < 0.1 else f"{value:.0%}"
