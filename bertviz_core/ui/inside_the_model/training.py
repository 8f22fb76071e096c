"""The section "what training changes": one backward pass, and which rows it would move."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import WordPair, read_word_pair
from bertviz_core.encoder.training import TABLES, BackwardPass
from bertviz_core.figures import colors
from bertviz_core.figures.inside.training import gradient_bars, row_gradients
from bertviz_core.tokens import InputText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.inside_the_model.parameters import TABLE_LOOKS
from bertviz_core.ui.inside_the_model.results import backward_pass
from bertviz_core.ui.results import library_doing, ready_or_asked
from bertviz_core.ui.show import chart, code, csv_download, table, waiting

LAYER_COLOR = "#56B4E9"


def ask_text() -> InputText:
    """Ask for a sentence with two marked words, and for a second sentence."""
    left, right = slots.row("marked", [3, 2])
    with left:
        marked = inputs.sentence(
            "A sentence with two words in [brackets], to be made more alike",
            "The [king] spoke to the [queen]",
            key="alike",
        )
    with right:
        second = inputs.sentence("Sentence B (optional)", "", key="beside", placeholder="none")
    return InputText(marked, second)


def training(bert: Bert, marked: InputText) -> None:
    """Pull two words of a text together, and show which rows of the tables that would move.

    Raises:
        UserInputError: Not two words are marked, or the text is too long.
    """
    pair = read_word_pair(bert, marked.text, marked.text_pair)
    token_chips(pair.text)
    if not ready_or_asked(bert, "Run one backward pass", key="run_training"):
        return
    with waiting(library_doing(bert.name, "Running the model forward and backward …"), height=720):
        gradients = backward_pass(bert.name, marked)
    _say_moving(pair, gradients)
    _say_learned(gradients)
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("How strongly the loss pulls at each part")
        _parts(bert, gradients)
    with right:
        st.text("… and at each row that this text uses")
        _rows_of_text(pair, gradients)
    table(_row_columns(pair, gradients), name="row-gradients", decimals=5)
    csv_download(
        f"The gradients of all {len(gradients.names)} parameters as CSV",
        lambda: {"parameter": gradients.names, "gradient": gradients.norms},
        name="parameter-gradients",
    )
    code(
        "inside/training",
        bert,
        text=pair.first.text,
        text_pair=marked.text_pair,
        first_positions=list(pair.first_positions),
        second_positions=list(pair.second_positions),
    )
    with st.expander("What is a gradient, and what does it answer?", icon=":material/help:"):
        st.markdown(
            "The loss is 1 − cosine similarity of the two marked words after the last layer: it "
            "falls when the words become more alike. Its gradient says for every parameter how "
            "the loss would change if that number were moved a little; a training step moves "
            "each number against it. A row with gradient 0 stays where it is. Nothing is changed "
            "here: the gradient is computed and shown, and the model stays as it was.\n\n"
            "Some introductions say that segment and position embeddings are fixed and not "
            "learned, as the sine waves of the first Transformer were. In BERT all three are "
            "tables of parameters, made by training from random numbers, and any further "
            "training moves the rows its texts use."
        )


def _used(pair: WordPair) -> dict[str, set[int]]:
    """The rows of each table that the text looks up."""
    ids = (pair.text.input_ids, pair.text.position_ids, pair.text.token_type_ids)
    return {name: set(rows.tolist()) for name, rows in zip(TABLES, ids, strict=True)}


def _moved(gradients: BackwardPass) -> dict[str, set[int]]:
    """The rows of each table whose gradient is not 0."""
    rows = (gradients.word_rows, gradients.position_rows, gradients.token_type_rows)
    return {
        name: set(np.flatnonzero(norms).tolist()) for name, norms in zip(TABLES, rows, strict=True)
    }


def _say_moving(pair: WordPair, gradients: BackwardPass) -> None:
    used, moved = _used(pair), _moved(gradients)
    words, positions, segments = (len(moved[name]) for name in TABLES)
    finding(
        "“{first}” and “{second}” have cosine similarity {cosine}. To make them more alike, "
        "training would move <b>{words}</b> of {all_words} token rows, <b>{positions}</b> of "
        "{all_positions} position rows and <b>{segments}</b> of {all_segments} segment rows"
        + (": exactly those this text uses." if used == moved else ".")
        + " All others have gradient 0.",
        first=pair.first.word,
        second=pair.second.word,
        cosine=f"{gradients.cosine:.3f}",
        words=words,
        all_words=f"{gradients.word_rows.size:,}",
        positions=positions,
        all_positions=gradients.position_rows.size,
        segments=segments,
        all_segments=gradients.token_type_rows.size,
    )
    unmoved = {
        token
        for token, row in zip(pair.text.tokens, pair.text.input_ids.tolist(), strict=True)
        if row not in moved["word_embeddings"]
    }
    if unmoved:
        note(
            "{tokens}: in the text, yet its row does not move. The library keeps the row of [PAD] "
            "out of training; any other row stays where the two words do not depend on it.",
            tokens=joined(sorted(unmoved)),
        )
    if len(used["word_embeddings"]) < len(pair.text):
        note(
            "The text has {count} tokens but uses {rows} rows of the token table: a token that "
            "comes twice has one row, and its gradients add up.",
            count=len(pair.text),
            rows=len(used["word_embeddings"]),
        )


def _say_learned(gradients: BackwardPass) -> None:
    word, position, segment = (gradients.norm_of(f"embeddings.{name}.") for name in TABLES)
    trained = all(gradients.requires_grad.values())
    finding(
        "Are the three tables learned? <b>{answer}</b> requires_grad is {requires_grad}; the "
        "gradient has length <b>{gradient_word}</b> on the token table, <b>{gradient_position}</b> "
        "on the position table and <b>{gradient_segment}</b> on the segment table.",
        answer="Yes, all three:"
        if trained and min(word, position, segment) > 0
        else "Not all of them by this loss:",
        requires_grad="true for each"
        if trained
        else joined(f"{flag} for {name}" for name, flag in gradients.requires_grad.items()),
        gradient_word=f"{word:.4f}",
        gradient_position=f"{position:.4f}",
        gradient_segment=f"{segment:.4f}",
    )


def _parts(bert: Bert, gradients: BackwardPass) -> None:
    parts = [
        *((name, weight, color) for weight, (name, color) in TABLE_LOOKS.items()),
        ("embedding LayerNorm", "embeddings.LayerNorm.", colors.OUTPUT),
        *(
            (f"layer {layer + 1}", f"encoder.layer.{layer}.", LAYER_COLOR)
            for layer in range(bert.num_hidden_layers)
        ),
        ("pooler", "pooler.", colors.OUTPUT),
    ]
    names = [name for name, _, _ in parts]
    norms = np.array([gradients.norm_of(prefix) for _, prefix, _ in parts], dtype=np.float32)
    chart(
        gradient_bars(names, norms, [color for _, _, color in parts]),
        alt="Length of the gradient: "
        + ", ".join(f"{name} {norm:.3g}" for name, norm in zip(names, norms, strict=True)),
        name="gradient-parts",
    )
    if not norms[-1]:
        st.caption("The pooler's is 0: the two words are compared before it, so it plays no part.")


def _rows_of_text(pair: WordPair, gradients: BackwardPass) -> None:
    text = pair.text
    words = gradients.word_rows[text.input_ids]
    strongest = int(words.argmax())
    chart(
        row_gradients(
            text.tokens,
            words,
            gradients.position_rows[text.position_ids],
            gradients.token_type_rows[text.token_type_ids],
        ),
        alt=f"Gradient of the token, position and segment row behind each of {len(text)} tokens; "
        f"the token row of {text.tokens[strongest]} has the largest of the token rows, "
        f"{words[strongest]:.4f}.",
        name="gradient-rows",
    )
    st.caption(
        "All three rows at a position enter the same sum. So where a token comes once, its token "
        "row and its position row get the same gradient; a segment row gets the sum over all "
        "positions of its segment."
    )


def _row_columns(pair: WordPair, gradients: BackwardPass) -> dict[str, Any]:
    text = pair.text
    return {
        "position": text.position_ids,
        "token": text.tokens,
        "token id": text.input_ids,
        "segment": ["AB"[i] if i < 2 else str(i) for i in text.token_type_ids],
        "gradient of token row": gradients.word_rows[text.input_ids],
        "of position row": gradients.position_rows[text.position_ids],
        "of segment row": gradients.token_type_rows[text.token_type_ids],
    }
