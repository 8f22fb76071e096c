"""The section "what training changes": one backward pass, and which rows it would move."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.settings import initial_spread
from bertviz_core.contextual.marks import WordPair, read_word_pair
from bertviz_core.encoder.training import TABLES, BackwardPass
from bertviz_core.figures import colors
from bertviz_core.figures.inside.training import gradient_bars, row_gradients
from bertviz_core.ui import inputs
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.html import finding, joined, note, quiet
from bertviz_core.ui.inside_the_model.parameters import TABLE_LOOKS
from bertviz_core.ui.inside_the_model.results import backward_pass, census_of, tables_beside_fresh
from bertviz_core.ui.results import library_doing, ready_or_asked
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting

LAYER_COLOR = "#56B4E9"


def training(bert: Bert) -> None:
    """Ask for two words of a text, pull them together, and show which rows that would move.

    Raises:
        UserInputError: Not two words are marked, or the text is too long.
    """
    marked = inputs.text_and_pair(
        "Sentence",
        "The [king] spoke to the [queen]",
        label="A sentence with two words in [brackets], to be made more alike",
        keys=("alike", "beside"),
    )
    pair = read_word_pair(bert, marked.text, marked.text_pair)
    token_chips(pair.text)
    if not ready_or_asked(bert, "Run one backward pass", key="run_training"):
        return
    with waiting(library_doing(bert.name, "Running the model forward and backward …"), height=720):
        gradients = backward_pass(bert.name, marked)
    _say_moving(pair, gradients)
    _say_fresh(bert, gradients)
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("How strongly the loss pulls at each part")
        _parts(bert, gradients)
    with right:
        st.text("… and at each row that this text uses")
        _rows_of_text(pair, gradients)
    text = pair.text
    folded_table(
        "Table",
        lambda: {
            "position": text.position_ids,
            "token": text.tokens,
            "token id": text.input_ids,
            "segment": ["AB"[i] if i < 2 else str(i) for i in text.token_type_ids],
            "gradient of token row": gradients.word_rows[text.input_ids],
            "of position row": gradients.position_rows[text.position_ids],
            "of segment row": gradients.token_type_rows[text.token_type_ids],
        },
        key="gradients-table",
        name="row-gradients",
        decimals=5,
        files={
            f"The gradients of all {len(gradients.names)} parameters as CSV": (
                "parameter-gradients",
                lambda: {"parameter": gradients.names, "gradient": gradients.norms},
            )
        },
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
            "Another loss has another gradient. In pre-training the masked words are predicted by "
            "a head that is tied to the token table: it compares a vector with every row, and so "
            "every row of that table gets a gradient.\n\n"
            "Some introductions say that segment and position embeddings are fixed and not "
            "learned, as the sine waves of the first Transformer were. In BERT all three are "
            "tables of parameters: they start as random numbers, and training moves the rows that "
            "its texts use."
        )


def _say_moving(pair: WordPair, gradients: BackwardPass) -> None:
    text = pair.text
    # Of the token, position and segment table: rows that the text looks up, and that would move.
    used = [set(ids.tolist()) for ids in (text.input_ids, text.position_ids, text.token_type_ids)]
    by_row = (gradients.word_rows, gradients.position_rows, gradients.token_type_rows)
    moved = [set(np.flatnonzero(norms).tolist()) for norms in by_row]
    finding(
        "To make “{first}” and “{second}” (cosine {cosine}) more alike, training would move "
        "<b>{words}</b> of {all_words} token rows, <b>{positions}</b> of {all_positions} position "
        "rows and <b>{segments}</b> of {all_segments} segment rows"
        + (": exactly those this text uses." if used == moved else "."),
        first=pair.first.word,
        second=pair.second.word,
        cosine=f"{gradients.cosine:.3f}",
        words=len(moved[0]),
        all_words=f"{gradients.word_rows.size:,}",
        positions=len(moved[1]),
        all_positions=gradients.position_rows.size,
        segments=len(moved[2]),
        all_segments=gradients.token_type_rows.size,
        method="what-training-changes",
    )
    unmoved = {row: text.tokens[i] for i, row in enumerate(text.input_ids) if row not in moved[0]}
    padding = unmoved.pop(gradients.padding, None)
    if padding is not None:
        note(
            "{padding_token}: in the text, yet its row does not move. By config.json its id is "
            "that of padding (pad_token_id), and the library keeps that row out of training.",
            padding_token=padding,
        )
    if unmoved:
        note(
            "{tokens}: in the text, yet the two words do not depend on its row.",
            tokens=joined(sorted(unmoved.values())),
        )
    if len(used[0]) < len(text):
        note(
            "The text has {count} tokens but uses {rows} rows of the token table: a token that "
            "comes twice has one row, and its gradients add up.",
            count=len(text),
            rows=len(used[0]),
        )


def _say_fresh(bert: Bert, gradients: BackwardPass) -> None:
    """Set the three tables beside fresh ones: that training may change them says little."""
    found, spread = tables_beside_fresh(bert.name), initial_spread(bert.settings)
    changed = [each.changed for each in found]
    names = [name for name, _ in TABLE_LOOKS.values()]
    lengths = [gradients.norm_of(f"embeddings.{name}.") for name in TABLES]
    finding(
        "Are the three tables still as in a fresh BERT? <b>{answer}</b> Their median rows are "
        "<b>{length_word}</b> (token), <b>{length_position}</b> (position) and "
        "<b>{length_segment}</b> (segment) long, fresh random ones {fresh_length} ± "
        "{fresh_deviation}.",
        answer="No, none of them."
        if all(changed)
        else "Not all of them."
        if any(changed)
        else "As far as their numbers show, yes.",
        fresh_length=f"{found[0].fresh_length:.3f}",
        fresh_deviation=f"{found[0].fresh_deviation:.3f}",
        **{
            f"length_{name}": f"{each.length:.3f}"
            for name, each in zip(("word", "position", "segment"), found, strict=True)
        },
        method="trained-or-fresh",
    )
    flags = gradients.requires_grad
    quiet(
        f"Fresh rows have the standard deviation {spread:g} of config.json. requires_grad is "
        f"{'true for each table' if all(flags.values()) else flags}: it says that training may "
        "change a parameter, not that it did; and what changed a table its file does not tell."
    )
    folded_table(
        "The three tables beside fresh ones",
        lambda: {
            "table": names,
            "rows": [each.rows for each in found],
            "median length": [each.length for each in found],
            "length of a fresh row": [each.fresh_length for each in found],
            "± standard deviation": [each.fresh_deviation for each in found],
            "share of rows beyond ±3": [each.beyond for each in found],
            "mean cosine of two rows": [each.cosine for each in found],
            "deviations from a fresh table": [each.score for each in found],
            "gradient of this loss": lengths,
        },
        key="trained-table",
        name="trained-or-fresh",
    )


def _parts(bert: Bert, gradients: BackwardPass) -> None:
    parts = [
        *((name, weight, color) for weight, (name, color) in TABLE_LOOKS.items()),
        ("embedding LayerNorm", "embeddings.LayerNorm.", colors.OUTPUT),
        *(
            (f"layer {layer + 1}", f"encoder.layer.{layer}.", LAYER_COLOR)
            for layer in range(bert.num_hidden_layers)
        ),
    ]
    if census_of(bert.name).by_group["pooler"]:  # else the library makes a fresh one
        parts.append(("pooler", "pooler.", colors.OUTPUT))
    names = [name for name, _, _ in parts]
    norms = np.array([gradients.norm_of(prefix) for _, prefix, _ in parts], dtype=np.float32)
    chart(
        gradient_bars(names, norms, [color for _, _, color in parts]),
        alt="Length of the gradient: "
        + ", ".join(f"{name} {norm:.3g}" for name, norm in zip(names, norms, strict=True)),
        name="gradient-parts",
    )
    if names[-1] == "pooler" and not norms[-1]:
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
        "The three rows at a position enter one sum. So where a token comes once, its token row "
        "(unless that is the row of padding) and its position row get the same gradient; a segment "
        "row gets the sum over all positions of its segment."
    )
