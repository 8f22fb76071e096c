"""One colour for one meaning in all figures, safe for colour-blind viewers: Okabe & Ito (2008)."""

from collections.abc import Sequence

TOKEN = "#0072B2"
POSITION = "#E69F00"
SEGMENT = "#009E73"
OUTPUT = "#CC79A7"
MARK = "#D55E00"  # a frame, a ring, an outlier
MUTED = "#8A8F98"
SMOOTH = "#8F6BB3"  # random tables that are smooth

# Sentences in order; the first two differ most in hue and in lightness.
SENTENCES = (TOKEN, MARK, SEGMENT, OUTPUT, POSITION, "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

# Zero is transparent, on a white and on a dark page.
NEGATIVE, POSITIVE = "#2F78C4", "#D0402F"
SIMILARITY = "Viridis"
CHANGE = "Cividis"  # not the scale of similarities: here bright means different


def faint(color: str, opacity: float) -> str:
    """A colour "#RRGGBB" with an opacity from 0 to 1."""
    red, green, blue = bytes.fromhex(color[1:])
    return f"rgba({red}, {green}, {blue}, {opacity})"


def _signed(value: float) -> str:
    """The colour of a value from -1 to 1; small values are stronger than in proportion."""
    return faint(NEGATIVE if value < 0 else POSITIVE, round(abs(value) ** 0.7, 3))


# For Plotly: positions from 0 to 1 and colours.
DIVERGING_SCALE = [[i / 10, _signed(i / 5 - 1)] for i in range(11)]
DIVERGING_SCALE.insert(5, [0.5, faint(NEGATIVE, 0)])


def ink(ground: str) -> str:
    """The better colour for letters on a colour "#RRGGBB": white, or nearly black."""
    return max("#FFFFFF", "#101418", key=lambda letters: contrast(letters, ground))


def steps(colors: Sequence[str]) -> list[list[float | str]]:
    """A scale for Plotly without transitions, in which each colour has an equal part."""
    count = len(colors)
    return [[(i + edge) / count, color] for i, color in enumerate(colors) for edge in (0, 1)]


def contrast(first: str, second: str) -> float:
    """Contrast of two colours, 1 to 21, by WCAG 2.2; text needs 4.5, small text better 7."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    channels = [channel / 255 for channel in bytes.fromhex(color[1:])]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Letters on these colours; computed once.
INKS = {color: ink(color) for color in (*SENTENCES, MUTED)}
