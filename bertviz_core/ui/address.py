"""What the address says beside the values of single fields, and session keys that pages share.

The sentence has one key on all pages, `a`. Streamlit takes it from page to page, in its field and
in the address. Links of `ui.links` load their page anew; they carry the visitor's sentences.
"""

from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

# Every field of the app takes these: the URL is the state.
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
MAX_CHARACTERS = 5_000  # of a field

SENTENCE, SECOND = "a", "a2"  # keys of the sentence, and of the one that is compared with it
FURTHER, OTHERS = "more", "others"  # of Word in Context and Sentence Vectors: one sentence per line
WORD = "word"  # key of the followed word; of several, each sentence has the first that is in it
WITH_SECOND = ("", "Word_in_Context")  # pages, by their names in the address

TYPED_ON = "_typed_on"  # in the session: title of the page that the sentence was typed on
PAGE = "_page"  # in the session: title of the page that is shown
OPENS = "_page_opens"  # in the session: whether the page has only begun to be shown
HERE = "_page_and_model"  # in the session: the page as `views.files.Page`, which names its files


def read_address() -> None:
    """Read what no field of the page reads: keys of older links, sentences of other pages."""
    query = st.query_params.to_dict()
    if (renamed := with_new_keys(query)) != query:
        st.query_params.from_dict(renamed)
        st.rerun()  # a bound field reads the address at the start of a run
    for key in (SENTENCE, SECOND, WORD):
        if key in query and key not in st.session_state:
            st.session_state[key] = query[key][:MAX_CHARACTERS]
            st.session_state[TYPED_ON] = st.session_state[PAGE]


def with_new_keys(query: dict[str, str]) -> dict[str, str]:
    """The inputs of an address, those of older links by the keys that they have now."""
    new = dict(query)
    for old, further in (("s", (SECOND, FURTHER)), ("sentences", (OTHERS,))):
        if old in new:
            lines = [line for line in new.pop(old).splitlines() if line.strip()]
            keys = (SENTENCE, *further)
            values = [*lines[: len(keys) - 1], "\n".join(lines[len(keys) - 1 :])]
            new = dict.fromkeys(keys, "") | dict(zip(keys, values, strict=False)) | new
    for old in ("xa", "typed"):
        if sentence := new.pop(old, ""):
            new.setdefault(SENTENCE, sentence)
    return new


def own_sentences() -> dict[str, str]:
    """The sentences and the word that the visitor chose, by key; none of an untouched example."""
    kept = {key: st.session_state.get(key) for key in (SENTENCE, SECOND, WORD)}
    shown = {key: text if isinstance(text, str) else "" for key, text in kept.items()}
    if all(text in ("", st.session_state.get(proposed(key))) for key, text in shown.items()):
        return {}
    return shown


def proposed(key: str) -> str:
    """The session key of what a field shows until somebody changes it."""
    return f"_proposed_{key}"


def put(key: str, value: Any) -> None:
    """Put a value into a field that is not drawn yet, and into the address; None empties it."""
    st.session_state[key] = value
    # Streamlit 1.67 does not write what code puts into a field to the address (issue 14670 of
    # streamlit/streamlit), but for a field that had a value before: then it raises.
    if value is not None:
        with suppress(StreamlitAPIException):
            st.query_params[key] = str(value)
