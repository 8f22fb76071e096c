"""Rows of the token table by name and by number: is a word there, and what do ids say?"""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.tokens.decoding import decode_ids, read_ids
from bertviz_core.tokens.lookup import Form, Lookup, look_up
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui import inputs
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.show import code, table


def in_the_vocabulary(bert: Bert) -> None:
    """Ask for a word and show its rows: as a word, as a continuation, in other cases."""
    lookup = look_up(bert, inputs.sentence("Is this in the vocabulary?", "sinan", key="lookup"))
    _verdict(lookup)
    left, right = st.columns(2, gap="large")
    with left:
        st.text("The word in several cases")
        table(lookup.columns(), name="forms")
        caption(
            "Empty: there is no such row. After the tokenizer's first steps, only "
            "“{normalized_form}” can match.",
            normalized_form=lookup.forms[0].written,
        )
    with right:
        _rows_beginning_alike(bert, lookup)
    code(
        "tokens/vocabulary",
        bert,
        word=lookup.word,
        normalized=lookup.normalized,
        beginning=lookup.shared,
    )


def _verdict(lookup: Lookup) -> None:
    form = lookup.forms[0]
    sentences = ""
    if lookup.word != form.written:
        sentences += "“{typed}” becomes “{normalized}” first. "
    sentences += _row_sentence(form)
    if lookup.pieces != (form.written,):
        sentences += " BERT reads it as <b>{pieces}</b>."
    finding(
        sentences,
        typed=lookup.word,
        normalized=form.written,
        word=form.written,
        continuation=CONTINUATION + form.written,
        word_id=form.word_id,
        continuation_id=form.continuation_id,
        pieces=" ".join(lookup.pieces),
        method="words-and-ids",
    )


def _row_sentence(form: Form) -> str:
    if form.word_id is not None and form.continuation_id is not None:
        return (
            "Yes, twice: <b>{word}</b> is row <b>{word_id}</b> and starts a word, "
            "<b>{continuation}</b> is row <b>{continuation_id}</b> and continues one. They are "
            "different tokens."
        )
    if form.word_id is not None:
        return "Yes: <b>{word}</b> is row <b>{word_id}</b>. There is no <b>{continuation}</b>."
    if form.continuation_id is not None:
        return (
            "Only as a continuation: <b>{continuation}</b> is row <b>{continuation_id}</b>. "
            "No row starts a word with <b>{word}</b>."
        )
    return "No: neither <b>{word}</b> nor <b>{continuation}</b> is in the vocabulary."


def _rows_beginning_alike(bert: Bert, lookup: Lookup) -> None:
    ids = [*lookup.beginning, *lookup.continuing]
    if not ids:
        st.text("No row begins with its first letter.")
        return
    counts = f"{len(lookup.beginning):,} as words, {len(lookup.continuing):,} after ##"
    if lookup.shared == lookup.normalized:
        st.text(f"Rows that begin with it: {counts}")
    else:
        st.text(f"Longest shared beginning, “{lookup.shared}”: {counts}")
    table({"token": [bert.vocabulary.tokens[i] for i in ids], "token id": ids}, name="beginnings")


def ids_to_text(bert: Bert, typed: InputText) -> None:
    """Ask for ids and show their tokens and the text they make; then text A there and back."""
    example = " ".join(map(str, tokenize(bert, "I am Sinan").input_ids))
    field = inputs.sentence("Token ids, separated by spaces or commas", example, key="ids")
    decoded = decode_ids(bert, read_ids(bert, field))
    finding(
        "{ids} {verb} <b>{decoded_tokens}</b>, as text: “<b>{decoded_text}</b>”.",
        ids=f"{len(decoded.token_ids):,}",
        verb="id stands for" if len(decoded.token_ids) == 1 else "ids stand for",
        decoded_tokens=" ".join(token or "(no token)" for token in decoded.tokens),
        decoded_text=decoded.text_without_special,
        method="words-and-ids",
    )
    unnamed = sum(not token for token in decoded.tokens)
    if unnamed:
        note("{unnamed} of the rows belong to no token; they leave no text.", unnamed=unnamed)
    table(decoded.columns(), name="ids")
    st.text(f"With special tokens: {decoded.text}")
    returned = decode_ids(bert, _ids_of_words(bert, typed.text)).text_without_special
    if returned:
        finding(
            "Text A to ids and back: “{text_a}” returns as “<b>{returned}</b>”"
            + (
                ": the same."
                if returned == without_lone_surrogates(typed.text)
                else ". What the tokenizer's first steps take away, no id brings back."
            ),
            text_a=typed.text,
            returned=returned,
            method="words-and-ids",
        )
    code("tokens/decode", bert, token_ids=list(decoded.token_ids), name="ids")


def _ids_of_words(bert: Bert, text: str) -> list[int]:
    """The ids of a text without the [CLS] and [SEP] around it."""
    tokenized = tokenize(bert, text)
    words = zip(tokenized.input_ids, tokenized.word_ids, strict=True)
    return [int(token_id) for token_id, word in words if word is not None]
