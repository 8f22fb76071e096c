"""Rows of the token table by name and by number: is a word there, and what do ids say?"""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.snippets.tokens import decode_code, vocabulary_code
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.decoding import decode_ids, read_ids
from bertviz_core.tokens.lookup import Form, Lookup, look_up
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import code, table


def in_the_vocabulary(bert: Bert) -> None:
    """Ask for a word and show its rows: as a word, as a continuation, in other cases."""
    import pandas as pd

    found = look_up(bert, inputs.sentence("Is this in the vocabulary?", "sinan", key="lookup"))
    best = found.forms[0]
    whole = found.pieces == (best.written,)
    finding(
        "{read}" + _verdict(best) + ("" if whole else " BERT reads it as <b>{pieces}</b>."),
        word=best.written,
        piece=CONTINUATION + best.written,
        id=best.word_id,
        other=best.continuation_id,
        read=f"“{found.word}” becomes “{best.written}” first. " * (found.word != best.written),
        pieces=" ".join(found.pieces),
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.text("The word in several cases")
        frame = pd.DataFrame(
            {
                "written": [form.written for form in found.forms],
                "id as a word": pd.array([form.word_id for form in found.forms], dtype="Int64"),
                "id after ##": pd.array(
                    [form.continuation_id for form in found.forms], dtype="Int64"
                ),
            }
        )
        table(frame, name="forms")
        st.caption(
            "No number: no such row. Text reaches a row only in the form that the tokenizer's own "
            "steps leave it in, the first one here."
        )
    with right:
        _rows_beginning_alike(bert, found)
    code(lambda: vocabulary_code(bert, found.word, found.normalized, found.shared), name="vocabulary")


def _rows_beginning_alike(bert: Bert, found: Lookup) -> None:
    import pandas as pd

    ids = [*found.beginning, *found.continuing]
    if not ids:
        st.text("No row begins with its first letter.")
        return
    counts = f"{len(found.beginning):,} as words, {len(found.continuing):,} after ##"
    if found.shared == found.normalized:
        st.text(f"Rows that begin with it: {counts}")
    else:
        st.text(f"No row begins with all of it; with “{found.shared}” begin: {counts}")
    frame = pd.DataFrame({"token": [bert.vocabulary.tokens[i] for i in ids], "id": ids})
    table(frame, name="beginnings", height=min(38 + 35 * len(ids), 248))


def _verdict(form: Form) -> str:
    if form.word_id is not None and form.continuation_id is not None:
        return (
            "Yes, twice: <b>{word}</b> is row <b>{id}</b> and starts a word, <b>{piece}</b> is "
            "row <b>{other}</b> and continues one. They are different tokens."
        )
    if form.word_id is not None:
        return "Yes: <b>{word}</b> is row <b>{id}</b>. There is no <b>{piece}</b>."
    if form.continuation_id is not None:
        return (
            "Only as a continuation: <b>{piece}</b> is row <b>{other}</b>. "
            "No row starts a word with <b>{word}</b>."
        )
    return "No: neither <b>{word}</b> nor <b>{piece}</b> is in the vocabulary."


def ids_to_text(bert: Bert, first: str) -> None:
    """Ask for ids and show their tokens and the text they make; then the first text and back."""
    import pandas as pd

    cls, end = bert.vocabulary.ids["[CLS]"], bert.vocabulary.ids["[SEP]"]
    example = f"{cls} {' '.join(map(str, _plain_ids(bert, 'I am Sinan')))} {end}"
    typed = inputs.sentence("Token ids, between blanks or commas", example, key="ids")
    decoded = decode_ids(bert, read_ids(bert, typed))
    finding(
        "{count} {noun} <b>{tokens}</b>, as text: “<b>{text}</b>”.",
        count=f"{len(decoded.token_ids):,}",
        noun="id stands for" if len(decoded.token_ids) == 1 else "ids stand for",
        tokens=" ".join(token or "(no token)" for token in decoded.tokens),
        text=decoded.text_without_special,
    )
    unnamed = sum(not token for token in decoded.tokens)
    if unnamed:
        note("{count} of the rows belong to no token; they leave no text.", count=unnamed)
    frame = pd.DataFrame(
        {
            "place": np.arange(len(decoded.token_ids)),
            "id": decoded.token_ids,
            "token": decoded.tokens,
        }
    )
    table(frame, name="ids", height=min(38 + 35 * len(frame), 388))
    st.text(f"With special tokens: {decoded.text}")
    back = decode_ids(bert, _plain_ids(bert, first)).text_without_special
    if back:
        same = back == without_lone_surrogates(first)
        finding(
            "Text A there and back: “{before}” returns as “<b>{after}</b>”{verdict}",
            before=first,
            after=back,
            verdict=": the same."
            if same
            else ". What the steps before the search take away, no id brings back.",
        )
    code(lambda: decode_code(bert, decoded.token_ids), name="ids")


def _plain_ids(bert: Bert, text: str) -> list[int]:
    found = tokenize(bert, text)
    return [int(i) for i in found.input_ids[1:-1]]
