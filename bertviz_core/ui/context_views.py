"""What the page on a word in context shows."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.contextual import (
    POOLINGS,
    Array,
    Pooling,
    WordInContext,
    similarity_by_layer,
    similarity_matrix,
)
from bertviz_core.errors import UserInputError
from bertviz_core.figures.curves import similarity_curves
from bertviz_core.figures.matrix import similarity_matrix_heatmap
from bertviz_core.snippets.word_in_context import word_in_context_code
from bertviz_core.ui import cache, inputs
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.token_views import say_truncated
from bertviz_core.ui.waiting import waiting

MOST_SENTENCES = 12
MOST_ANCHORS = 6
MOST_SAID = 4
POOLING_CHOICES: dict[str, Pooling] = {pooling: pooling for pooling in POOLINGS}


def split_anchors(typed: str) -> list[str]:
    """Read anchor words, separated by commas; each stands alone between [CLS] and [SEP]."""
    return list(dict.fromkeys(word.strip() for word in typed.split(",") if word.strip()))


def run(
    bert: Bert, sentences: Sequence[str], anchors: Sequence[str], pooling: Pooling
) -> tuple[list[WordInContext], list[WordInContext]]:
    """Run sentences and anchors through the model, saying what is left out.

    Returns:
        The marked word of each sentence, and the anchors.

    Raises:
        UserInputError: There is nothing to compare.
    """
    if not sentences:
        raise UserInputError("Type at least one sentence with a word in [brackets], one a line.")
    if len(sentences) + len(anchors) < 2:
        raise UserInputError("Type a second sentence or an anchor word to compare with.")
    for name, given, most in (
        ("sentences", sentences, MOST_SENTENCES),
        ("anchor words", anchors, MOST_ANCHORS),
    ):
        if len(given) > most:
            note(
                "{count} {name} were given; the first {most} are compared.",
                count=len(given),
                name=name,
                most=most,
            )
    shown, compared = sentences[:MOST_SENTENCES], anchors[:MOST_ANCHORS]
    marked = (*shown, *(_alone(anchor) for anchor in compared))
    doing = (
        f"Running BERT on {len(marked)} texts …"
        if cache.encoder_in_memory(bert.name)
        else "Loading the model, once, then running it …"
    )
    with waiting(doing, height=720):
        words = cache.words_in_context(bert.name, marked, pooling)
    for word in words:
        say_truncated(word.text)
    return words[: len(shown)], words[len(shown) :]


def chosen_layer(bert: Bert) -> int:
    """Ask for a layer; the last one at first."""
    last = bert.num_hidden_layers
    return inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer")


def nearest_anchor_finding(
    words: Sequence[WordInContext], anchors: Sequence[WordInContext], layer: int
) -> None:
    """Say to which anchor each sentence's word is nearest."""
    if not anchors:
        cosine = similarity_by_layer(words[0], words[1])[layer]
        finding(
            "At layer {layer}, the word in the first two sentences has cosine similarity "
            "<b>{cosine}</b> to itself.",
            layer=layer,
            cosine=f"{cosine:.3f}",
        )
        return
    said, values = [], dict[str, object]()
    for number, row in enumerate(_cosines(words, anchors, layer)[:MOST_SAID]):
        order = np.argsort(-row)
        values |= {
            f"s{number}": words[number].sentence.strip(),
            f"w{number}": words[number].word,
            f"a{number}": anchors[order[0]].word,
            f"c{number}": f"{row[order[0]]:.3f}",
        }
        text = (
            f"<b>{{w{number}}}</b> in “{{s{number}}}” is nearest to "
            f"<b>{{a{number}}}</b> (<b>{{c{number}}}</b>"
        )
        if len(anchors) > 1:
            values |= {f"r{number}": anchors[order[1]].word, f"d{number}": f"{row[order[1]]:.3f}"}
            text += f"; {{r{number}}} {{d{number}}}"
        said.append(text + ")")
    if len(words) > MOST_SAID:
        said.append(f"the other {len(words) - MOST_SAID} are in the table")
    between = "; " if len(said) < 3 else ";<br>"
    finding(f"At layer {layer}: {between.join(said)}.", **values)


def similarity_table(
    words: Sequence[WordInContext], anchors: Sequence[WordInContext], layer: int
) -> None:
    """Show the cosine of every sentence's word with every anchor."""
    if not anchors:
        return
    import pandas as pd

    cosines = _cosines(words, anchors, layer)
    frame = pd.DataFrame(
        {
            "sentence": [word.sentence.strip() for word in words],
            "word": [word.word for word in words],
            "pieces": [" ".join(word.tokens) for word in words],
        }
    )
    for column, anchor in enumerate(anchors):
        frame[f"to {anchor.word}"] = cosines[:, column]
    table(frame, name=f"similarity-layer-{layer}")


