"""The top of the page on a word in context: finding, plane of two anchors, curves and matrix."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.calibration.percentiles import cosine_columns, hints, percent
from bertviz_core.calibration.scales import LEAST_WORDS
from bertviz_core.figures.contextual.plane import anchor_plane
from bertviz_core.figures.contextual.similarity import (
    Panel,
    similarity_curves,
    similarity_matrix_heatmap,
)
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.word_in_context.compared import Compared, span, stands_alone
from bertviz_core.ui.word_in_context.numbers import rounded

MOST_SAID = 2
MOST_CURVES = 10
METHOD = "percentile-scales"


def nearest_anchors(compared: Compared) -> None:
    """Say which anchor the first two words are nearest to; without anchors, how alike they are."""
    count, layer = len(compared.words), compared.layer
    said = range(min(count, MOST_SAID))
    values: dict[str, object] = {"layer": layer}
    for i in said:
        values |= {
            f"sentence_{i + 1}": compared.shortened(i),
            f"word_{i + 1}": compared.words[i].word,
        }
    if not compared.anchors:
        finding(
            "At layer {layer}, {word_1} in <i>{sentence_1}</i> and {word_2} in <i>{sentence_2}</i> "
            "have cosine similarity <b>{cosine_1}</b>.",
            cosine_1=rounded(float(compared.cosines[0, 1, layer])),
            method=METHOD,
            **values,
        )
        return
    parts = []
    for i in said:
        row = compared.cosines[i, count:, layer]
        first, *others = np.argsort(-row)[:2].tolist()
        values |= {
            f"nearest_{i + 1}": compared.anchors[first].word,
            f"cosine_{i + 1}": rounded(row[first]),
        }
        part = "n <i>{sentence_N}</i>, {word_N} is closest to <b>{nearest_N}</b> (<b>{cosine_N}</b>"
        part += "; {second_N} {second_cosine_N})."
        for second in others:
            values |= {
                f"second_{i + 1}": compared.anchors[second].word,
                f"second_cosine_{i + 1}": rounded(row[second]),
            }
        if not others:
            part = "n <i>{sentence_N}</i>, {word_N} and <b>{nearest_N}</b> have similarity "
            part += "<b>{cosine_N}</b>."
        parts.append(("I" if i else "At layer {layer}, i") + part.replace("_N", f"_{i + 1}"))
    if count > MOST_SAID:
        parts[-1] += f" {count - MOST_SAID} more in the table."
    finding("<br>".join(parts), method=METHOD, **values)


def plane(compared: Compared, across: int, up: int, *, height: int) -> None:
    """Draw the words over two anchors, by their numbers in `compared.everything`."""
    count, names = len(compared.words), compared.names
    cosines = np.stack([compared.cosines[:count, i] for i in (across, up)], axis=-1)
    anchors = names[across], names[up]
    start, now = cosines[:, 0], cosines[:, compared.layer]
    chart(
        anchor_plane(
            cosines,
            [compared.excerpt(i, 20) for i in range(count)],
            anchors,
            _pointed(compared, cosines, (across, up)),
            layer=compared.layer,
            height=height,
        ),
        alt=f"Words ({count}) as paths over their similarity to {anchors[0]} and to {anchors[1]}, "
        f"from layer 0 to {cosines.shape[1] - 1}. At layer {compared.layer}: "
        + "; ".join(
            f"{names[i]} {x:.2f} and {y:.2f}, at the input {start[i, 0]:.2f} and {start[i, 1]:.2f}"
            for i, (x, y) in enumerate(now)
        )
        + ".",
        name="plane",
        of=compared.made,
    )


def _pointed(compared: Compared, cosines: NDArray[Any], pair: tuple[int, int]) -> list[list[str]]:
    """What the pointer tells of each word at each layer of the plane."""
    first, second = (compared.names[i] for i in pair)
    told = []
    for number, path in enumerate(cosines.tolist()):
        word = f"{compared.words[number].word} ({compared.shortened(number, 48)}), layer"
        told.append(
            [f"{word} {at}: {first} {x:.2f}, {second} {y:.2f}" for at, (x, y) in enumerate(path)]
        )
        if compared.percentiles is not None:
            standing = compared.percentiles[number, list(pair)]
            told[-1] = [
                text
                if np.isnan(both).all()
                else f"{text}\npercentiles "
                + " and ".join("none" if np.isnan(one) else percent(one) for one in both)
                for text, both in zip(told[-1], standing.T, strict=True)
            ]
    return told


def similarity_table(compared: Compared) -> None:
    """Fold away the cosine of every word with every anchor, and its percentile."""
    words, layer = compared.words, compared.layer
    others = compared.anchors or words

    def columns() -> dict[str, Any]:
        shown: dict[str, Any] = {
            "sentence": [compared.sentence(number) for number in range(len(words))],
            "word": [word.word for word in words],
            "pieces": [" ".join(word.tokens) for word in words],
        }
        first = len(words) if compared.anchors else 0
        for number, name in enumerate(compared.names[first : first + len(others)], start=first):
            shown |= _columns(compared, f"to {name}", np.s_[: len(words), number, layer])
        return shown

    def by_layer() -> dict[str, Any]:
        names = compared.names
        shown: dict[str, Any] = {"layer": np.arange(compared.cosines.shape[-1])}
        for i, j in combinations(range(len(names)), 2):
            if i < len(words):
                shown |= _columns(compared, f"{names[i]} – {names[j]}", (i, j))
        return shown

    folded_table(
        "Table",
        columns,
        key="similarity-numbers",
        name="similarity",
        files={"All layers as CSV": ("similarity-by-layer", by_layer)},
        of=compared.made,
    )


def say_what_has_none(compared: Compared) -> None:
    """Say which pairs have no percentile, and why."""
    if compared.calibration is None:
        return
    names = compared.names
    none = [pair for pair in combinations(range(len(names)), 2) if compared.scale(*pair) is None]
    few = sorted({i for pair in none if not _both_alone(compared, pair) for i in pair})
    if few:
        note(
            "No percentile for some pairs of {words}: the sentences that are measured hold fewer "
            "than {least} words of as many pieces.",
            words=joined([names[i] for i in few]),
            least=LEAST_WORDS,
        )


def layer_curves(compared: Compared, *, height: int = 0) -> None:
    """Draw how alike the words are to each anchor and to each other, by layer."""
    count, names = len(compared.words), compared.names
    panels = [
        Panel(
            f"similarity to {names[number]}",
            names[:count],
            compared.cosines[:count, number],
            _hints(compared, np.s_[:count, number]),
        )
        for number in range(count, len(names))
    ]
    if count > 1:
        panels.append(_between(compared))
    chart(
        similarity_curves(panels, layer=compared.layer, height=height),
        alt=f"Cosine similarity over layers 0 to {compared.cosines.shape[-1] - 1}. "
        + " ".join(
            f"{panel.title}: "
            + "; ".join(
                f"{name} {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
                for name, curve in zip(panel.names, panel.curves, strict=True)
            )
            + "."
            for panel in panels
        ),
        name="curves",
        of=compared.made,
    )


def _between(compared: Compared) -> Panel:
    """The words with each other; of many pairs their mean."""
    at = np.triu_indices(len(compared.words), 1)
    curves = compared.cosines[at]
    names = [f"{i + 1} and {j + 1}" for i, j in zip(*at, strict=True)]
    title = "similarity between the marked words"
    if len(names) > MOST_CURVES:
        # A mean of many cosines is spread less than single ones: their scale is not for it.
        return Panel(f"{title}, mean of {len(names)} pairs", ["mean"], curves.mean(axis=0)[None])
    return Panel(title, names, curves, _hints(compared, at))


def matrix(compared: Compared) -> None:
    """Draw the matrix between all words and anchors."""
    names, layer = compared.names, compared.layer
    cosines = np.ascontiguousarray(compared.cosines[..., layer])
    pointed = _hints(compared, np.s_[..., layer])
    if pointed is not None:
        alone = np.array([stands_alone(word) for word in compared.everything])
        alone = np.outer(alone, alone) & ~np.eye(len(names), dtype=bool)
        pointed = np.where(alone, "no percentile: both stand alone", pointed)
    chart(
        similarity_matrix_heatmap(
            cosines, names, title=f"Every word with every other, layer {layer}", hints=pointed
        ),
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {cosines.min():.3f} to 1.",
        name="matrix",
        of=compared.made,
    )


def matrix_table(compared: Compared) -> None:
    """Fold away the numbers of the matrix."""
    names, layer = compared.names, compared.layer

    def columns() -> dict[str, Any]:
        shown: dict[str, Any] = {"word" if "word" not in names else "word of the row": names}
        for number, name in enumerate(names):
            shown |= _columns(compared, name, np.s_[:, number, layer])
        return shown

    folded_table("Matrix as table", columns, key="matrix-numbers", name="matrix", of=compared.made)


def matrix_code(compared: Compared) -> None:
    """Offer the code that prints the matrix."""
    code(
        "contextual/similarity",
        compared.bert,
        words=[span(word) for word in compared.everything],
        pooling=compared.comparison.pooling,
        layer=compared.layer,
        name="context",
        arrays=lambda: {
            "word": compared.names,
            "sentence": [word.sentence for word in compared.everything],
            "vectors": np.stack([word.vectors for word in compared.everything]),
            "cosines": compared.cosines,
            "layer": np.arange(compared.cosines.shape[-1]),
        },
    )


def _both_alone(compared: Compared, pair: tuple[int, int]) -> bool:
    return all(stands_alone(compared.everything[i]) for i in pair)


def _percentiles(compared: Compared, at: Any) -> NDArray[np.float64] | None:
    """Percentiles of a part of the cosines; None without a calibration."""
    return None if compared.percentiles is None else np.ascontiguousarray(compared.percentiles[at])


def _hints(compared: Compared, at: Any) -> NDArray[np.str_] | None:
    """What the pointer says of a part of the cosines; None without a calibration."""
    percentiles = _percentiles(compared, at)
    return None if percentiles is None else hints(percentiles)


def _columns(compared: Compared, title: str, at: Any) -> dict[str, Any]:
    return cosine_columns(title, compared.cosines[at], _percentiles(compared, at))
