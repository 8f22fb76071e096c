"""The top of the page on a word in context: finding, table, curves and matrix."""

from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.calibration.scales import LEAST_WORDS
from bertviz_core.figures.contextual.similarity import similarity_curves, similarity_matrix_heatmap
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.percentiles import cosine_columns, hints
from bertviz_core.ui.show import chart, code, folded_table, table
from bertviz_core.ui.word_in_context.compared import Compared, span, stands_alone

MOST_SAID = 4
MOST_CURVES = 10
METHOD = "percentile-scales"


def nearest_anchors(compared: Compared) -> None:
    """Say which anchor each word is nearest to, with the percentile of each similarity."""
    words, anchors, layer = compared.words, compared.anchors, compared.layer
    if not anchors:
        cosine = float(compared.cosines[0, 1, layer])
        finding(
            "At layer {layer}, the first two marked words have cosine similarity "
            "<b>{cosine_1}</b>{percentile_1}.",
            layer=layer,
            cosine_1=f"{cosine:.3f}",
            percentile_1=compared.after(cosine, (0, 1)),
            method=METHOD,
        )
        return
    to_anchors = compared.cosines[: len(words), len(words) :, layer]
    parts, values = [], dict[str, object]()
    for number, row in enumerate(to_anchors[:MOST_SAID], start=1):
        order = np.argsort(-row)
        first = float(row[order[0]])
        values |= {
            f"sentence_{number}": compared.sentence(number - 1),
            f"word_{number}": words[number - 1].word,
            f"nearest_{number}": anchors[order[0]].word,
            f"cosine_{number}": f"{first:.3f}",
            f"percentile_{number}": compared.after(first, (number - 1, len(words) + order[0])),
        }
        part = (
            "<b>{word_N}</b> in “{sentence_N}” is nearest to <b>{nearest_N}</b> "
            "(<b>{cosine_N}</b>{percentile_N}"
        )
        if len(anchors) > 1:
            second = float(row[order[1]])
            values |= {
                f"second_{number}": anchors[order[1]].word,
                f"second_cosine_{number}": f"{second:.3f}",
                f"second_percentile_{number}": compared.briefly(
                    second, (number - 1, len(words) + order[1])
                ),
            }
            part += "; {second_N} {second_cosine_N}{second_percentile_N}"
        parts.append(part.replace("_N", f"_{number}") + ")")
    if len(words) > MOST_SAID:
        parts.append(f"the other {len(words) - MOST_SAID} are in the table")
    between = "; " if len(parts) < 3 and compared.calibration is None else ";<br>"
    finding(f"At layer {{layer}}: {between.join(parts)}.", layer=layer, method=METHOD, **values)


def similarity_table(compared: Compared) -> None:
    """Show the cosine of every word with every anchor, and its percentile."""
    if not compared.anchors:
        return
    words, layer = compared.words, compared.layer
    columns: dict[str, Any] = {
        "sentence": [compared.sentence(number) for number in range(len(words))],
        "word": [word.word for word in words],
        "pieces": [" ".join(word.tokens) for word in words],
    }
    for number, anchor in enumerate(compared.anchors, start=len(words)):
        columns |= _columns(compared, f"to {anchor.word}", np.s_[: len(words), number, layer])
    table(columns, name=f"similarity-layer-{layer}")


def say_what_has_none(compared: Compared) -> None:
    """Say which pairs have no percentile, and why; or what one scale for all does not regard."""
    if compared.calibration is None:
        return
    everything, names = compared.everything, compared.names
    if compared.any_tokens:
        if any(stands_alone(word) or len(word.tokens) > 1 for word in everything):
            note(
                "One scale for all: it is of single tokens in sentences. Words of several pieces, "
                "and words alone, may be more alike or less than these whatever they mean."
            )
        return
    none = [pair for pair in combinations(range(len(names)), 2) if compared.scale(*pair) is None]
    alone = [pair for pair in none if all(stands_alone(everything[i]) for i in pair)]
    few = sorted({i for pair in none if pair not in alone for i in pair})
    if few:
        note(
            "No percentile for some pairs of {words}: the sentences that are measured hold fewer "
            "than {least} words of as many pieces.",
            words=joined([names[i] for i in few]),
            least=LEAST_WORDS,
        )
    if alone:
        st.caption(
            "Two words that both stand alone have no percentile: one word of each pair on the "
            "scales stands in a sentence."
        )


