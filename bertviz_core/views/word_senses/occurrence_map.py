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
from bertviz_core.views.parts import beside, caption, picture, table, verdict
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Overlay, Part, View
from bertviz_core.views.word_senses import scores
from bertviz_core.views.word_senses.map_figure import (
    MOST_PLAYED,
    SIGNS,
    lines_to,
    map_figure,
    series_marks,
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

SENSE, GROUP = "sense", "group"
UNLABELLED = "no label"
COUNTS: dict[str, int | None] = {
    "proposed": None,
    **{str(count): count for count in range(2, MAX_GROUPS + 1)},
}
STILL = "Play needs points placed by all layers, and at most {most_played} of them."
MOST_READ = 2  # nearest ones beside the map; the section has more of them
# Characters shown of the chosen sentence, of one that is pointed at, and of the nearest ones.
READ, GLANCE, NEARBY = 400, 90, 50


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
            _chosen(mapped, layer, near - 1, series),
            widths=(3, 2),
        ),
        table(
            lambda: _all_columns(mapped, layer, points, groups),
            name=ALL_OCCURRENCES,
            fold=f"All {len(mapped.occurrences):,} occurrences",
        ),
        trusted,
        mapped.program(
            "senses/map",
            bert,
            layer,
            name="senses",
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


def _chosen(mapped: Mapped, layer: int, row: int, series: list[str]) -> list[Part]:
    """The sentence of the chosen occurrence, and its nearest ones."""
    rows, cosines = nearest_occurrences(mapped.at(layer), row)
    marks, sense = series_marks(series), mapped.senses[row]
    lines: list[str] = []
    values: dict[str, Any] = {}
    for i, (other, cosine) in enumerate(zip(rows[:MOST_READ], cosines, strict=False), start=1):
        lines.append(f"<p>{{cosine{i}}} {_line(i, marks[series[other]])}</p>")
        values |= _read(mapped, other, series, i) | {f"cosine{i}": rounded(cosine)}
    return [
        verdict(
            f"<p><b>{{number}} ·</b> {_line(0, marks[series[row]])}</p>",
            number=row + 1,
            **_read(mapped, row, series, 0),
        ),
        caption(
            "Nearest at layer {at_layer}"
            + ("." if sense is None else ": <b>{same}</b> of {count} share its sense."),
            method="nearest-occurrences",
            at_layer=layer,
            same=sum(mapped.senses[other] == sense for other in rows),
            count=len(rows),
        ),
        verdict("".join(lines), **values),
    ]


def _line(i: int, mark: tuple[str, str]) -> str:
    """Our HTML for an occurrence: the sign of its series, and its sentence."""
    color, symbol = mark
    return (
        f'<span style="color: {color}">{SIGNS[symbol]}</span> <small>{{series{i}}}</small> '
        f"{{before{i}}}<b>{{word{i}}}</b>{{after{i}}}"
    )


def _read(mapped: Mapped, row: int, series: list[str], i: int) -> dict[str, Any]:
    """The values of a line."""
    one = mapped.occurrences[row]
    before, word, after = around(one.sentence, one.start, one.end, NEARBY if i else READ)
    return {f"series{i}": series[row], f"before{i}": before, f"word{i}": word, f"after{i}": after}


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
