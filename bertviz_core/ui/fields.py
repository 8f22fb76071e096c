"""Fields whose values live in the page's URL and survive a change of page; words to tap."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.grid_container import GridContainer

from bertviz_core.contextual.marks import with_marks
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import state
from bertviz_core.ui.html import Row, word_chips
from bertviz_core.ui.state import (
    ANCHORS,
    BOUND,
    CARRIED_KEYS,
    MAX_CHARACTERS,
    SECOND,
    SENTENCE,
    WORD,
)
from bertviz_core.views.word_in_context.comparison import Comparison
from bertviz_core.views.word_in_context.reading import Line

Choice = TypeVar("Choice")
TOKEN = "token"  # key of the position of the token that is looked at
# On Home and Word in Context: two sentences, and the word that is followed in them.
EXAMPLES = {SENTENCE: "I love my pet python", SECOND: "I love coding in python"}
LABELS = {SENTENCE: "A sentence", SECOND: "Another one"}
WORD_HINT = "one that both have"
EXAMPLE_WORD, EXAMPLE_ANCHORS = "python", "snake, programming"
MAX_OFFERED = 4  # sentences that anchors are offered for
COMPARING = ("Home", "Word in Context")  # titles of the pages that compare two sentences


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
    if key in CARRIED_KEYS:
        _carry(key, default)
    text = st.text_input(
        label,
        default,
        key=key,
        max_chars=MAX_CHARACTERS,
        placeholder=placeholder,
        live=live,
        on_change=partial(state.change, typed_on=state.now().page) if key == SENTENCE else None,
        **BOUND,
    )
    return text or ""


def _carry(key: str, default: str) -> None:
    """Prepare a field that several pages share: it holds what was typed on another one."""
    if key == SENTENCE and not st.session_state.get(key, default):
        visit = state.now()
        if visit.typed_on not in ("", visit.page):  # it was left empty on another page
            st.session_state[key] = default
    if key != WORD:
        state.propose(key, default)
    kept = st.session_state.get(key, default)
    # Streamlit 1.67 loses a value that came by the address once another page has the field.
    if state.is_opening(key):
        if kept != default:
            state.put(key, kept)
        state.change(drawn=state.now().drawn | {key})


def text_and_pair(kind: str, default: str) -> InputText:
    """A text and an optional second one, side by side, live; `kind` is "Text" or "Sentence"."""
    left, right = st.container(key="part-row-texts").columns([3, 2])
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
    state.propose(key, first)
    if len(numbers) == high - low + 1:
        return number(label, low, high, first, key=key)
    reset_unless(key, numbers.__contains__, first)
    return int(st.select_slider(label, numbers, first, key=key, **BOUND))


def span(label: str, size: int, default: tuple[int, int], *, key: str) -> tuple[int, int]:
    """A range within 0 to `size` - 1, both ends included, on a slider with two handles."""
    reset_unless(key, lambda kept: kept[1] < size, default)
    first, last = st.slider(label, 0, size - 1, default, key=key, **BOUND)
    return int(first), int(last)


def switch(label: str, *, key: str, help: str | None = None) -> bool:
    """A switch, off at first."""
    return bool(st.toggle(label, key=key, help=help, **BOUND))


def whole_number(
    label: str,
    last: int,
    *,
    key: str,
    empty: str,
    on_change: Callable[[], None] | None = None,
) -> int | None:
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
        on_change=on_change,
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

    def changed() -> None:
        position = st.session_state[TOKEN]
        if position is not None and position < len(text):
            take_token(TOKEN, typed, text, int(position))

    label = "Token at position (or tap it above)"
    empty = "that of the last word"
    chosen = whole_number(label, len(text) - 1, key=TOKEN, empty=empty, on_change=changed)
    if chosen is not None and WORD not in st.session_state:  # it came by the address
        st.session_state[WORD] = text.as_typed(typed, words=True)[chosen].casefold()
    return text.last_word() if chosen is None else chosen


def take_token(key: str, typed: InputText, text: TokenizedText, position: int) -> None:
    """Look at a token, and let the pages that follow a word follow its word, as it was typed.

    A field with another `key` than `TOKEN` gets the word; [CLS] and [SEP] have none.
    """
    st.session_state[TOKEN] = position
    if word := text.as_typed(typed, words=True)[position]:
        st.session_state[WORD] = word.casefold()
        if key != TOKEN:
            st.session_state[key] = word


def ask_two(cells: GridContainer) -> tuple[list[str], list[DeltaGenerator]]:
    """Ask for two sentences, a cell each; what was typed, and the cells."""
    visit = state.now()
    untouched = ("", None, visit.proposals.get(SENTENCE))
    if visit.typed_on not in ("", *COMPARING) and st.session_state.get(SENTENCE) not in untouched:
        # The second example belongs to the first one, not to a sentence of another page.
        if st.session_state.get(SECOND, EXAMPLES[SECOND]) == EXAMPLES[SECOND]:
            state.put(SECOND, "")
        state.change(typed_on=visit.page)
    typed = []
    used = []
    for key, label in LABELS.items():
        cell = cells.cell()
        with cell:
            typed.append(sentence(label, EXAMPLES[key], key=key, live=True))
        used.append(cell)
    return typed, used


def ask_word() -> list[str]:
    """Ask for the word to follow; the words in the field."""
    words = sentence("Word to follow (or tap it above)", "", key=WORD, placeholder=WORD_HINT)
    return [word.strip() for word in words.casefold().split(",") if word.strip()]


def ask_anchors(lines: Sequence[Line]) -> list[str]:
    """Ask for words to compare with; those of words that are no longer followed are taken away."""
    followed = frozenset(mark.name for line in lines for mark in line.followed)
    proposal = EXAMPLE_ANCHORS if followed == {EXAMPLE_WORD} else ""
    words_before, anchors = state.now().anchored or (followed, "")
    if followed.isdisjoint(words_before) and st.session_state.get(ANCHORS) == anchors:
        st.session_state[ANCHORS] = proposal
    named = sentence(
        "Compare it with", proposal, key=ANCHORS, placeholder="two words: river, money"
    )
    state.change(anchored=(followed, named))
    return list(dict.fromkeys(filter(None, map(str.strip, named.split(",")))))


def offer_anchors(comparison: Comparison) -> None:
    """Nouns to compare with, one tap each; of more than two the one chosen first goes."""
    shown = list(comparison.request.anchors)
    rows = [
        Row(f"near {number + 1}", nouns, [noun in shown for noun in nouns])
        for number, nouns in list(zip(comparison.groups[0], comparison.near, strict=True))
        if nouns
    ][:MAX_OFFERED]

    def tap(row: int, number: int) -> None:
        word = rows[row].words[number]
        others = [one for one in shown if one != word]
        chosen = others if word in shown else [*others[-1:], word]
        st.session_state[ANCHORS] = ", ".join(chosen)

    word_chips(rows, tap, name="anchors")


def show_words(fields: Mapping[str, Sequence[Line]], shown: str) -> None:
    """Show the words of the sentences in one of the `fields`; a tapped word is followed in all.

    Brackets are taken out of the sentences that have the word.
    """
    names = [mark.name for lines in fields.values() for line in lines for mark in line.followed]
    rows = [
        Row(
            "",
            [word.word for word in line.words],
            [
                any(mark.overlaps(word.start, word.end) for mark in line.followed)
                for word in line.words
            ],
        )
        for line in fields[shown]
    ]

    def tap(row: int, word: int) -> None:
        line = fields[shown][row]
        name = line.words[word].name
        st.session_state[WORD] = ", ".join(dict.fromkeys([name, *names]))
        for key, lines in fields.items():
            if any(one.marked and one.same(name) for one in lines):
                st.session_state[key] = "\n".join(
                    with_marks(one.text, [] if one.same(name) else one.marked) for one in lines
                )

    word_chips(rows, tap, name=f"words-{shown}")
