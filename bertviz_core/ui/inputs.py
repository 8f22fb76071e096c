"""Input fields whose values live in the page's URL and survive a change of page."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

Choice = TypeVar("Choice", bound=str)
LONGEST = 5_000

# Every widget of the app takes these: the URL is the state.
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}


def sentence(label: str, default: str, *, key: str, placeholder: str = "") -> str:
    """One line of text, at most 5,000 characters; `key` is its name in the URL."""
    text = st.text_input(
        label, default, key=key, max_chars=LONGEST, placeholder=placeholder, **BOUND
    )
    return text or ""


def lines(label: str, default: str, *, key: str, help: str | None = None) -> list[str]:
    """Several lines of text, at most 5,000 characters; blank lines are left out."""
    text = st.text_area(label, default, key=key, max_chars=LONGEST, height=112, help=help, **BOUND)
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def choice(
    label: str,
    options: Sequence[Choice],
    *,
    key: str,
    names: dict[Choice, str] | None = None,
    help: str | None = None,
) -> Choice:
    """One of a few options, side by side; the first is the default."""
    show: Callable[[Choice], str] | None = names.__getitem__ if names else None
    chosen: Choice | None = st.segmented_control(
        label,
        options,
        default=options[0],
        required=True,
        format_func=show,
        key=key,
        help=help,
        wrap=True,
        **BOUND,
    )
    return chosen if chosen is not None else options[0]


def number(label: str, low: int, high: int, default: int, *, key: str, step: int = 1) -> int:
    """A whole number on a slider."""
    return int(st.slider(label, low, high, default, step, key=key, **BOUND))


def span(label: str, size: int, default: tuple[int, int], *, key: str) -> tuple[int, int]:
    """A range within 0 to `size` - 1, both ends included, on a slider with two handles."""
    first, last = st.slider(label, 0, size - 1, default, key=key, **BOUND)
    return int(first), int(last)


def switch(label: str, *, key: str, help: str | None = None) -> bool:
    """A switch, off at first."""
    return bool(st.toggle(label, key=key, help=help, **BOUND))
