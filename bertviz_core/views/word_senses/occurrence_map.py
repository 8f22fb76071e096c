"""The headline: the map of a word's occurrences, and the chosen one with its nearest ones."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import around
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.groups import MAX_GROUPS
from bertviz_core.senses.projection import Trust, map_ranks, trust
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import beside, caption, picture, table
from bertviz_core.views.view import Overlay, Part, View
from bertviz_core.views.word_senses import scores
from bertviz_core.views.word_senses.map_figure import (
    MOST_PLAYED,
    lines_to,
    map_figure,
)
from bertviz_core.views.word_senses.mapped import (
    ALL,
    ALL_OCCURRENCES,
    MAPS,
    PAGE,
    Mapped,
    listed,
    placed,
)
from bertviz_core.views.word_senses.nearest import chosen

SENSE, GROUP = "sense", "group"
UNLABELLED = "no label"
COUNTS: dict[str, int | None] = {
    "proposed": None,
    **{str(count): count for count in range(2, MAX_GROUPS + 1)},
}
STILL = "Play needs points placed by all layers, and at most {most_played} of them."
GLANCE = 90  # characters shown of a sentence that is pointed at


@view("occurrences on a map", page=PAGE, rank=0)
def sense_map(
    bert: Bert,
    mapped: Mapped,
    layer: int,
    near: int = 1,
    kind: Annotated[
        str,
        Choice(
            "Place points by",
            list(MAPS),
            key="map",
            about="how points are placed",
            help="All layers: one PCA over the vectors of all layers, with each layer's mean "
            "taken away, so that a point moves only where it changes among the others. This "
            "layer: a PCA of this layer alone. t-SNE: near vectors stay near, but distances "
            "between groups mean nothing.",
        ),
    ] = ALL,
    colour: Annotated[str, Choice("Colour by", (SENSE, GROUP), about="what colours them")] = SENSE,
    groups: Annotated[
        int | None,
        Choice(
            "Number of groups",
            COUNTS,
            about="how many groups",
            help="The number with the best mean silhouette is proposed, at each layer. It says "
            "which groups are compact, not how many senses there are.",
        ),
    ] = None,
) -> View:
    """Every occurrence of a word as a point, coloured by its sense or its group."""
    points, layers, axes = placed(mapped, layer, kind)
    series = _series(mapped, layer, colour, groups)
    read = [
        f"{i} · {before}[{word}]{after}"
        for i, (before, word, after) in enumerate(
            (around(one.sentence, one.start, one.end, GLANCE) for one in mapped.occurrences),
            start=1,
        )
    ]
    counted = ", ".join(f"{name} ({series.count(name)})" for name in sorted(set(series)))
    trusted, lines = _how_far_to_trust(mapped, layer, kind, points, near - 1)
    still = layers is None or len(points) > MOST_PLAYED
    return View(
        scores.finding(mapped) if mapped.scorable else scores.groups_finding(mapped, layer, groups),
        beside(
            [
                picture(
                    map_figure(
                        points,
                        series,
                        read,
                        axes=axes,
                        layers=layers,
                        layer=layer,
                        numbers=mapped.layers,
                    ),
                    alt=f"Map of {len(points):,} occurrences of {mapped.word} at layer {layer}, "
                    f"placed by {kind}: {counted}.",
                    name=MAPS[kind],
                    follows="near",
                ),
                *([caption(STILL, most_played=MOST_PLAYED)] if still else []),
                lines,
                *([] if mapped.corpus_sample is None else mapped.corpus_sample.said()),
            ],
            chosen(mapped, layer, near - 1, series),
            widths=(3, 2),
        ),
        table(
            lambda: _all_columns(mapped, layer, points, groups),
            name=ALL_OCCURRENCES,
            fold=f"All {len(mapped.occurrences):,} occurrences",
        ),
        trusted,
        mapped.program(
            PROGRAM,
            bert,
            layer,
            name="senses",
            drawing=DRAWING,
            layer=layer,
            map_of=kind,
            group_count=groups,
            arrays=lambda: _arrays(mapped, layer, points, groups),
        ),
        made=mapped.made(layer),
    )


def selected_sentences(
    mapped: Mapped, layer: int, groups: int | None, selected: Sequence[int]
) -> list[Part]:
    """The sentences of the points that were selected; of a single one nothing more is said."""
    if len(selected) < 2:
        return []
    labels = mapped.groups(layer, groups).labels
    return [
        caption("{selected} selected", selected=f"{len(selected):,}"),
        table(listed(mapped, selected, group=labels[list(selected)] + 1), name="senses-selected"),
    ]


def _series(mapped: Mapped, layer: int, colour: str, groups: int | None) -> list[str]:
    """Of each occurrence what colours it: a column, its sense, or its group without labels."""
    if mapped.colours is not None:
        return list(mapped.colours)
    if colour == SENSE and mapped.labelled:
        return [sense or UNLABELLED for sense in mapped.senses]
    return [f"group {label + 1}" for label in mapped.groups(layer, groups).labels]


@once
def _trust(mapped: Mapped, layer: int, kind: str) -> Trust:
    return trust(mapped.at(layer), placed(mapped, layer, kind)[0])


def _how_far_to_trust(
    mapped: Mapped, layer: int, kind: str, points: Array, row: int
) -> tuple[Part, Part]:
    """How many of the nearest by cosine are near on the map, of all points, and lines from one."""
    measured = _trust(mapped, layer, kind)
    nearest, _ = nearest_occurrences(mapped.at(layer), row, measured.nearest)
    close = map_ranks(points, row)[nearest] <= measured.nearest
    said = caption(
        "The map keeps <b>{map_kept}</b> of the {map_nearest} nearest by cosine (by chance "
        "{map_chance}; trustworthiness {map_trust}). Lines lead from number {map_point} to its "
        "nearest: solid to {map_close} that are near here too, dotted to {map_far}.",
        method="trust-in-the-map",
        map_nearest=measured.nearest,
        map_kept=f"{measured.nearest * measured.kept.mean():.1f}",
        map_chance=f"{measured.nearest * measured.by_chance:.1f}",
        map_trust=f"{measured.trustworthiness:.2f}",
        map_point=row + 1,
        map_close=int(close.sum()),
        map_far=int((~close).sum()),
    )
    lines = lines_to(points, row, nearest, close)
    return said, Overlay(MAPS[kind], lambda dark, large: {"layout": {"shapes": lines}})


def _all_columns(mapped: Mapped, layer: int, points: Array, groups: int | None) -> dict[str, Any]:
    """Every occurrence with its point on the map."""
    found = mapped.occurrences
    return listed(
        mapped,
        range(len(found)),
        group=mapped.groups(layer, groups).labels + 1,
        x=points[:, 0],
        y=points[:, 1],
        line=[one.line for one in found],
        start=[one.start for one in found],
        end=[one.end for one in found],
    )


def _arrays(mapped: Mapped, layer: int, points: Array, groups: int | None) -> dict[str, Any]:
    """The vectors at every layer, in a form that this page opens again, and the map."""
    columns = _all_columns(mapped, layer, points, groups)
    kept = ("sentence", "start", "end", "group", "x", "y")
    return {
        "vectors": mapped.vectors,
        "layers": np.array(mapped.layers),
        "word": np.array(mapped.word),
        "sense": [sense or "" for sense in mapped.senses],
        "pooling": np.array(mapped.pooling),
        **{name: columns[name] for name in kept},
    }


PROGRAM = '''
"""A word's occurrences on a map, how far it can be trusted, and groups among them.