def layer_curves(compared: Compared) -> None:
    """Draw one chart an anchor, with a curve a word."""
    names = [f"{i} {compared.sentence(i - 1)}" for i in range(1, len(compared.words) + 1)]
    halves, count = st.columns(2, gap="medium"), len(names)
    for number, anchor in enumerate(compared.anchors):
        at = np.s_[:count, count + number]
        curves = compared.cosines[at]
        with halves[number % 2]:
            st.text(f"Similarity to “{anchor.word}”")
            chart(
                similarity_curves(curves, names, layer=compared.layer, hints=_hints(compared, at)),
                alt=f"Cosine similarity to {anchor.word} over layers 0 to {curves.shape[1] - 1}: "
                + "; ".join(
                    f"{name}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
                    for name, curve in zip(names, curves, strict=True)
                ),
                name=f"curves-{number + 1}",
            )


def between_words(compared: Compared) -> None:
    """Draw how alike the marked words are to each other, by layer."""
    count = len(compared.words)
    if count < 2:
        return
    st.text("Similarity between the marked words")
    at = np.triu_indices(count, 1)
    curves, pointed = compared.cosines[at], _hints(compared, at)
    mean = curves.mean(axis=0)
    names = [f"{i + 1} and {j + 1}" for i, j in zip(*at, strict=True)]
    if len(names) > MOST_CURVES:
        # A mean of many cosines is spread less than single ones: their scale is not for it.
        curves, names, pointed = mean[None], [f"mean of {len(names)} pairs"], None
    chart(
        similarity_curves(curves, names, layer=compared.layer, hints=pointed),
        alt="Cosine similarity between the marked words, by layer: "
        f"{mean[0]:.3f} at the input, {mean[-1]:.3f} at the end.",
        name="curves-between",
    )


def curve_table(compared: Compared) -> None:
    """Fold away the numbers of all curves: of all pairs but those of two anchors."""
    names = compared.names

    def columns() -> dict[str, Any]:
        shown: dict[str, Any] = {"layer": np.arange(compared.cosines.shape[-1])}
        for i, j in combinations(range(len(names)), 2):
            if i < len(compared.words):
                shown |= _columns(compared, f"{names[i]} – {names[j]}", (i, j))
        return shown

    folded_table(
        "The numbers of all curves", columns, key="curve-numbers", name="similarity-by-layer"
    )


def matrix(compared: Compared) -> None:
    """Draw the matrix between all words and anchors, with its table."""
    names, layer = compared.names, compared.layer
    cosines = np.ascontiguousarray(compared.cosines[..., layer])
    st.text(f"Every word with every other, layer {layer}")
    chart(
        similarity_matrix_heatmap(cosines, names, hints=_hints(compared, np.s_[..., layer])),
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {cosines.min():.3f} to 1.",
        name=f"matrix-layer-{layer}",
    )

    def columns() -> dict[str, Any]:
        shown: dict[str, Any] = {"word" if "word" not in names else "word of the row": names}
        for number, name in enumerate(names):
            shown |= _columns(compared, name, np.s_[:, number, layer])
        return shown

    folded_table(
        "The numbers of the matrix", columns, key="matrix-numbers", name=f"matrix-layer-{layer}"
    )


def matrix_code(compared: Compared) -> None:
    """Offer the code that prints the matrix."""
    code(
        "contextual/similarity",
        compared.bert,
        words=[span(word) for word in compared.everything],
        pooling=compared.comparison.pooling,
        layer=compared.layer,
        name="context",
    )


def _percentiles(compared: Compared, at: Any) -> NDArray[np.float64] | None:
    """Percentiles of a part of the cosines; None without a calibration."""
    return None if compared.percentiles is None else np.ascontiguousarray(compared.percentiles[at])


def _hints(compared: Compared, at: Any) -> NDArray[np.str_] | None:
    """What the pointer says of a part of the cosines; None without a calibration."""
    percentiles = _percentiles(compared, at)
    return None if percentiles is None else hints(percentiles)


def _columns(compared: Compared, title: str, at: Any) -> dict[str, Any]:
    return cosine_columns(title, compared.cosines[at], _percentiles(compared, at))
