"""One colour for one meaning, everywhere; safe for colour-blind viewers.

References:
    Okabe & Ito (2008), "Color Universal Design"; ColorBrewer's RdBu, reversed.
"""

TOKEN = "#0072B2"
POSITION = "#E69F00"
SEGMENT = "#009E73"
OUTPUT = "#CC79A7"
MUTED = "#8A8F98"

# Sentences in order; the first two lie furthest apart in hue and in lightness.
SENTENCES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

# Blue is negative, white zero, red positive.
DIVERGING = (
    "#053061",
    "#2166AC",
    "#4393C3",
    "#92C5DE",
    "#D1E5F0",
    "#F7F7F7",
    "#FDDBC7",
    "#F4A582",
    "#D6604D",
    "#B2182B",
    "#67001F",
)
SIMILARITY = "Viridis"


def diverging_scale() -> list[list[float | str]]:
    """The signed scale as Plotly wants it: positions from 0 to 1 and colours."""
    last = len(DIVERGING) - 1
    return [[i / last, color] for i, color in enumerate(DIVERGING)]
