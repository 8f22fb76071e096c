"""The map of a word's occurrences."""

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.figures.senses import occurrence_map
from bertviz_core.senses import Occurrence
from bertviz_core.senses.projection import tsne_perplexity
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.show import chart, waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.occurrences import Mapped

ALL, DRIFTING, ONE, TSNE = "all layers", "all layers, with drift", "this layer", "t-SNE"
MAPS = {kind: kind for kind in (ALL, DRIFTING, ONE, TSNE)}
SENSE, GROUP = "sense", "group"
COLOURS = {colour: colour for colour in (SENSE, GROUP)}
UNLABELLED = "no label"
_AROUND = 40  # characters of a sentence shown on either side of the word


def chosen_view(mapped: Mapped) -> tuple[int, str, str]:
    """Ask for the layer, the last one at first, how points are placed and what colours them."""
    last = mapped.last_layer
    left, middle, right = slots.row("view", [3, 4, 2], gap="medium")
    with left:
        # A slider needs two ends.
        layer = (
            inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer") if last else 0
        )
    with middle:
        kind = inputs.choice(
            "Place points by",
            MAPS,
            key="map",
            help="All layers: one PCA over the vectors of all layers, each layer's mean taken off, "
            "so that the layer slider moves a point only where it changes among the others. With "
            "drift: the means stay in. This layer: a PCA of this layer alone. t-SNE: near vectors "
            "stay near, distances between groups mean nothing.",
        )
    with right:
        colour = GROUP
        if mapped.labelled:
            colour = inputs.choice("Colour by", COLOURS, key="colour")
    return layer, kind, colour


def sense_map(mapped: Mapped, layer: int, kind: str, colour: str) -> tuple[Array, list[int]]:
    """Draw the map.

    Returns:
        The points, float32 (n, 2), and the rows of those that are selected.
    """
    points, extent, axes = _placed(mapped, layer, kind)
    if colour == SENSE:
        series = [occurrence.sense or UNLABELLED for occurrence in mapped.occurrences]
    else:
        with waiting("Grouping the occurrences …", height=560):
            labels = mapped.groups(layer).labels
        series = [f"group {label + 1}" for label in labels]
    read = [f"{i} · {excerpt(found)}" for i, found in enumerate(mapped.occurrences, start=1)]
    listed = ", ".join(f"{name} ({series.count(name)})" for name in sorted(set(series)))
    selected = chart(
        occurrence_map(points, series, read, axes=axes, extent=extent),
        alt=f"Map of {len(points):,} occurrences of {mapped.word} at layer {layer}, placed by "
        f"{kind}, coloured by {colour}: {listed}.",
        name=chart_name(kind),
        follows="near",
    )
    st.caption(
        "Point at an occurrence to read it; click it to list it below with its nearest ones. For "
        "several, take the box or the lasso from the chart's menu, or hold Shift while clicking."
    )
    return points, selected


def chart_name(kind: str) -> str:
    """Names the chart of a map."""
    return f"senses-{'tsne' if kind == TSNE else 'pca'}"


def excerpt(occurrence: Occurrence) -> str:
    """The word in brackets with some of its sentence on either side."""
    sentence, start, end = occurrence.sentence, occurrence.start, occurrence.end
    low, high = max(start - _AROUND, 0), min(end + _AROUND, len(sentence))
    before = ("…" if low else "") + sentence[low:start]
    after = sentence[end:high] + ("…" if high < len(sentence) else "")
    return f"{before}[{sentence[start:end]}]{after}"


def _placed(mapped: Mapped, layer: int, kind: str) -> tuple[Array, Array | None, tuple[str, str]]:
    """Points of a layer, the points that must fit into the axes, and the titles of the axes."""
    if kind == TSNE:
        with waiting(f"Laying out {len(mapped.vectors):,} vectors by t-SNE …", height=560):
            points = results.tsne_map(mapped.key, layer, mapped.vectors)
        perplexity = f"perplexity {tsne_perplexity(len(points)):.0f}"
        return points, None, (f"t-SNE 1 ({perplexity})", "t-SNE 2")
    if kind == ONE:
        plane = results.layer_frame(mapped.key, layer, mapped.vectors)
        points, extent, explained = plane.points, None, plane.explained
    else:
        plane = results.shared_frame(mapped.key, kind == DRIFTING, mapped.vectors)
        points, extent = plane.points[:, layer], plane.points.reshape(-1, 2)
        explained = plane.explained[layer]
    first, second = (
        f"PC {number} ({share:.0%} of the variance at layer {layer})"
        for number, share in enumerate(explained, start=1)
    )
    return points, extent, (first, second)
