"""Many lines at once: how long they are, how far words are split, how much stays unknown."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures.tokens import line_length_bars
from bertviz_core.tokens.line_counts import LineCounts, count_lines
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui import inputs
from bertviz_core.ui.address.following import LONGEST
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table

MOST_DRAWN = 40
EXAMPLE = """\
The cat sat on the mat.
I love my pet python
Sinan's awesomesauce is a tokenizer's nightmare.
Electroencephalography and immunohistochemistry
Ελλάδα, Україна and 日本
Good night 🌙 and sleep well💤"""


def many_lines(bert: Bert) -> None:
    """Ask for lines and show the counts of each."""
    lines = inputs.lines(
        "One text per line",
        EXAMPLE,
        key="texts",
        help="At most 5,000 characters; blank lines are left out.",
    )
    if not lines:
        raise UserInputError("Type or paste some lines; each is tokenized by itself.")
    counts = count_lines(bert, lines)
    _say(counts)
    if len(st.session_state.get("texts") or "") >= LONGEST:
        note(
            "The field is full: it holds {most} characters. What went beyond was left out.",
            most=f"{LONGEST:,}",
        )
    shown = [without_lone_surrogates(line) for line in lines]
    _draw(bert, shown, counts)
    table(
        {"line": np.arange(1, len(lines) + 1), "text": shown, **counts.columns()},
        name="lines",
    )
    code("tokens/lines", bert, lines=list(lines))


def _say(counts: LineCounts) -> None:
    total = counts.total
    shortest, longest = int(counts.lengths.min()), int(counts.lengths.max())
    if not total.words:
        finding(
            "None of the {lines} lines given has a word that BERT can read."
            if len(counts) > 1
            else "The line has no word that BERT can read.",
            lines=f"{len(counts):,}",
            method="pieces-and-tokens",
        )
        return
    finding(
        "<b>{lines}</b> {noun} of <b>{lengths}</b> tokens, {mean_length} on average: "
        "<b>{pieces_per_word}</b> pieces per word, and <b>{unknown_share}</b> of the {words} "
        "words become [UNK].",
        lines=f"{len(counts):,}",
        noun="line" if len(counts) == 1 else "lines",
        lengths=f"{shortest:,}" if shortest == longest else f"{shortest:,} to {longest:,}",
        mean_length=f"{counts.lengths.mean():.1f}",
        pieces_per_word=f"{total.pieces_per_word:.2f}",
        unknown_share=f"{total.unknown / total.words:.1%}",
        words=f"{total.words:,}",
        method="pieces-and-tokens",
    )


def _draw(bert: Bert, lines: list[str], counts: LineCounts) -> None:
    drawn = slice(0, MOST_DRAWN)
    longest = int(np.argmax(counts.lengths))
    chart(
        line_length_bars(
            lines[drawn],
            counts.words[drawn],
            (counts.pieces - counts.words)[drawn],
            (counts.lengths - counts.pieces)[drawn],
            room=bert.max_position_embeddings,
        ),
        alt=f"Tokens of {min(len(lines), MOST_DRAWN)} lines as bars; line {longest + 1} of all "
        f"{len(lines)} is the longest with {counts.lengths[longest]} tokens.",
        name="line-lengths",
    )
    if len(lines) > MOST_DRAWN:
        note(
            "The first {drawn} of {all} lines are drawn; all are in the table and in the numbers.",
            drawn=MOST_DRAWN,
            all=f"{len(lines):,}",
        )
    too_long = int((counts.cut > 0).sum())
    if too_long:
        note(
            "{too_long} {noun} more than {room} tokens; the model would see the first {room} only.",
            too_long=f"{too_long:,}",
            noun="line has" if too_long == 1 else "lines have",
            room=f"{bert.max_position_embeddings:,}",
        )
