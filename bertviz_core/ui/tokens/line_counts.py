"""Many lines at once: how long they are, how far words are split, how much stays unknown."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures.tokens.line_lengths import line_length_bars
from bertviz_core.snippets.tokens import lines_code
from bertviz_core.tokens.line_counts import LineCounts, count_lines
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui import inputs
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
        "Texts, one a line",
        EXAMPLE,
        key="lines",
        help="At most 5,000 characters; blank lines are left out.",
    )
    if not lines:
        raise UserInputError("Type or paste some lines; each is tokenized by itself.")
    counts = count_lines(bert, lines)
    _say(counts)
    if len(st.session_state.get("lines") or "") >= inputs.LONGEST:
        note(
            "The field holds {most} characters, and is full; what went beyond was left out.",
            most=f"{inputs.LONGEST:,}",
        )
    _draw(bert, lines, counts)
    _line_table(lines, counts)
    code(lambda: lines_code(bert, lines), name="lines")


def _say(counts: LineCounts) -> None:
    total = counts.total
    shortest, longest = int(counts.lengths.min()), int(counts.lengths.max())
    if not total.words:
        finding(
            "Not one of the lines has a word BERT can read ({lines} given).",
            lines=f"{len(counts):,}",
        )
        return
    finding(
        "<b>{lines}</b> {noun} of <b>{span}</b> tokens, {mean} on average: <b>{ratio}</b> pieces "
        "a word, and <b>{unknown}</b> of the {words} words and signs become [UNK].",
        lines=f"{len(counts):,}",
        noun="line" if len(counts) == 1 else "lines",
        span=f"{shortest:,}" if shortest == longest else f"{shortest:,} to {longest:,}",
        mean=f"{counts.lengths.mean():.1f}",
        ratio=f"{total.pieces_per_word:.2f}",
        unknown=f"{total.unknown / total.words:.1%}",
        words=f"{total.words:,}",
    )


def _draw(bert: Bert, lines: list[str], counts: LineCounts) -> None:
    shown = slice(0, MOST_DRAWN)
    most = int(np.argmax(counts.lengths))
    chart(
        line_length_bars(
            [without_lone_surrogates(line) for line in lines[shown]],
            counts.words[shown],
            (counts.pieces - counts.words)[shown],
            (counts.lengths - counts.pieces)[shown],
            room=bert.max_position_embeddings,
        ),
        alt=f"Tokens of {min(len(lines), MOST_DRAWN)} lines as bars; line {most + 1} of all "
        f"{len(lines)} is the longest with {counts.lengths[most]} tokens.",
        name="line-lengths",
    )
    if len(lines) > MOST_DRAWN:
        note(
            "The first {drawn} of {all} lines are drawn; all are in the table and in the numbers.",
            drawn=MOST_DRAWN,
            all=f"{len(lines):,}",
        )
    beyond = int((counts.cut > 0).sum())
    if beyond:
        note(
            "{count} {noun} more than {room} tokens; the model would see the first {room} only.",
            count=f"{beyond:,}",
            noun="line has" if beyond == 1 else "lines have",
            room=f"{bert.max_position_embeddings:,}",
        )


def _line_table(lines: list[str], counts: LineCounts) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "line": np.arange(1, len(lines) + 1),
            "text": [without_lone_surrogates(line) for line in lines],
            "characters": counts.characters,
            "tokens": counts.lengths,
            "words and signs": counts.words,
            "pieces": counts.pieces,
            "pieces a word": counts.pieces_per_word,
            "[UNK]": counts.unknown,
            "[UNK] rate": counts.unknown_rate,
            "tokens cut": counts.cut,
        }
    )
    table(frame, name="lines", height=min(38 + 35 * len(frame), 388))
