"""The chosen occurrence: its sentence, and its nearest ones in a list and on the map."""

from collections.abc import Sequence
from typing import Any

from bertviz_core.arrays import Array
from bertviz_core.contextual.marks import around
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.projection import map_ranks
from bertviz_core.views.parts import caption, table, verdict
from bertviz_core.views.view import Overlay, Part
from bertviz_core.views.word_senses.map_figure import SIGNS, lines_to, series_marks
from bertviz_core.views.word_senses.sense_map import MAPS, SenseMap, listed

CHOSEN, NEARBY = 400, 50  # characters shown of the chosen sentence, and of the nearest ones
MAX_BESIDE = 2  # nearest ones beside the map; the table has more of them


def lines_to_nearest(
    mapped: SenseMap, layer: int, kind: str, points: Array, row: int
) -> tuple[Part, Part]:
    """How many of the nearest by cosine are near on the map as well, and lines to them."""
    nearest, _ = nearest_occurrences(mapped.at(layer), row, min(10, (len(points) - 1) // 2))
    close = map_ranks(points, row)[nearest] <= len(nearest)
    lines = lines_to(points, row, nearest, close)
    said = caption(
        "<b>{map_close}</b> of its {map_nearest} nearest are near on the map as well: solid lines.",
        method="trust-in-the-map",
        map_close=int(close.sum()),
        map_nearest=len(nearest),
    )
    return said, Overlay(MAPS[kind], lambda dark, large: {"layout": {"shapes": lines}})


def chosen_and_nearest(mapped: SenseMap, layer: int, row: int, series: list[str]) -> list[Part]:
    """The sentence of the chosen occurrence, and its nearest ones."""
    rows, cosines = nearest_occurrences(mapped.at(layer), row)
    sense, marks = mapped.senses[row], series_marks(series)
    lines: list[str] = []
    values: dict[str, Any] = {}
    for i, other in enumerate([row, *rows[:MAX_BESIDE]]):
        one, (color, symbol) = mapped.occurrences[other], marks[series[other]]
        before, word, after = around(one.sentence, one.start, one.end, NEARBY if i else CHOSEN)
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
    return listed(
        mapped,
        rows,
        **{
            "nearest to": [row + 1] * len(rows),
            "cosine similarity": cosines,
            "rank on the map": map_ranks(points, row)[rows],
        },
    )


def selected_sentences(mapped: SenseMap, layer: int, selected: Sequence[int]) -> list[Part]:
    """The sentences of the points that were selected; of a single one nothing more is said."""
    if len(selected) < 2:
        return []
    labels = mapped.groups(layer).labels
    return [
        caption("{selected} selected", selected=f"{len(selected):,}"),
        table(listed(mapped, selected, group=labels[list(selected)] + 1), name="senses-selected"),
    ]
