"""The state of a visit: what was typed, the page and the model. Read and written here alone.

`read` makes it of the address and of the run before, once a run; `now` is the value of this run,
which nobody changes; `change` puts another one in its place. Values of fields are with their
fields: Streamlit binds each to its key in the address. Beside these there is one session key of
our own, `KEY`.

The sentence has one key on all pages, `a`. Streamlit takes it from page to page, in its field and
in the address. Links that load their page anew carry the visitor's sentences (`link`).
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus, urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.hall import MAX_LENGTH
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.views.parts import Sentence

# Every field of the app takes these: the URL is the state.
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
MAX_CHARACTERS = 5_000  # of a field

SENTENCE, SECOND = "a", "a2"  # keys of the sentence, and of the one that is compared with it
FURTHER, OTHERS = "more", "others"  # of Word in Context and Sentence Vectors: one sentence per line
WORD = "word"  # key of the followed word; of several, each sentence has the first that is in it
ANCHORS = "anchors"  # key of the words to compare with
CARRIED_KEYS = (SENTENCE, SECOND, WORD, ANCHORS)  # fields that several pages share
WITH_SECOND = ("", "Word_in_Context")  # pages that compare two sentences, by their addresses

GUESS = re.compile(r"guess\d\d?")  # keys of the guesses in the tour, in the address
LECTURE = "lecture"  # the key of a hall, for its lecturer alone: no link to share has it
PRESENT = "present"  # presenter mode, in the address: a look, or "1" for that of the system
PRESENTING = "presenting"  # key of its switch, whose value is kept from page to page
OFF, LOOKS = "off", ("light", "dark")
# Bytes of an address that each sentence may fill: servers take addresses of about 8,000, and a
# Chinese character fills 9.
CARRIED = 1_500

KEY = "_state"  # the one key in the session that is no field's


@dataclass(frozen=True)
class State:
    """What is known of a visit in one run of a page."""

    page: str = ""  # title of the page that is shown
    address: str = ""  # its name in the URL; "" for Home
    question: str = ""  # its heading
    model: str = ""  # name of the model that is shown
    chosen_model: str = ""  # of the model in the address; "" for the one that the app starts with
    look: str = ""  # of presenter mode: "light", "dark", "1" for the system's; "" when it is off
    is_embedded: bool = False  # whether the page is in a frame of another site
    presenting: bool = False  # only the answer, without code and tables: to an audience, or framed
    lecture: str = ""  # the hall that this projector has opened: "CODE.key"
    typed_on: str = ""  # title of the page that the sentence was typed on
    drawn: frozenset[str] = frozenset()  # keys of shared fields drawn since the page was opened
    proposals: Mapping[str, Any] = field(default_factory=dict)  # last proposal of a field, by key
    sections: Mapping[str, str | None] = field(default_factory=dict)  # the open one, by page
    anchored: tuple[frozenset[str], str] | None = None  # followed words, and their anchors
    uploads: Mapping[str, str] = field(default_factory=dict)  # ids of files, by key of their field
    guesses: Mapping[int, str] = field(default_factory=dict)  # at the stops of the tour
    score: tuple[Sentence, ...] = ()  # of a phone, also once its hall is closed


def now() -> State:
    """The state of this run."""
    state: State = st.session_state.get(KEY, State())
    return state


def change(**new: Any) -> None:
    """Put other values of `State` in place of some; whoever asks from now on finds them."""
    st.session_state[KEY] = replace(now(), **new)


def read(page: str, question: str) -> State:
    """Read what no field of the page reads: presenter mode, a hall, sentences of other pages."""
    before = now()
    query = st.query_params
    typed_on = before.typed_on
    for key in CARRIED_KEYS:
        if key in query and key not in st.session_state:
            st.session_state[key] = query[key][:MAX_CHARACTERS]
            typed_on = page
    is_embedded = bool(st.context.is_embedded)
    # Presenter mode is on by the address, or because it was so on the page before.
    look = query.get(PRESENT, "")
    if look not in ("1", *LOOKS):
        kept = st.session_state.get(PRESENTING) or OFF  # None as the next page opens
        look = "" if kept == OFF else before.look
    if is_embedded:
        look = ""
    guesses = {
        int(key.removeprefix("guess")): guess[:MAX_LENGTH]
        for key, guess in query.items()
        if GUESS.fullmatch(key) and guess
    }
    lecture = query.get(LECTURE) or before.lecture
    if lecture:  # the sidebar's links drop it from the address
        query[LECTURE] = lecture
    change(
        page=page,
        address="" if page == "Home" else page.replace(" ", "_"),
        question=question,
        look=look,
        is_embedded=is_embedded,
        presenting=look != "" or is_embedded,
        lecture=lecture,
        typed_on=typed_on,
        guesses={**guesses, **before.guesses},
        drawn=before.drawn if before.page == page else frozenset(),
    )
    return now()


def is_opening(key: str) -> bool:
    """Whether a shared field is not in `drawn` yet; who draws it puts it there afterwards."""
    return key not in now().drawn


def put(key: str, value: Any) -> None:
    """Put a value into a field that is not drawn yet, and into the address; None empties it."""
    st.session_state[key] = value
    # Streamlit 1.67 does not write what code puts into a field to the address (issue 14670 of
    # streamlit/streamlit), but for a field that had a value before: then it raises.
    if value is not None:
        with suppress(StreamlitAPIException):
            st.query_params[key] = str(value)


def propose(key: str, value: Any) -> None:
    """Put a proposal into a field that still holds the last one, because nobody has changed it.

    Call it before the field is drawn, with the proposal as its default.
    """
    proposals = now().proposals
    if key in st.session_state and st.session_state[key] == proposals.get(key, value):
        st.session_state[key] = value
    if proposals.get(key) != value:
        change(proposals={**proposals, key: value})


def own_sentences() -> dict[str, str]:
    """The sentences and the word that the visitor chose, by key; none of an untouched example."""
    kept = {key: st.session_state.get(key) for key in CARRIED_KEYS}
    texts = {key: text if isinstance(text, str) else "" for key, text in kept.items()}
    proposals = now().proposals
    if all(text in ("", proposals.get(key)) for key, text in texts.items()):
        return {}
    return texts


def link(page: str, **inputs: str | int) -> str:
    """The address of a prepared view: a page's name in its URL, with values of its fields by key.

    It loads the page anew: Streamlit's own links keep the page's present inputs where the address
    already carries them, and then show another state than the address says. The model in use is
    kept unless one is given. The visitor's own sentences go along to a page whose sentence is not
    given.
    """
    state = now()
    if state.chosen_model:
        inputs = {"model": state.chosen_model, **inputs}
    if state.look:
        inputs[PRESENT] = state.look
    if SENTENCE not in inputs:
        for key, text in own_sentences().items():
            if text or (key == SECOND and page in WITH_SECOND):
                inputs[key] = cut_to_carry(text)
    return f"{page}?{urlencode(inputs)}" if inputs else page


def with_query(address: str, query: Mapping[str, str | int]) -> str:
    """An address with values by key."""
    return f"{address}?{urlencode(query)}" if query else address


def link_here(**changes: str | int) -> str:
    """The address of the page that is shown, with some of its inputs changed."""
    kept = {key: value for key, value in st.query_params.items() if key != LECTURE}
    return "?" + urlencode(kept | changes)


@lru_cache(16)  # every link of a page asks for the same, and 1,500 emoji take 2 ms
def cut_to_carry(text: str) -> str:
    """As much of a sentence as a link carries."""
    text = without_lone_surrogates(text[:CARRIED])
    while (size := len(quote_plus(text))) > CARRIED:
        text = text[: len(text) * CARRIED // size]
    return text
