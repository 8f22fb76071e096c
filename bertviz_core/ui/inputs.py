"""Input fields whose values live in the page's URL and survive a change of page."""

from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st

from bertviz_core.tokens import InputText
from bertviz_core.ui import slots

Choice = TypeVar("Choice")
LONGEST = 5_000

# Every widget of the app takes these: the URL is the state.
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}


def sentence(label: str, default: str, *, key: str, placeholder: str = "") -> str:
    """One line of text, at most 5,000 characters; `key` is its name in the URL."""
    text = st.text_input(
        label, default, key=key, max_chars=LONGEST, placeholder=placeholder, **BOUND
    )
    return text or ""


def text_and_pair(
    kind: str, default: str, *, label: str = "", keys: tuple[str, str] = ("a", "b")
) -> InputText:
    """A text and an optional second one, side by side.

    Args:
        kind: What the fields are called: "Text" or "Sentence".
        default: The first text of a first visit.
        label: Of the first field, if it says more.
        keys: Names of both in the URL.
    """
    left, right = slots.row("texts", [3, 2])
    with left:
        text = sentence(label or f"{kind} A", default, key=keys[0])
    with right:
        pair = sentence(f"{kind} B (optional)", "", key=keys[1], placeholder="none")
    return InputText(text, pair)


def lines(label: str, default: str, *, key: str, help: str | None = None) -> list[str]:
    """Several lines of text, at most 5,000 characters; blank lines are left out."""
    text = st.text_area(label, default, key=key, max_chars=LONGEST, height=112, help=help, **BOUND)
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def choice(
    label: str, options: Mapping[str, Choice], *, key: str, help: str | None = None
) -> Choice:
    """One of a few options, side by side; the first is the default.

    Args:
        label: What is chosen.
        options: Value of each option by the word that stands for it, on the page and in the URL.
        key: Name in the URL.
        help: Shown behind a question mark.
    """
    words = list(options)
    chosen = st.segmented_control(
        label, words, default=words[0], required=True, key=key, help=help, wrap=True, **BOUND
    )
    return options[chosen if chosen is not None else words[0]]


def several(
    label: str, options: Mapping[str, Choice], *, key: str, help: str | None = None
) -> list[Choice]:
    """Any of a few options, side by side; none at first, which stands for all.

    Args:
        label: What is chosen.
        options: Value of each option by the word that stands for it, on the page and in the URL.
        key: Name in the URL.
        help: Shown behind a question mark.
    """
    kept = st.session_state.get(key)
    if kept is not None and not set(kept) <= set(options):
        st.session_state[key] = [word for word in kept if word in options]
    chosen = st.segmented_control(
        label, list(options), selection_mode="multi", key=key, help=help, wrap=True, **BOUND
    )
    return [options[word] for word in chosen or options]


def number(label: str, low: int, high: int, default: int, *, key: str, step: int = 1) -> int:
    """A whole number on a slider; one that has left the range falls back to the default."""
    kept = st.session_state.get(key)
    if kept is not None and not low <= kept <= high:
        st.session_state[key] = default
    return int(st.slider(label, low, high, default, step, key=key, **BOUND))


def span(label: str, size: int, default: tuple[int, int], *, key: str) -> tuple[int, int]:
    """A range within 0 to `size` - 1, both ends included, on a slider with two handles."""
    kept = st.session_state.get(key)
    if kept is not None and max(kept) >= size:
        st.session_state[key] = default
    first, last = st.slider(label, 0, size - 1, default, key=key, **BOUND)
    return int(first), int(last)


def switch(label: str, *, key: str, help: str | None = None) -> bool:
    """A switch, off at first."""
    return bool(st.toggle(label, key=key, help=help, **BOUND))
