"""The sentence follows from page to page.

What was typed last into one of the fields `FOLLOWING` is what the others show when their page
opens. A sentence that the page's address names comes first. It goes along as well, until something
is typed. Links load their page anew, so `links.view` puts the sentence into the address, as
`typed`. There it stays on a page that shows another sentence or none.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.contextual.marks import lenient_marks, mark_word
from bertviz_core.tokens import InputText, TokenizedText

MAX_CHARACTERS = 5_000  # characters of a field
# On Home, Tokens and Input Embeddings; Positions; Word in Context; Sentence Vectors
FOLLOWING = ("a", "xa", "s", "sentences")
TYPED = "_typed"  # in the session: what was typed last; None before anything is known of it
PAGE = "_page"  # in the session: title of the page that is shown
OPENS = "_page_opens"  # in the session: whether the page has only begun to be shown
HERE = "_page_and_model"  # in the session: the page as `views.files.Page`, which names its files


def follow_into(key: str, default: str) -> dict[str, Any]:
    """Put the sentence into its field as a page opens; the arguments that the field needs.

    With them the field tells what is typed into it.
    """
    if key not in FOLLOWING:
        return {}
    page = st.session_state.get(PAGE)
    if st.session_state.get("_shown_on", "") != page:
        st.session_state["_shown_on"] = page
        kept, named = st.session_state.get(key), st.query_params.get(key)
        sentence = typed_sentence()
        if named and named != kept:
            if st.session_state[TYPED] is None:  # from a bookmark, or somebody's own link
                st.session_state[TYPED] = _plain(key, named)
        else:
            _show(key, _opening(key, kept, sentence, default), default)
        st.session_state[f"_example_{key}"] = default
    return {"on_change": _type, "args": (key,)}


def arrive_alone(key: str, second: str, example: str) -> None:
    """Empty the second field of a page that opens with a sentence of another page in its first.

    Call it before the field `key` is drawn. The example of the second goes with that of the first.
    """
    opens = st.session_state.get("_shown_on") != st.session_state.get(PAGE)
    kept, own = st.session_state.get(second, example), st.session_state.get("_own_sentence")
    named = {key, second} & st.query_params.keys()
    if opens and typed_sentence() not in ("", own) and kept == example and not named:
        _show(second, "", example)


def leave_beside(marked: Sequence[str]) -> None:
    """Let the sentences beside the one that was typed here go along to Word in Context."""
    st.session_state["_own_sentence"] = typed_sentence()
    st.session_state["_beside"] = list(marked)


def typed_sentence() -> str:
    """What the visitor typed last on any page, or came with; "" before."""
    if TYPED not in st.session_state:
        st.session_state[TYPED] = came_with = st.query_params.get("typed")
        if came_with == "":
            st.query_params.pop("typed", None)
    return st.session_state[TYPED] or ""


def remember_word(typed: InputText, text: TokenizedText, position: int) -> None:
    """Remember the word of a token: pages that mark a word mark this one, as the sentence comes."""
    if not text.token_type_ids[position]:
        span = text.word_spans()[position]
        st.session_state["_word"] = typed.text[slice(*span)], span


def marked_sentence(text: str) -> str:
    """A sentence with the word that was looked at last in [brackets], or its last word."""
    word, span = st.session_state.get("_word", ("", (0, 0)))
    return mark_word(text, span if word and text[slice(*span)] == word else None)


def _opening(key: str, kept: str | None, sentence: str, default: str) -> str:
    """What a field shows as its page opens; `kept` is what it showed on the page before."""
    if kept is None or kept == st.session_state.get(f"_example_{key}"):
        # The example of one page gives way to that of another.
        return _for_field(key, sentence, default) if sentence else default
    same = not sentence or _plain(key, kept) == sentence
    return kept if same else _for_field(key, sentence, default)


def _show(key: str, text: str, default: str) -> None:
    if text != default:
        st.query_params.pop("typed", None)  # the field's own name in the address says it
        put(key, text)
    elif key in st.session_state:
        st.session_state[key] = text


def put(key: str, value: Any) -> None:
    """Put a value into a field that is not drawn yet, and into the address; None empties it."""
    st.session_state[key] = value
    # Streamlit 1.67 does not write what code puts into a field to the address (issue 14670 of
    # streamlit/streamlit), but for a field that had this value before: then it raises.
    if value is not None:
        with suppress(StreamlitAPIException):
            st.query_params[key] = str(value)


def _type(key: str) -> None:
    """Something was typed into one of the fields."""
    st.session_state[TYPED] = _plain(key, st.session_state[key] or "")
    st.session_state["_own_lines"] = key == "s" or st.session_state.get("_own_lines")
    st.query_params.pop("typed", None)


def _plain(key: str, typed: str) -> str:
    """The sentence in a field: of several lines the first, without its marks."""
    if key not in ("s", "sentences"):
        return typed
    first = next((line.strip() for line in typed.splitlines() if line.strip()), "")
    return lenient_marks(first)[0] if key == "s" else first


def _for_field(key: str, sentence: str, default: str) -> str:
    if key == "sentences":  # one sentence has none to be compared with: the example follows it
        kept = st.session_state.get(key) or default
        below = kept.splitlines() if kept == default else kept.splitlines()[1:]
        return "\n".join([sentence, *below])[:MAX_CHARACTERS]
    if key != "s":
        return sentence
    # Lines that were typed below the first stay; those of an example do not.
    kept, below = st.session_state.get(key) or "", st.session_state.get("_beside", [])
    below = kept.splitlines()[1:] if st.session_state.get("_own_lines") else below
    return "\n".join([marked_sentence(sentence), *below])[:MAX_CHARACTERS]
