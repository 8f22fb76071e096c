"""The look of all figures: one colour for one meaning, light and dark, large for a projector.

The colours are safe for colour-blind viewers: Okabe & Ito (2008).
"""

from typing import Any

TOKEN = "#0072B2"
POSITION = "#E69F00"
SEGMENT = "#009E73"
OUTPUT = "#CC79A7"
MARK = "#D55E00"  # a frame, a ring, an outlier
MUTED = "#8A8F98"
SMOOTH = "#8F6BB3"  # random tables that are smooth

# Sentences in order; the first two differ most in hue and in lightness.
SENTENCE_COLORS = (TOKEN, MARK, SEGMENT, OUTPUT, POSITION, "#56B4E9")
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


def contrast(first: str, second: str) -> float:
    """Contrast of two colours, 1 to 21, by WCAG 2.2; text needs 4.5, small text better 7."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    channels = [channel / 255 for channel in bytes.fromhex(color[1:])]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Letters on these colours; computed once.
INKS = {color: ink(color) for color in (*SENTENCE_COLORS, MUTED)}

LARGER = 1.5  # the factor for letters and margins on a projector: 18 pixels
THICKER = 1.6  # the factor for lines and marks on a projector
MENU = 34  # pixels above a chart, for its menu
FRAME = 98  # pixels of a chart's height for axis, title and menu
LETTERS = 12  # pixels

# The page's background, as in .streamlit/config.toml; letters reach a contrast of 7 : 1 on it.
# It is solid: a chart saved in the dark must be readable on a white slide.
LIGHT = {"ground": "#FFFFFF", "letters": "#3F4654", "grid": "#E6EAF1"}
DARK = {"ground": "#12161D", "letters": "#C9CFD9", "grid": "#31333F"}


def _template(colors: dict[str, str], larger: float) -> dict[str, Any]:
    ground, letters, grid = colors["ground"], colors["letters"], colors["grid"]

    def font(size: int) -> dict[str, int]:
        return {"size": round(larger * size)}

    def axis(title_distance: int) -> dict[str, Any]:
        return {
            "automargin": True,
            # Else the browser lays the page out again for every label, to see whether it is cut.
            "ticklabeloverflow": "allow",
            "ticks": "",
            "gridcolor": grid,
            "zeroline": False,
            "zerolinecolor": grid,
            "title": {"font": font(14), "standoff": round(larger * title_distance)},
        }

    color_bar = {
        "thickness": 8,
        "outlinewidth": 0,
        "xpad": 4,
        "tickfont": font(LETTERS),
        "title": {"side": "right", "font": font(LETTERS)},
    }
    spacing = {"l": 8, "r": 8, "t": MENU, "b": 8, "pad": 8}
    return {
        "layout": {
            "font": {"family": '"Source Sans", sans-serif', "color": letters} | font(LETTERS),
            "paper_bgcolor": ground,
            "plot_bgcolor": ground,
            "margin": {side: round(larger * room) for side, room in spacing.items()},
            "xaxis": axis(20) | {"showgrid": False},
            "yaxis": axis(24),
            # Below the axis and its title; the chart's menu is above.
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "yanchor": "top",
                "traceorder": "normal",
            },
            "shapedefaults": {"line": {"color": letters}},
            "annotationdefaults": {"font": font(13), "showarrow": False},
            "hoverlabel": {
                "bgcolor": ground,
                "bordercolor": letters,
                "font": {"color": letters} | font(LETTERS),
                "align": "left",
            },
        },
        "data": {
            "heatmap": [{"colorbar": color_bar}],
            "scatter": [{"marker": {"colorbar": color_bar, "line": {"width": 0}}}],
            "bar": [{"marker": {"line": {"width": 0}}}],
            "treemap": [{"textfont": font(14)}],
        },
    }


# By whether they are dark and whether they are large.
TEMPLATES = {
    (dark, large): _template(DARK if dark else LIGHT, LARGER if large else 1)
    for dark in (False, True)
    for large in (False, True)
}
