"""Input fields whose values live in the page's URL and survive a change of page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import slots
from bertviz_core.ui.address import (
    BOUND,
    MAX_CHARACTERS,
    PAGE,
    SECOND,
    SENTENCE,
    TYPED_ON,
    WORD,
    proposed,
    put,
)

Choice = TypeVar("Choice")
TOKEN = "token"  # key of the token that is looked at


def reset_unless(key: str, fits: Callable[[Any], bool], default: Any) -> None:
    """Put the default in place of a value that a field cannot hold, such as one of another model.

    Call it before the field is drawn. What an address asks for in vain is dropped by Streamlit.
    """
    kept = st.session_state.get(key)
    if kept is not None and not fits(kept):
        st.session_state[key] = default


def sentence(
    label: str, default: str, *, key: str, placeholder: str = "", live: bool = False
) -> str:
    """One line of text, at most 5,000 characters.

    With `live` the page runs after a pause in typing, without it after Enter. The fields that
    several pages share show the example of the page, `default`, until somebody changes them.
    """
    if key == SENTENCE:
        page = st.session_state[PAGE]
        if st.session_state.get(SENTENCE) == "" and st.session_state.get(TYPED_ON, page) != page:
            st.session_state[SENTENCE] = default  # it was left empty on another page
    if key in (SENTENCE, SECOND):
        propose(key, default)
    if key in (SENTENCE, SECOND, WORD):
        # Streamlit 1.67 loses a value that came by the address once another page has the field.
        drawn_on, page = f"_drawn_on_{key}", st.session_state[PAGE]
        kept = st.session_state.get(key, default)
        if st.session_state.get(drawn_on) != page and kept != default:
            put(key, kept)
        st.session_state[drawn_on] = page
    text = st.text_input(
        label,
        default,
        key=key,
        max_chars=MAX_CHARACTERS,
        placeholder=placeholder,
        live=live,
        on_change=_typed if key == SENTENCE else None,
        **BOUND,
    )
    return text or ""


def _typed() -> None:
    st.session_state[TYPED_ON] = st.session_state[PAGE]


def text_and_pair(kind: str, default: str) -> InputText:
    """A text and an optional second one, side by side, live; `kind` is "Text" or "Sentence"."""
    left, right = slots.part("row-texts").columns([3, 2])
    with left:
        text = sentence(f"{kind} A", default, key=SENTENCE, live=True)
    with right:
        pair = sentence(f"{kind} B (optional)", "", key="b", placeholder="none", live=True)
    return InputText(text, pair)


def lines(
    label: str, default: str, *, key: str, help: str | None = None, height: int = 112
) -> list[str]:
    """Several lines of text, at most 5,000 characters; blank lines are left out."""
    text = st.text_area(
        label, default, key=key, max_chars=MAX_CHARACTERS, height=height, help=help, **BOUND
    )
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def choice(
    label: str,
    options: Mapping[str, Choice] | Sequence[Choice],
    *,
    key: str,
    help: str | None = None,
) -> Choice:
    """One of a few options, side by side; the first is the default.

    Of a mapping, the words are what the page and the URL show, and the values what comes back.
    """
    values = options if isinstance(options, Mapping) else {str(word): word for word in options}
    words = list(values)
    reset_unless(key, words.__contains__, words[0])
    chosen = st.segmented_control(
        label, words, default=words[0], required=True, key=key, help=help, wrap=True, **BOUND
    )
    return values[chosen if chosen is not None else words[0]]


def listed(label: str, options: Sequence[str], *, key: str, help: str | None = None) -> str:
    """One of many options, in a list that opens; the first is the default."""
    reset_unless(key, options.__contains__, options[0])
    return str(st.selectbox(label, options, key=key, help=help, **BOUND))


def number(label: str, low: int, high: int, default: int, *, key: str) -> int:
    """A whole number on a slider; one that has left the range falls back to the default."""
    reset_unless(key, lambda kept: low <= kept <= high, default)
    return int(st.slider(label, low, high, default, key=key, **BOUND))


def one_number(label: str, numbers: Sequence[int], first: int, *, key: str) -> int:
    """One of two or more rising numbers, such as 0, 6, 12, on a slider; `first` is proposed."""
    low, high = numbers[0], numbers[-1]
    propose(key, first)
    if len(numbers) == high - low + 1:
        return number(label, low, high, first, key=key)
    reset_unless(key, numbers.__contains__, first)
    return int(st.select_slider(label, numbers, first, key=key, **BOUND))


def propose(key: str, value: Any) -> None:
    """Put a proposal into a field that still holds the last one, because nobody has changed it.

    Call it before the field is drawn, with the proposal as its default.
    """
    last = proposed(key)
    if key in st.session_state and st.session_state[key] == st.session_state.get(last, value):
        st.session_state[key] = value
    st.session_state[last] = value


def span(label: str, size: int, default: tuple[int, int], *, key: str) -> tuple[int, int]:
    """A range within 0 to `size` - 1, both ends included, on a slider with two handles."""
    reset_unless(key, lambda kept: kept[1] < size, default)
    first, last = st.slider(label, 0, size - 1, default, key=key, **BOUND)
    return int(first), int(last)


def switch(label: str, *, key: str, help: str | None = None) -> bool:
    """A switch, off at first."""
    return bool(st.toggle(label, key=key, help=help, **BOUND))


def whole_number(label: str, last: int, *, key: str, empty: str) -> int | None:
    """A whole number from 0 to `last` in a field that is empty at first; it then shows `empty`."""
    reset_unless(key, lambda kept: 0 <= kept <= last, None)
    # A field of whole numbers raises OverflowError at an address like ?token=1e999; one of decimal
    # ones falls back to its default (seen in Streamlit 1.67, `NumberInputSerde.deserialize`).
    chosen = st.number_input(
        label,
        min_value=0.0,
        value=None,
        step=1.0,
        format="%.0f",
        key=key,
        placeholder=empty,
        **BOUND,
    )
    return None if chosen is None or chosen > last else int(chosen)


def begin_button(label: str, below: str, *, icon: str, key: str) -> bool:
    """A button that begins what takes a while, as the line `below` says; gone once clicked."""
    slot = st.empty()
    if slot.button(label, icon=icon, key=key):
        slot.empty()
        return True
    st.caption(below)
    return False


def token_position(typed: InputText, text: TokenizedText) -> int:
    """The position of the token that is looked at: of a tapped chip, or typed here.

    At first it is the first piece of the first text's last word.
    """
    label = "Token at position (or tap it above)"
    chosen = whole_number(label, len(text) - 1, key=TOKEN, empty="that of the last word")
    if chosen is not None and chosen != st.session_state.get("_token_before"):
        _follow(text.as_typed(typed, words=True)[chosen])
    st.session_state["_token_before"] = chosen
    return text.last_word() if chosen is None else chosen


def follow_word(key: str, typed: InputText, text: TokenizedText, position: int) -> None:
    """Put the word of a token into a field, as it was typed; [CLS] and [SEP] have none."""
    if word := text.as_typed(typed, words=True)[position]:
        st.session_state[TOKEN] = st.session_state["_token_before"] = position  # as if typed
        st.session_state[key] = word
        _follow(word)


def _follow(word: str | None) -> None:
    """Let the pages that follow a word follow this one."""
    if word:
        st.session_state[WORD] = word.casefold()
