"""Tokens as chips: pieces of a word joined, special tokens grey, segments by colour and line."""

import streamlit as st

from bertviz_core.checkpoints.vocabulary import SPECIAL_TOKENS
from bertviz_core.neighbors.query import UNKNOWN
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui.html import note, plain

_BY_WORD = " Each word has one colour. Special tokens are grey, with dots around typed ones."
HUES = 6  # colours of words that stand beside each other; see style.css


def token_chips(text: TokenizedText, *, by_word: bool = False) -> None:
    """Show every token with its id, and say how many were left out.

    Args:
        text: The tokens.
        by_word: Colour by word instead of by segment; the line below still tells the segment.
            Typed special tokens are grey too, and unknown words are marked.
    """
    words: list[str] = []
    last: tuple[int | None, int] | None = None
    number = -1
    for position, (token, token_id, segment, word) in enumerate(
        zip(text.tokens, text.input_ids, text.token_type_ids, text.word_ids, strict=True)
    ):
        joins = word is not None and last == (word, int(segment))
        number += word is not None and not joins
        kind = " bx-special" if word is None else ""
        kind += " bx-second" if segment else ""
        if by_word:
            kind += _kind(token, word, number)
        chip = (
            f'<span class="bx-token{kind}" title="{_on_hover(text, position)}">'
            f"{plain(token)}<small>{token_id}</small></span>"
        )
        if joins:
            words[-1] += chip
        else:
            words.append(chip)
        last = (word, int(segment))
    chips = "".join(f'<span class="bx-word">{word}</span>' for word in words)
    st.html(
        f'<div class="bx"><div class="bx-tokens" tabindex="0" role="group" '
        f'aria-label="{len(text)} tokens with their ids">{chips}</div>'
        f'<div class="bx-key">{_key(text)}{_BY_WORD if by_word else ""}</div></div>'
    )
    say_truncated(text)


def say_truncated(text: TokenizedText, name: str = "The text") -> None:
    """Say how many tokens did not fit, if any; `name` begins the sentence."""
    if text.truncated:
        note(
            "{name} has {all} tokens; the model has positions for {room}. "
            "The last <b>{cut}</b> were left out.",
            name=name,
            all=f"{len(text) + text.truncated:,}",
            room=f"{len(text):,}",
            cut=f"{text.truncated:,}",
        )


def _key(text: TokenizedText) -> str:
    second = int(text.token_type_ids.sum())
    first = len(text) - second
    count = f"{len(text)} tokens, the number under each is its id"
    if not second:
        return f"{count}; all in segment A."
    return f"{count}; {first} in segment A (single line), {second} in segment B (double line)."


def _kind(token: str, word: int | None, number: int) -> str:
    """The classes of a chip that is coloured by word; `number` counts the words."""
    if word is None:
        return ""
    if token == UNKNOWN:
        return " bx-unknown"
    return " bx-special bx-typed" if token in SPECIAL_TOKENS else f" bx-hue{number % HUES}"


def _on_hover(text: TokenizedText, position: int) -> str:
    """What a chip says when it is pointed at: numbers only, so nothing has to be escaped."""
    segment = "AB"[int(text.token_type_ids[position])]
    start, end = text.offsets[position]
    span = f", characters {start} to {end}" if text.word_ids[position] is not None else ""
    return f"position {position}, segment {segment}{span}"
