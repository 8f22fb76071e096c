"""Pictures of all similarities: over the layers, and of every word with every other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.calibration.percentiles import hints
from bertviz_core.figures.axes import label, named, named_rows
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import draw, heatmap, panel_title
from bertviz_core.figures.similarity import HINT, Panel, layer_line, similarity_curves
from bertviz_core.figures.template import MENU
from bertviz_core.views.parts import picture
from bertviz_core.views.view import Picture
from bertviz_core.views.word_in_context.words import Compared

MOST_CURVES = 10
MOST_WITH_NUMBERS = 12  # words whose cosines are printed in the cells


def curves_picture(found: Compared, layer: int, height: int = 0) -> Picture:
    """How alike the words are to each anchor and to each other, by layer."""
    count, names = len(found.words), found.names
    panels = [
        Panel(
            f"similarity to {names[number]}",
            names[:count],
            found.cosines[:count, number],
            _hints(found, np.s_[:count, number]),
        )
        for number in range(count, len(names))
    ]
    if count > 1:
        panels.append(_between(found))
    figure = similarity_curves(panels, layer=layer, height=height)
    if len(found.anchors) > 1:  # else there is no plane to follow
        figure.played = [
            {"name": str(at), "layout": {"shapes": [layer_line(at)]}}
            for at in range(found.cosines.shape[-1])
        ]
        figure.layout.meta = "chart_plane"
    said = "; ".join(
        f"{panel.title}, {name}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
        for panel in panels
        for name, curve in zip(panel.names, panel.curves, strict=True)
    )
    return picture(figure, alt=f"Cosine similarity by layer. {said}.", name="curves")


def _between(found: Compared) -> Panel:
    """The words with each other; of many pairs their mean."""
    at = np.triu_indices(len(found.words), 1)
    curves, title = found.cosines[at], "similarity between the marked words"
    if len(curves) > MOST_CURVES:
        # A mean of many cosines is spread less than single ones: their scale is not for it.
        return Panel(f"{title}, mean of {len(curves)} pairs", ["mean"], curves.mean(axis=0)[None])
    names = [f"{i + 1} and {j + 1}" for i, j in zip(*at, strict=True)]
    return Panel(title, names, curves, _hints(found, at))


def matrix_picture(found: Compared, layer: int) -> Picture:
    """How alike all words are at one layer; it follows the plane through the layers."""
    names = [label(name, 18) for name in found.names]
    states = [_matrix(found, at) for at in range(found.cosines.shape[-1])]
    titles = [[panel_title(f"All words, layer {at}", y=1)] for at in range(len(states))]
    frames = [
        {
            "name": str(at),
            "data": [{"type": "heatmap", "z": state["values"], "customdata": state["customdata"]}],
            "traces": [0],
            "layout": {"annotations": titles[at]},
        }
        for at, state in enumerate(states)
    ]
    cosines = found.cosines
    cells = heatmap(
        **states[layer],
        hover="%{y}<br>%{x}<br>%{z:.3f}" + ("" if found.percentiles is None else HINT),
        scale=SIMILARITY,
        span=(float(cosines.min(initial=0.99)), 1.0),
        texttemplate="%{z:.2f}" if len(names) <= MOST_WITH_NUMBERS else None,
    )
    figure = draw(
        [cells],
        height=max(40 * len(names) + 130, 380),
        margin={"t": MENU + 22},  # the title is below the menu
        frames=frames,
        annotations=titles[layer],
        meta="chart_plane",
        xaxis=named(names, max(len(names), 1)),
        yaxis=named_rows(names),
    )
    return picture(
        figure,
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {cosines[..., layer].min():.3f} to 1.",
        name="matrix",
    )


def _matrix(found: Compared, layer: int) -> dict[str, Any]:
    """The cells of the matrix at a layer, and what the pointer says of them."""
    pointed = _hints(found, np.s_[..., layer])
    if pointed is not None:
        alone = np.array([word.alone for word in found.everything])
        alone = np.outer(alone, alone) & ~np.eye(len(alone), dtype=bool)
        pointed = np.where(alone, "no percentile: both are alone", pointed)
    values = np.ascontiguousarray(found.cosines[..., layer])
    return {"values": values, "customdata": pointed}


def _hints(found: Compared, at: Any) -> NDArray[np.str_] | None:
    """What the pointer says of some of the cosines; None without percentiles."""
    return None if found.percentiles is None else hints(found.percentiles[at])
