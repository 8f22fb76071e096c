"""Input fields whose values live in the page's URL and survive a change of page.

The sentence follows: what was typed last into one of the fields `FOLLOWING` is what the others show
when their page opens. A sentence that the page's address names comes first, and goes with the
visitor as well until something is typed. Links load their page anew, so `links.view` puts the
sentence into the address, as `typed`; it stays there on a page that shows another sentence or none.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.contextual.marks import mark_word, without_marks
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import slots
from bertviz_core.ui.address.old_links import say_unless_offered

Choice = TypeVar("Choice")
LONGEST = 5_000
FOLLOWING = ("a", "xa", "s")  # on Home, Tokens and Input Embeddings; Positions; Word in Context
TOKEN = "token"  # key of the token that is looked at
TYPED = "_typed"  # in the session: what was typed last; None before anything is known of it
PAGE = "_page"  # in the session: title of the page that is shown

# Every widget of the app takes these: the URL is the state.
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}


def sentence(
    label: str, default: str, *, key: str, placeholder: str = "", live: bool = False
) -> str:
    """One line of text, at most 5,000 characters.

    Args:
        label: What is asked.
        default: Of a first visit.
        key: Name in the URL; one of `FOLLOWING` for a field that the sentence follows to.
        placeholder: Shown in an empty field.
        live: Whether a pause in typing is enough; otherwise Enter, or leaving the field.
    """
    text = st.text_input(
        label,
        default,
        key=key,
        max_chars=LONGEST,
        placeholder=placeholder,
        live=live,
        **_following(key, default),
        **BOUND,
    )
    return text or ""


def text_and_pair(
    kind: str,
    default: str,
    *,
    label: str = "",
    keys: tuple[str, str] = ("a", "b"),
    live: bool = False,
) -> InputText:
    """A text and an optional second one, side by side.

    Args:
        kind: What the fields are called: "Text" or "Sentence".
        default: The first text of a first visit.
        label: Of the first field, if it says more.
        keys: Names of both in the URL.
        live: Whether a pause in typing is enough; see `sentence`.
    """
    left, right = slots.row("texts", [3, 2])
    with left:
        text = sentence(label or f"{kind} A", default, key=keys[0], live=live)
    with right:
        pair = sentence(f"{kind} B (optional)", "", key=keys[1], placeholder="none", live=live)
    return InputText(text, pair)


def lines(label: str, default: str, *, key: str, help: str | None = None) -> list[str]:
    """Several lines of text, at most 5,000 characters; blank lines are left out."""
    text = st.text_area(
        label,
        default,
        key=key,
        max_chars=LONGEST,
        height=112,
        help=help,
        **_following(key, default),
        **BOUND,
    )
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
    say_unless_offered(label, words, key=key)
    if st.session_state.get(key, words[0]) not in words:  # of a field of another page
        st.session_state[key] = words[0]
    chosen = st.segmented_control(
        label, words, default=words[0], required=True, key=key, help=help, wrap=True, **BOUND
    )
    return options[chosen if chosen is not None else words[0]]


def listed(label: str, options: Sequence[str], *, key: str, help: str | None = None) -> str:
    """One of many options, in a list that opens; the first is the default. Later they may differ.

    The arguments are those of `choice`, but that the words are the values.
    """
    say_unless_offered(label, options, key=key)
    if st.session_state.get(key, options[0]) not in options:
        st.session_state[key] = options[0]
    return str(st.selectbox(label, options, key=key, help=help, **BOUND))


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


def one_number(label: str, numbers: Sequence[int], *, key: str) -> int:
    """One of two or more rising numbers, such as 0, 6, 12, on a slider; the last one at first."""
    low, high = numbers[0], numbers[-1]
    if len(numbers) == high - low + 1:
        return number(label, low, high, high, key=key)
    if st.session_state.get(key, high) not in numbers:
        st.session_state[key] = high
    return int(st.select_slider(label, numbers, high, key=key, **BOUND))


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


def token_position(typed: InputText, text: TokenizedText) -> int:
    """The position of the token that is looked at: of a tapped chip, or typed here.

    At first it is the first piece of the first text's last word.
    """
    kept = st.session_state.get(TOKEN)
    if kept is not None and not 0 <= kept < len(text):
        st.session_state[TOKEN] = None
    chosen = st.number_input(
        "Token at position (or tap it above)",
        min_value=0,
        value=None,
        step=1,
        key=TOKEN,
        placeholder="that of the last word",
        **BOUND,
    )
    # An address may name any position.
    position = int(chosen) if chosen in range(len(text)) else text.last_word()
    remember_word(typed, text, position)
    return position


def look_at(position: int) -> None:
    """Choose the token that is looked at, as if its position had been typed."""
    st.session_state[TOKEN] = position


def remember_word(typed: InputText, text: TokenizedText, position: int) -> None:
    """Let the word of a token be the one that is marked where the sentence follows to."""
    if not text.token_type_ids[position]:
        span = text.word_spans()[position]
        st.session_state["_word"] = typed.text[slice(*span)], span


def typed_sentence() -> str:
    """What the visitor typed last on any page, or came with; "" before."""
    if TYPED not in st.session_state:
        st.session_state[TYPED] = came_with = st.query_params.get("typed")
        if came_with == "":
            _forget_carried()
    return st.session_state[TYPED] or ""


def marked_sentence(text: str) -> str:
    """A sentence with the word that was looked at last in [brackets], or its last word."""
    word, span = st.session_state.get("_word", ("", (0, 0)))
    return mark_word(text, span if word and text[slice(*span)] == word else None)


def _following(key: str, default: str) -> dict[str, Any]:
    """Put the sentence into its field as a page opens; what the field needs for the next page."""
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


def _opening(key: str, kept: str | None, sentence: str, default: str) -> str:
    """What a field shows as its page opens; `kept` is what it showed on the page before."""
    if kept is None or kept == st.session_state.get(f"_example_{key}"):
        # The example of one page gives way to that of another.
        return _for_field(key, sentence) if sentence else default
    same = not sentence or _plain(key, kept) == sentence
    return kept if same else _for_field(key, sentence)


def _show(key: str, text: str, default: str) -> None:
    if text == default and key not in st.session_state:
        return
    st.session_state[key] = text
    if text != default:
        _forget_carried()  # the field's own name in the address says it
        with suppress(StreamlitAPIException):  # it stood in this field before,
            st.query_params[key] = text  # and Streamlit writes to the address itself


def _type(key: str) -> None:
    """Something was typed into one of the fields."""
    st.session_state[TYPED] = _plain(key, st.session_state[key] or "")
    st.session_state["_own_lines"] = key == "s" or st.session_state.get("_own_lines")
    _forget_carried()


def _forget_carried() -> None:
    if "typed" in st.query_params:
        del st.query_params["typed"]


def _plain(key: str, typed: str) -> str:
    """The sentence in a field: of several lines the first, without its marks."""
    if key != "s":
        return typed
    first = next((line.strip() for line in typed.splitlines() if line.strip()), "")
    with suppress(UserInputError):  # a bracket without its partner stays
        return without_marks(first)[0]
    return first


def _for_field(key: str, sentence: str) -> str:
    if key != "s":
        return sentence
    # Lines that were typed below the first stay; those of an example do not.
    kept = st.session_state.get(key) or ""
    below = kept.splitlines()[1:] if st.session_state.get("_own_lines") else []
    return "\n".join([marked_sentence(sentence), *below])[:LONGEST]