Of more than 200, `words` is the page's table of all, saved as CSV: put that beside this program.
"""

from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
layer = ...
map_of = ...  # "all layers", "this layer" or "t-SNE"
group_count = ...  # how many to make; None for the number with the best silhouette
words_of, read, states, pool, vectors_of = ...
tokenizer, model = ...
words = words_of(words)
by_layer = vectors_of(tokenizer, model, words, pooling)
at_layer = by_layer[layer]
if map_of == "this layer":
    points = PCA(2).fit_transform(at_layer)
elif map_of == "t-SNE":
    perplexity = min(30, (len(words) - 1) / 3)
    tsne = TSNE(2, perplexity=perplexity, init="pca", random_state=0)
    points = tsne.fit_transform(at_layer.astype(np.float32))
else:
    by_layer = by_layer - by_layer.mean(axis=1, keepdims=True)  # all move together
    points = PCA(2).fit(np.concatenate(by_layer)).transform(by_layer[layer])
for number, (x, y) in enumerate(points, start=1):
    print(f"number {number} at {x:.3f} {y:.3f}")
if map_of != "t-SNE":
    shares = points.var(axis=0) / at_layer.var(axis=0).sum()
    print("of the variance at the layer", shares.round(4))
k = min(10, (len(words) - 1) // 2)
trusted = trustworthiness(at_layer, points, n_neighbors=k, metric="cosine")
print("trustworthiness", round(trusted, 4))
nearest = [
    NearestNeighbors(n_neighbors=k, metric=metric).fit(rows).kneighbors(return_distance=False)
    for rows, metric in ((at_layer, "cosine"), (points, "euclidean"))
]
# Of equal vectors, as at layer 0, the page takes all as nearest ones, and not any k of them.
kept = [len(set(true) & set(drawn)) for true, drawn in zip(*nearest, strict=True)]
print("of the", k, "nearest, kept on the map", round(np.mean(kept), 4))
tried, starts = {}, 10 if len(words) <= 500 else 3
for count in range(2, 1 + min(6, len(words) - 1, len(np.unique(at_layer, axis=0)))):
    groups = KMeans(count, n_init=starts, random_state=0).fit_predict(at_layer)
    tried[count] = silhouette_score(at_layer, groups)
if tried:
    wanted = group_count or max(tried, key=lambda count: tried[count])
    count = min(tried, key=lambda count: abs(count - wanted))
    print("groups", count, "silhouette", round(tried[count], 4))
if tried and not any(word[0] for word in words):  # without labels the page says this, too
    spread = np.linalg.svd(at_layer - at_layer.mean(axis=0), compute_uv=False)
    draws, clouds = np.random.default_rng(0), []
    for _ in range(19):  # clouds of points without groups
        cloud = draws.standard_normal((min(len(words), 200), len(spread))) * spread
        groups = KMeans(count, n_init=3, random_state=0).fit_predict(cloud)
        clouds.append(silhouette_score(cloud, groups))
    print("without groups", round(min(clouds), 3), "to", round(max(clouds), 3))
'''


DRAWING = """
import plotly.graph_objects as go

figure = go.Figure()
for sense in dict.fromkeys(word[0] for word in words):
    rows = [i for i, word in enumerate(words) if word[0] == sense]
    figure.add_scatter(
        x=points[rows, 0],
        y=points[rows, 1],
        mode="markers",
        name=sense or "no label",
        text=[words[i][1].replace("<", "&lt;") for i in rows],
        hoverinfo="text",
    )
figure.update_layout(height=600)
"""
