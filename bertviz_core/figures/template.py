"""The look of all figures: light and dark, and large for a projector."""

from typing import Any

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
