"""The top of the page on a word in context: finding, table, curves and matrix."""

from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import similarity_matrix
from bertviz_core.figures.contextual.curves import similarity_curves
from bertviz_core.figures.heatmaps.matrix import similarity_matrix_heatmap
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding
from bertviz_core.ui.percentiles import after, briefly, column
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.word_in_context.words import Compared, span

MOST_SAID = 4
MOST_CURVES = 10


def chosen_layer(bert: Bert) -> int:
    """Ask for a layer; the last one at first."""
    last = bert.num_hidden_layers
    return inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer")


def nearest_anchor_finding(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Say to which anchor each word is nearest, with the percentile of each similarity."""
    words, anchors = compared.words, compared.anchors
    if not anchors:
        cosine = float(similarity_by_layer(words[0], words[1])[layer])
        finding(
            "At layer {layer}, the first two marked words have cosine similarity "
            "<b>{cosine}</b>{worth}.",
            layer=layer,
            cosine=f"{cosine:.3f}",
            worth=after(calibration, cosine, layer),
        )
        return
    said, values = [], dict[str, object]()
    for number, row in enumerate(_to_anchors(compared, layer)[:MOST_SAID]):
        order = np.argsort(-row)
        best = float(row[order[0]])
        values |= {
            f"s{number}": compared.sentence(number),
            f"w{number}": words[number].word,
            f"a{number}": anchors[order[0]].word,
            f"c{number}": f"{best:.3f}",
            f"p{number}": after(calibration, best, layer),
        }
        text = (
            f"<b>{{w{number}}}</b> in “{{s{number}}}” is nearest to "
            f"<b>{{a{number}}}</b> (<b>{{c{number}}}</b>{{p{number}}}"
        )
        if len(anchors) > 1:
            second = float(row[order[1]])
            values |= {
                f"r{number}": anchors[order[1]].word,
                f"d{number}": f"{second:.3f}",
                f"q{number}": briefly(calibration, second, layer),
            }
            text += f"; {{r{number}}} {{d{number}}}{{q{number}}}"
        said.append(text + ")")
    if len(words) > MOST_SAID:
        said.append(f"the other {len(words) - MOST_SAID} are in the table")
    between = "; " if len(said) < 3 and calibration is None else ";<br>"
    finding(f"At layer {layer}: {between.join(said)}.", **values)


def similarity_table(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Show the cosine of every word with every anchor, and its percentile."""
    if not compared.anchors:
        return
    import pandas as pd

    cosines = _to_anchors(compared, layer)
    frame = pd.DataFrame(
        {
            "sentence": [compared.sentence(place) for place in range(len(compared.words))],
            "word": [word.word for word in compared.words],
            "pieces": [" ".join(word.tokens) for word in compared.words],
        }
    )
    for number, anchor in enumerate(compared.anchors):
        frame[f"to {anchor.word}"] = cosines[:, number]
        if calibration is not None:
            percentiles = calibration.percentiles(cosines[:, number], layer)
            frame[f"to {anchor.word}, percentile"] = column(percentiles)
    table(frame, name=f"similarity-layer-{layer}")


def layer_curves(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Draw one chart an anchor, with a curve a word."""
    names = compared.curve_names()
    columns = st.columns(2, gap="medium")
    for number, anchor in enumerate(compared.anchors):
        curves = np.stack([similarity_by_layer(word, anchor) for word in compared.words])
        with columns[number % 2]:
            st.text(f"Similarity to “{anchor.word}”")
            chart(
                similarity_curves(
                    curves, names, layer=layer, percentiles=_percentiles(curves, calibration)
                ),
                alt=f"Cosine similarity to {anchor.word} over layers 0 to {curves.shape[1] - 1}: "
                + "; ".join(
                    f"{name}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
                    for name, curve in zip(names, curves, strict=True)
                ),
                name=f"curves-{number + 1}",
            )


def between_sentences(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Draw how alike the words of the sentences are to each other, by layer."""
    words = compared.words
    if len(words) < 2:
        return
    st.text("Similarity between the marked words")
    pairs = list(combinations(range(len(words)), 2))
    curves = np.stack([similarity_by_layer(words[i], words[j]) for i, j in pairs])
    shown = [f"{i + 1} and {j + 1}" for i, j in pairs]
    if len(pairs) > MOST_CURVES:
        curves, shown = curves.mean(axis=0, keepdims=True), [f"mean of {len(pairs)} pairs"]
    chart(
        similarity_curves(
            curves, shown, layer=layer, percentiles=_percentiles(curves, calibration)
        ),
        alt="Cosine similarity between the marked words, by layer: "
        f"{curves.mean(axis=0)[0]:.3f} at the input, {curves.mean(axis=0)[-1]:.3f} at the end.",
        name="curves-between",
    )


def curve_table(compared: Compared, calibration: Calibration | None) -> None:
    """Show the numbers of all curves."""
    import pandas as pd

    everything, names = compared.everything, compared.names
    columns: dict[str, Any] = {}
    for i, j in combinations(range(len(everything)), 2):
        if i < len(compared.words):
            pair = f"{names[i]} – {names[j]}"
            columns[pair] = similarity_by_layer(everything[i], everything[j])
            if calibration is not None:
                percentiles = calibration.percentiles_by_layer(columns[pair])
                columns[f"{pair}, percentile"] = column(percentiles)
    frame = pd.DataFrame(columns)
    frame.insert(0, "layer", np.arange(len(frame)))
    with st.expander("The numbers of all curves", icon=":material/table:"):
        table(frame, name="similarity-by-layer")


def occurrence_matrix(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Draw the matrix between all occurrences, with its table."""
    import pandas as pd

    names = compared.names
    matrix = similarity_matrix(compared.everything, layer)
    percentiles = None if calibration is None else calibration.percentiles(matrix, layer)
    st.text(f"Every word with every other, layer {layer}")
    chart(
        similarity_matrix_heatmap(matrix, names, percentiles=percentiles),
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {matrix.min():.3f} to 1.",
        name=f"matrix-layer-{layer}",
    )
    frame = pd.DataFrame(matrix, columns=names)
    if percentiles is not None:
        for place, name in enumerate(names):
            frame.insert(2 * place + 1, f"{name}, percentile", column(percentiles[:, place]))
    frame.insert(0, "word" if "word" not in names else "word of the row", names)
    with st.expander("The numbers of the matrix", icon=":material/table:"):
        table(frame, name=f"matrix-layer-{layer}")


def show_code(compared: Compared, layer: int) -> None:
    """Offer the code that prints the matrix."""
    spans = [span(word) for word in compared.everything]
    code(
        lambda: filled(
            "contextual/similarity",
            compared.bert,
            words=spans,
            pooling=compared.asked.pooling,
            layer=layer,
        ),
        name="context",
    )


def _to_anchors(compared: Compared, layer: int) -> Array:
    matrix = similarity_matrix(compared.everything, layer)
    return matrix[: len(compared.words), len(compared.words) :]


def _percentiles(curves: Array, calibration: Calibration | None) -> NDArray[np.float64] | None:
    if calibration is None:
        return None
    return np.stack([calibration.percentiles_by_layer(curve) for curve in curves])
