"""The map of a word's occurrences."""

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.contextual.marks import around
from bertviz_core.figures.senses import MOST_PLAYED, occurrence_map
from bertviz_core.senses.projection import tsne_perplexity
from bertviz_core.ui import inputs
from bertviz_core.ui.show import chart
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.choices import DRIFTING, ONE, SENSE, TSNE, Choices
from bertviz_core.ui.word_senses.chosen import KEY as CHOSEN
from bertviz_core.ui.word_senses.occurrences import Mapped

UNLABELLED = "no label"
READ = 90  # characters of a sentence under the pointer


def chosen_layer(mapped: Mapped) -> int:
    """Ask for the layer; the last one at first."""
    if len(mapped.layers) == 1:  # a slider needs two ends
        return mapped.layers[0]
    return inputs.one_number("Layer (0 = input embedding)", mapped.layers, key="layer")


def series_of(mapped: Mapped, layer: int, colour: str) -> list[str]:
    """Of each occurrence what colours it: a column, its sense, or its group without labels."""
    if mapped.colours is not None:
        return list(mapped.colours)
    if colour == SENSE and mapped.labelled:
        return [sense or UNLABELLED for sense in mapped.senses]
    with waiting("Grouping the occurrences …", height=420):
        labels = mapped.groups(layer).labels
    return [f"group {label + 1}" for label in labels]


def sense_map(
    mapped: Mapped, layer: int, choices: Choices, series: list[str]
) -> tuple[Array, list[int]]:
    """Draw the map.

    Returns:
        The points, float32 (n, 2), and the rows of those that are selected.
    """
    kind = choices.kind
    points, layers, axes = placed(mapped, layer, kind)
    read = [
        f"{i} · {before}[{word}]{after}"
        for i, (before, word, after) in enumerate(
            (around(one.sentence, one.start, one.end, READ) for one in mapped.occurrences), start=1
        )
    ]
    listed = ", ".join(f"{name} ({series.count(name)})" for name in sorted(set(series)))
    selected = chart(
        occurrence_map(
            points, series, read, axes=axes, layers=layers, layer=layer, numbers=mapped.layers
        ),
        alt=f"Map of {len(points):,} occurrences of {mapped.word} at layer {layer}, placed by "
        f"{kind}: {listed}.",
        name=chart_name(kind),
        follows=CHOSEN,
        of={**mapped.made(layer), "map": kind},
    )
    if layers is None:
        st.caption("Play needs one frame for all layers: place points by all layers (Options).")
    elif len(points) > MOST_PLAYED:
        st.caption(
            f"Play is off: more than {MOST_PLAYED} points would move too slowly. The layer slider "
            "shows each layer."
        )
    return points, selected


def chart_name(kind: str) -> str:
    """Names the chart of a map."""
    return f"senses-{'tsne' if kind == TSNE else 'pca'}"


def placed(mapped: Mapped, layer: int, kind: str) -> tuple[Array, Array | None, tuple[str, str]]:
    """Place the points of a layer.

    Returns:
        The points, float32 (n, 2); all layers' points, (n, layers, 2), where they have one frame;
        and the titles of the axes.
    """
    if kind == TSNE:
        with waiting(f"Laying out {len(mapped.vectors):,} vectors by t-SNE …", height=420):
            points = results.tsne_map(mapped.key, layer, mapped.at(layer))
        perplexity = f"perplexity {tsne_perplexity(len(points)):.0f}"
        return points, None, (f"t-SNE 1 ({perplexity})", "t-SNE 2")
    layers: Array | None = None
    if kind == ONE:
        plane = results.layer_frame(mapped.key, layer, mapped.at(layer))
        points, explained = plane.points, plane.explained
    else:
        plane = results.shared_frame(mapped.key, kind == DRIFTING, mapped.vectors)
        place = mapped.layers.index(layer)
        layers, explained = plane.points, plane.explained[place]
        points = layers[:, place]
    first, second = (
        f"PC {number} ({share:.0%} of the variance at layer {layer})"
        for number, share in enumerate(explained, start=1)
    )
    return points, layers, (first, second)
