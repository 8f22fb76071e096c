"""The headline: the map of a word's occurrences, and the chosen one with its nearest ones."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import around
from bertviz_core.corpus.stratified_sample import in_brackets
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.projection import map_ranks
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import Overlay, Part, Sentence
from bertviz_core.views.view import (
    View,
    beside,
    caption,
    note,
    picture,
    rounded,
    say,
    table,
    verdict,
)
from bertviz_core.views.word_senses.map_figure import (
    MAX_PLAYED,
    SIGNS,
    lines_to,
    map_figure,
    series_marks,
)
from bertviz_core.views.word_senses.scores import best_layer_of
from bertviz_core.views.word_senses.sense_map import (
    PAGE,
    PICTURE,
    SenseMap,
    columns_of,
    plane_of,
)

SENSE, GROUP = "sense", "group"
UNLABELLED = "no label"
STILL = "Play needs at most {most_played} points."
# Characters shown of the chosen sentence, of the nearest ones, and of one that is pointed at.
CHOSEN, NEARBY, GLANCE = 400, 50, 90
MAX_BESIDE = 2  # nearest ones beside the map; the table has more of them


@view("occurrences on a map", page=PAGE, rank=0)
def sense_map(
    bert: Bert,
    mapped: SenseMap,
    layer: int,
    near: int = 1,
    colour: Annotated[str, Choice("Colour by", (SENSE, GROUP), about="what colours them")] = SENSE,
) -> View:
    """Every occurrence of a word as a point, coloured by its sense or its group."""
    plane = plane_of(mapped)
    place = mapped.layers.index(layer)
    points = plane.points[:, place]
    across, up = plane.explained[place]
    series = _series(mapped, layer, colour)
    texts = []
    for number, one in enumerate(mapped.occurrences, start=1):
        before, word, after = around(one.sentence, one.start, one.end, GLANCE)
        texts.append(f"{number} · {before}[{word}]{after}")
    counts = ", ".join(f"{name} ({series.count(name)})" for name in sorted(set(series)))
    near_on_map, lines = lines_to_nearest(mapped, layer, points, near - 1)
    figure = map_figure(
        plane.points,
        place,
        series,
        texts,
        axes=(f"PC 1 ({across:.0%})", f"PC 2 ({up:.0%})"),
        numbers=mapped.layers,
    )
    return View(
        mapped.notes,
        note(
            "These vectors come from the model “<b>{model}</b>”, pooled by {pooling}; the model in "
            "the sidebar does not matter here.",
            model=mapped.model,
            pooling=mapped.pooling,
        )
        if mapped.model != bert.name
        else [],
        best_layer_of(mapped) if mapped.scorable else _groups_finding(mapped, layer),
        beside(
            [
                picture(
                    figure,
                    alt=f"Map of {len(points):,} occurrences of {mapped.word} at layer {layer}, "
                    f"placed by PCA: {counts}.",
                    name=PICTURE,
                    follows="near",
                ),
                *([caption(STILL, most_played=MAX_PLAYED)] if len(points) > MAX_PLAYED else []),
                lines,
            ],
            [*chosen_and_nearest(mapped, layer, near - 1, series), near_on_map],
            widths=(3, 2),
        ),
        table(
            lambda: _all_columns(mapped, layer, points),
            name="senses",
            fold=f"All {len(mapped.occurrences):,} occurrences",
        ),
        table(
            lambda: nearest_columns(mapped, layer, points, near - 1),
            name="senses-nearest",
            fold=f"The nearest to number {near}",
        ),
        mapped.program(
            PROGRAM,
            bert,
            name="senses",
            layer=layer,
            chosen=near,
            arrays=lambda: _arrays(mapped, layer, points),
        ),
        made=mapped.made(layer),
    )


def _groups_finding(mapped: SenseMap, layer: int) -> Sentence:
    """Say into how many groups the occurrences of one layer fall; for those without labels."""
    groups = mapped.groups(layer)
    word = mapped.word
    if groups.count == 1:
        alike = "At layer {layer} all occurrences of <b>{word}</b> have the same vector."
        return say(alike, method="groups-of-occurrences", layer=layer, word=word)
    return say(
        "At layer {layer} k-means makes <b>{groups}</b> groups of the <b>{occurrences}</b> "
        "occurrences of <b>{word}</b>, with mean silhouette <b>{score}</b>: 1 is clear, 0 is none.",
        method="groups-of-occurrences",
        layer=layer,
        word=word,
        occurrences=len(mapped.occurrences),
        groups=groups.count,
        score=rounded(groups.silhouette),
    )


def _series(mapped: SenseMap, layer: int, colour: str) -> list[str]:
    """Of each occurrence what colours it: a column, its sense, or its group without labels."""
    if mapped.colours is not None:
        return list(mapped.colours)
    if colour == SENSE and mapped.labelled:
        unlabelled = in_brackets(UNLABELLED, mapped.senses)
        return [sense or unlabelled for sense in mapped.senses]
    return [f"group {label + 1}" for label in mapped.groups(layer).labels]


def _all_columns(mapped: SenseMap, layer: int, points: Array) -> dict[str, Any]:
    """Every occurrence with its point on the map."""
    return columns_of(
        mapped,
        range(len(points)),
        group=mapped.groups(layer).labels + 1,
        x=points[:, 0],
        y=points[:, 1],
        **{
            name: [getattr(one, name) for one in mapped.occurrences]
            for name in ("line", "start", "end")
        },
    )


def _arrays(mapped: SenseMap, layer: int, points: Array) -> dict[str, Any]:
    """The vectors at every layer, in a form that this page opens again, and the map."""
    columns = _all_columns(mapped, layer, points)
    return {
        "vectors": mapped.vectors,
        "layers": np.array(mapped.layers),
        "word": np.array(mapped.word),
        "sense": [sense or "" for sense in mapped.senses],
        "pooling": np.array(mapped.pooling),
        **{name: columns[name] for name in ("sentence", "start", "end", "group", "x", "y")},
    }


def lines_to_nearest(mapped: SenseMap, layer: int, points: Array, row: int) -> tuple[Part, Part]:
    """How many of the nearest by cosine are near on the map as well, and lines to them."""
    nearest, _ = nearest_occurrences(mapped.at(layer), row, min(10, (len(points) - 1) // 2))
    close = map_ranks(points, row)[nearest] <= len(nearest)
    lines = lines_to(points, row, nearest, close)
    sentence = caption(
        "<b>{map_close}</b> of its {map_nearest} nearest are near on the map as well: solid lines.",
        method="trust-in-the-map",
        map_close=int(close.sum()),
        map_nearest=len(nearest),
    )
    return sentence, Overlay(PICTURE, shapes=lines)


def chosen_and_nearest(mapped: SenseMap, layer: int, row: int, series: list[str]) -> list[Part]:
    """The sentence of the chosen occurrence, and its nearest ones."""
    rows, cosines = nearest_occurrences(mapped.at(layer), row)
    sense = mapped.senses[row]
    looks = series_marks(series)
    lines: list[str] = []
    values: dict[str, Any] = {}
    for i, other in enumerate([row, *rows[:MAX_BESIDE]]):
        one = mapped.occurrences[other]
        before, word, after = around(one.sentence, one.start, one.end, NEARBY if i else CHOSEN)
        color, symbol = looks[series[other]]
        values |= {f"series{i}": series[other], f"before{i}": before}
        values |= {f"word{i}": word, f"after{i}": after}
        lines.append(
            f'<span style="color: {color}">{SIGNS[symbol]}</span> <small>{{series{i}}}</small> '
            f"{{before{i}}}<b>{{word{i}}}</b>{{after{i}}}</p>"
        )
    values |= {f"cosine{i}": f"{cosine:.2f}" for i, cosine in enumerate(cosines[:MAX_BESIDE], 1)}
    first, *others = lines
    return [
        verdict(f"<p><b>{{number}} ·</b> {first}", number=row + 1, **values),
        caption(
            "Nearest at layer {at_layer}"
            + ("." if sense is None else ": <b>{same}</b> of {count} share its sense."),
            method="nearest-occurrences",
            at_layer=layer,
            same=sum(mapped.senses[other] == sense for other in rows),
            count=len(rows),
        ),
        verdict("".join(f"<p>{{cosine{i}}} {line}" for i, line in enumerate(others, 1)), **values),
    ]


def nearest_columns(mapped: SenseMap, layer: int, points: Array, row: int) -> dict[str, Any]:
    """The occurrences nearest to one of them, by cosine."""
    rows, cosines = nearest_occurrences(mapped.at(layer), row)
    return columns_of(
        mapped,
        rows,
        **{
            "nearest to": [row + 1] * len(rows),
            "cosine similarity": cosines,
            "rank on the map": map_ranks(points, row)[rows],
        },
    )


PROGRAM = '''
"""A word's occurrences on a map, the nearest to one of them, and groups among them."""

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
layer = ...
chosen = ...  # number of the occurrence whose nearest ones are listed, from 1
read, states, pool, vectors_of = ...
tokenizer, model = ...
by_layer = vectors_of(tokenizer, model, words, pooling)
at_layer = by_layer[layer]
centred = by_layer - by_layer.mean(axis=1, keepdims=True)  # all move together
points = PCA(2).fit(np.concatenate(centred)).transform(centred[layer])
for number, (x, y) in enumerate(points, start=1):
    print(f"number {number} at {x:.3f} {y:.3f}")
shares = points.var(axis=0) / at_layer.var(axis=0).sum()
print("of the variance at the layer", shares.round(4))
units = at_layer / np.linalg.norm(at_layer, axis=1, keepdims=True)
cosines = units @ units[chosen - 1]
nearest = [i for i in np.argsort(-cosines, kind="stable") if i != chosen - 1][:10]
for i in nearest:
    print(f"number {i + 1} cosine {cosines[i]:.4f}")
k = min(10, (len(words) - 1) // 2)
near = np.argsort(np.linalg.norm(points - points[chosen - 1], axis=1))[1 : k + 1]
print("of its", k, "nearest, near on the map", len(set(nearest[:k]) & set(near)))
tried, starts = {}, 10 if len(words) <= 500 else 3
for count in range(2, 1 + min(6, len(words) - 1, len(np.unique(at_layer, axis=0)))):
    groups = KMeans(count, n_init=starts, random_state=0).fit_predict(at_layer)
    tried[count] = silhouette_score(at_layer, groups)
if tried:
    count = max(tried, key=lambda count: tried[count])
    print("groups", count, "silhouette", round(tried[count], 4))
'''
