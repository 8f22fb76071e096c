"""Tokens as chips: pieces of a word joined, special tokens grey, segments by colour and line."""

import streamlit as st

from bertviz_core.tokens import TokenizedText
from bertviz_core.ui.html import note, plain


def token_chips(text: TokenizedText) -> None:
    """Show every token with its id, and say how many were left out."""
    words: list[str] = []
    last: tuple[int | None, int] | None = None
    for token, token_id, segment, word in zip(
        text.tokens, text.input_ids, text.token_type_ids, text.word_ids, strict=True
    ):
        kind = " bx-special" if word is None else ""
        kind += " bx-second" if segment else ""
        chip = f'<span class="bx-token{kind}">{plain(token)}<small>{token_id}</small></span>'
        if word is not None and last == (word, int(segment)):
            words[-1] += chip
        else:
            words.append(chip)
        last = (word, int(segment))
    chips = "".join(f'<span class="bx-word">{word}</span>' for word in words)
    st.html(
        f'<div class="bx"><div class="bx-tokens" tabindex="0" role="group" '
        f'aria-label="{len(text)} tokens with their ids">{chips}</div>'
        f'<div class="bx-key">{_key(text)}</div></div>'
    )
    say_truncated(text)


def say_truncated(text: TokenizedText) -> None:
    """Say how many tokens did not fit, if any."""
    if text.truncated:
        note(
            "The text has {all} tokens; the model has positions for {room}. "
            "The last <b>{cut}</b> were left out.",
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
