"""What the page on the inside of a model shows of one backward pass."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.contextual.word_pair import WordPair, read_word_pair
from bertviz_core.encoder.training import TABLES, BackwardPass
from bertviz_core.figures import colors
from bertviz_core.figures.inside.gradients import gradient_bars, row_gradients
from bertviz_core.snippets.fill import filled
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.inside_the_model import results as inside_cache
from bertviz_core.ui.results import library_doing, ready_or_asked
from bertviz_core.ui.show import chart, code, csv_download, table
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    import pandas as pd

LAYER_COLOR = "#56B4E9"


def training(bert: Bert, marked: str, text_pair: str | None) -> None:
    """Pull two words of a text together, and show which rows of the tables that would move."""
    pair = read_word_pair(bert, marked, text_pair)
    token_chips(pair.text)
    if not ready_or_asked(bert, "Run one backward pass", key="run_training"):
        return
    with waiting(library_doing(bert.name, "Running the model forward and backward …"), height=720):
        found = inside_cache.backward_pass(bert.name, marked, text_pair)
    _say_moving(pair, found)
    _say_learned(found)
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("How strongly the loss pulls at each part")
        _parts(bert, found)
    with right:
        st.text("… and at each row that this text uses")
        _rows_of_text(pair, found)
    import pandas as pd  # after the pictures: its import takes a third of a second

    table(_row_table(pair, found), name="row-gradients", decimals=5, height=320)
    csv_download(
        f"The gradients of all {len(found.names)} parameters as CSV",
        lambda: pd.DataFrame({"parameter": found.names, "gradient": found.norms}),
        name="parameter-gradients",
    )
    code(
        lambda: filled(
            "inside/training",
            bert,
            text=pair.first.text,
            text_pair=text_pair or None,
            first_positions=list(pair.first_positions),
            second_positions=list(pair.second_positions),
        ),
        name="training",
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


def _moved(found: BackwardPass) -> dict[str, set[int]]:
    """The rows of each table whose gradient is not 0."""
    rows = (found.word_rows, found.position_rows, found.token_type_rows)
    return {
        name: set(np.flatnonzero(norms).tolist()) for name, norms in zip(TABLES, rows, strict=True)
    }


def _say_moving(pair: WordPair, found: BackwardPass) -> None:
    used, moved = _used(pair), _moved(found)
    words, positions, segments = (len(moved[name]) for name in TABLES)
    finding(
        "“{first}” and “{second}” have cosine similarity {cosine}. To make them more alike, "
        "training would move <b>{words}</b> of {all_words} token rows, <b>{positions}</b> of "
        "{all_positions} position rows and <b>{segments}</b> of {all_segments} segment rows"
        "{which} All others have gradient 0.",
        first=pair.first.word,
        second=pair.second.word,
        cosine=f"{found.cosine:.3f}",
        words=words,
        all_words=f"{found.word_rows.size:,}",
        positions=positions,
        all_positions=found.position_rows.size,
        segments=segments,
        all_segments=found.token_type_rows.size,
        which=": exactly those this text uses." if used == moved else ".",
    )
    still = {
        pair.text.tokens[place]
        for place, row in enumerate(pair.text.input_ids.tolist())
        if row not in moved["word_embeddings"]
    }
    if still:
        note(
            "{tokens}: in the text, yet its row does not move. The library keeps the row of [PAD] "
            "out of training; any other row stays where the two words do not depend on it.",
            tokens=joined(sorted(still)),
        )
    if len(used["word_embeddings"]) < len(pair.text):
        note(
            "The text has {tokens} tokens but uses {rows} rows of the token table: a token that "
            "comes twice has one row, and its gradients add up.",
            tokens=len(pair.text),
            rows=len(used["word_embeddings"]),
        )


def _say_learned(found: BackwardPass) -> None:
    norms = [found.norm_of(f"embeddings.{name}.") for name in TABLES]
    learned = all(found.requires_grad.values()) and min(norms) > 0
    finding(
        "Are the three tables learned? <b>{verdict}</b> requires_grad is {flags}; the gradient has "
        "length <b>{word}</b> on the token table, <b>{position}</b> on the position table and "
        "<b>{segment}</b> on the segment table.",
        verdict="Yes, all three:" if learned else "Not all of them by this loss:",
        flags="true for each"
        if all(found.requires_grad.values())
        else joined(f"{flag} for {name}" for name, flag in found.requires_grad.items()),
        word=f"{norms[0]:.4f}",
        position=f"{norms[1]:.4f}",
        segment=f"{norms[2]:.4f}",
    )


def _parts(bert: Bert, found: BackwardPass) -> None:
    parts = [
        ("token table", "embeddings.word_embeddings.", colors.TOKEN),
        ("position table", "embeddings.position_embeddings.", colors.POSITION),
        ("segment table", "embeddings.token_type_embeddings.", colors.SEGMENT),
        ("embedding LayerNorm", "embeddings.LayerNorm.", colors.OUTPUT),
        *(
            (f"layer {layer + 1}", f"encoder.layer.{layer}.", LAYER_COLOR)
            for layer in range(bert.num_hidden_layers)
        ),
        ("pooler", "pooler.", colors.OUTPUT),
    ]
    names = [name for name, _, _ in parts]
    norms = np.array([found.norm_of(prefix) for _, prefix, _ in parts], dtype=np.float32)
    chart(
        gradient_bars(names, norms, [color for _, _, color in parts]),
        alt="Length of the gradient: "
        + ", ".join(f"{name} {norm:.3g}" for name, norm in zip(names, norms, strict=True)),
        name="gradient-parts",
    )
    if not norms[-1]:
        st.caption("The pooler's is 0: the two words are compared before it, so it plays no part.")


def _rows_of_text(pair: WordPair, found: BackwardPass) -> None:
    text = pair.text
    words = found.word_rows[text.input_ids]
    strongest = int(words.argmax())
    chart(
        row_gradients(
            text.tokens,
            words,
            found.position_rows[text.position_ids],
            found.token_type_rows[text.token_type_ids],
        ),
        alt=f"Gradient of the token, position and segment row behind each of {len(text)} tokens; "
        f"the token row of {text.tokens[strongest]} has the largest of the token rows, "
        f"{words[strongest]:.4f}.",
        name="gradient-rows",
    )
    st.caption(
        "All three rows of a place enter the same sum. So where a token comes once, its token row "
        "and its position row get the very same gradient; a segment row gets the sum of all its "
        "places."
    )


def _row_table(pair: WordPair, found: BackwardPass) -> "pd.DataFrame":
    import pandas as pd

    text = pair.text
    return pd.DataFrame(
        {
            "position": text.position_ids,
            "token": text.tokens,
            "token id": text.input_ids,
            "segment": ["AB"[i] if i < 2 else str(i) for i in text.token_type_ids.tolist()],
            "gradient of token row": found.word_rows[text.input_ids],
            "of position row": found.position_rows[text.position_ids],
            "of segment row": found.token_type_rows[text.token_type_ids],
        }
    )
