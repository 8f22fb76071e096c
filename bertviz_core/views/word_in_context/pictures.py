"""The pictures of the headline: the plane, the matrix and the curves. A slider moves all three."""

import numpy as np

from bertviz_core.calibration.percentiles import hints
from bertviz_core.figures.axes import label, named, named_rows
from bertviz_core.figures.colors import MUTED, SENTENCES, SIMILARITY
from bertviz_core.figures.drawing import draw, heatmap, panel_title
from bertviz_core.figures.paths import Path, anchor_plane
from bertviz_core.figures.similarity import Panel, layer_line, similarity_curves
from bertviz_core.figures.template import MENU
from bertviz_core.views.parts import picture
from bertviz_core.views.view import Picture
from bertviz_core.views.word_in_context.words import Compared

LEADER = "chart_plane"  # in `meta` of the charts that follow the plane; see frames.js
MAX_CURVES = 10
MAX_WITH_NUMBERS = 12  # words whose cosines are printed in the cells


def plane_picture(found: Compared, axes: tuple[int, ...], layer: int, *, large: bool) -> Picture:
    """The words as paths over their similarity to the anchors with two numbers."""
    count = len(found.words)
    across, up = (found.anchors[axis].word for axis in axes)
    cosines = found.cosines[:count, [count + axis for axis in axes]]
    paths = [
        Path(found.excerpt(number, 24), x, y, found.hints(number, axes), color)
        for number, ((x, y), color) in enumerate(
            zip(cosines, [*SENTENCES, *[MUTED] * count], strict=False)
        )
    ]
    middle = (cosines - found.leans[:, axes]).mean(axis=0).T
    said = (
        f"{name} {x[layer]:.2f} and {y[layer]:.2f}, at the input {x[0]:.2f} and {y[0]:.2f}"
        for name, (x, y) in zip(found.names, cosines, strict=False)
    )
    return picture(
        anchor_plane(paths, (across, up), middle, layer=layer, large=large),
        alt=f"Words ({count}) as paths over their similarity to {across} and to {up}, from layer 0 "
        f"to {len(middle) - 1}. At layer {layer}: {'; '.join(said)}.",
        name="plane",
    )


def curves_picture(found: Compared, layer: int, height: int = 0) -> Picture:
    """How alike the words are to each anchor and to each other, by layer."""
    count, names = len(found.words), found.names
    panels = [
        Panel(f"similarity to {names[number]}", names[:count], found.cosines[:count, number])
        for number in range(count, len(names))
    ]
    if count > 1:
        first, second = np.triu_indices(count, 1)
        curves, title = found.cosines[first, second], "similarity between the marked words"
        pairs = [f"{i} and {j}" for i, j in zip(first + 1, second + 1, strict=True)]
        if len(curves) > MAX_CURVES:
            title += f", mean of {len(curves)} pairs"
            curves, pairs = curves.mean(axis=0)[None], ["mean"]
        panels.append(Panel(title, pairs, curves))
    follows = LEADER if len(found.anchors) > 1 else ""  # else there is no plane
    figure = similarity_curves(panels, layer=layer, height=height, follows=follows)
    if follows:
        figure.played = [
            {"name": str(at), "layout": {"shapes": [layer_line(at)]}}
            for at in range(found.cosines.shape[-1])
        ]
    said = "; ".join(
        f"{panel.title}, {name}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
        for panel in panels
        for name, curve in zip(panel.names, panel.curves, strict=True)
    )
    return picture(figure, alt=f"Cosine similarity by layer. {said}.", name="curves")


def matrix_picture(found: Compared, layer: int) -> Picture:
    """How alike all words are at one layer."""
    names, cosines = [label(name, 18) for name in found.names], found.cosines
    states = [
        {
            "z": np.ascontiguousarray(cosines[..., at]),
            "customdata": None if found.percentiles is None else hints(found.percentiles[..., at]),
        }
        for at in range(cosines.shape[-1])
    ]
    titles = [[panel_title(f"All words, layer {at}", y=1)] for at in range(len(states))]
    cells = heatmap(
        None,
        "%{y}<br>%{x}<br>%{z:.3f}" + ("" if found.percentiles is None else "<br>%{customdata}"),
        SIMILARITY,
        (float(cosines.min(initial=0.99)), 1.0),
        texttemplate="%{z:.2f}" if len(names) <= MAX_WITH_NUMBERS else None,
    )
    figure = draw(
        [cells | states[layer]],
        height=max(40 * len(names) + 130, 380),
        margin={"t": MENU + 22},  # the title is below the menu
        frames=[
            {
                "name": str(at),
                "data": [{"type": "heatmap", **state}],
                "traces": [0],
                "layout": {"annotations": title},
            }
            for at, (state, title) in enumerate(zip(states, titles, strict=True))
        ],
        annotations=titles[layer],
        meta=LEADER,
        xaxis=named(names, max(len(names), 1)),
        yaxis=named_rows(names),
    )
    return picture(
        figure,
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {cosines[..., layer].min():.3f} to 1.",
        name="matrix",
    )