def layer_curves(
    words: Sequence[WordInContext], anchors: Sequence[WordInContext], layer: int
) -> None:
    """Draw one chart an anchor, with a curve a sentence."""
    names = [f"{i} {word.sentence.strip()}" for i, word in enumerate(words, start=1)]
    columns = st.columns(2, gap="medium")
    for number, anchor in enumerate(anchors):
        curves = np.stack([similarity_by_layer(word, anchor) for word in words])
        with columns[number % 2]:
            st.text(f"Similarity to “{anchor.word}”")
            chart(
                similarity_curves(curves, names, layer=layer),
                alt=f"Cosine similarity to {anchor.word} over layers 0 to {curves.shape[1] - 1}: "
                + "; ".join(
                    f"{name}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
                    for name, curve in zip(names, curves, strict=True)
                ),
                name=f"curves-{number + 1}",
            )


def between_sentences(words: Sequence[WordInContext], layer: int) -> None:
    """Draw how alike the word of each sentence is to that of every other, by layer."""
    if len(words) < 2:
        return
    st.text("Similarity between the sentences")
    pairs = list(combinations(range(len(words)), 2))
    curves = np.stack([similarity_by_layer(words[i], words[j]) for i, j in pairs])
    shown = [f"{i + 1} and {j + 1}" for i, j in pairs]
    if len(pairs) > 10:
        curves, shown = curves.mean(axis=0, keepdims=True), [f"mean of {len(pairs)} pairs"]
    chart(
        similarity_curves(curves, shown, layer=layer),
        alt="Cosine similarity of the word between sentences, by layer: "
        f"{curves.mean(axis=0)[0]:.3f} at the input, {curves.mean(axis=0)[-1]:.3f} at the end.",
        name="curves-between",
    )


def curve_table(words: Sequence[WordInContext], anchors: Sequence[WordInContext]) -> None:
    """Show the numbers of all curves."""
    import pandas as pd

    everything = [*words, *anchors]
    names = _names(words, anchors)
    pairs = [(i, j) for i, j in combinations(range(len(everything)), 2) if i < len(words)]
    frame = pd.DataFrame(
        {
            f"{names[i]} – {names[j]}": similarity_by_layer(everything[i], everything[j])
            for i, j in pairs
        }
    )
    frame.insert(0, "layer", np.arange(len(frame)))
    with st.expander("The numbers of all curves", icon=":material/table:"):
        table(frame, name="similarity-by-layer")


def occurrence_matrix(
    words: Sequence[WordInContext], anchors: Sequence[WordInContext], layer: int
) -> None:
    """Draw the matrix between all occurrences, with its table."""
    import pandas as pd

    names = _names(words, anchors)
    matrix = similarity_matrix([*words, *anchors], layer)
    st.text(f"Every word with every other, layer {layer}")
    chart(
        similarity_matrix_heatmap(matrix, names),
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {matrix.min():.3f} to 1.",
        name=f"matrix-layer-{layer}",
    )
    frame = pd.DataFrame(matrix, columns=names)
    frame.insert(0, "word", names)
    with st.expander("The numbers of the matrix", icon=":material/table:"):
        table(frame, name=f"matrix-layer-{layer}")


def show_code(
    bert: Bert,
    words: Sequence[WordInContext],
    anchors: Sequence[WordInContext],
    pooling: Pooling,
    layer: int,
) -> None:
    """Offer the code that prints the matrix."""
    spans = [_span(word) for word in (*words, *anchors)]
    code(lambda: word_in_context_code(bert, spans, pooling, layer), name="context")


def _names(words: Sequence[WordInContext], anchors: Sequence[WordInContext]) -> list[str]:
    """Short names that stay apart: words carry the number of their sentence."""
    names = [f"{i} {word.word}" for i, word in enumerate(words, start=1)]
    for anchor in anchors:
        names.append(anchor.word if anchor.word not in names else f"{anchor.word} (anchor)")
    return names


def _span(word: WordInContext) -> tuple[str, int, int]:
    spans = word.text.offsets[list(word.token_positions)]
    return word.sentence, int(spans[0, 0]), int(spans[-1, 1])


def _cosines(words: Sequence[WordInContext], anchors: Sequence[WordInContext], layer: int) -> Array:
    matrix = similarity_matrix([*words, *anchors], layer)
    return matrix[: len(words), len(words) :]


def _alone(anchor: str) -> str:
    """Mark an anchor as a whole, so that its own brackets or blanks do not matter."""
    escaped = anchor.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"[{escaped}]"
