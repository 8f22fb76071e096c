"""Numbers as the page's sentences write them."""

import math


def signed(value: float) -> str:
    """A change: "+0.012", "−0.300"."""
    return f"{value:+.3f}".replace("-", "−")


def rounded(value: float, decimals: int = 2) -> str:
    """A cosine or a correlation: "0.51", "−0.30"; "none" for NaN."""
    return "none" if math.isnan(value) else f"{value:.{decimals}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share of 1: "51%", below a tenth "5.1%", and "below 0.1%"."""
    if share < 0.001:
        return "below 0.1%"
    return f"{share:.1%}" if share < 0.1 else f"{share:.0%}"
