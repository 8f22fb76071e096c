"""Many lines at once: how long they are, how far words are split, how much stays unknown."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures.axes import named_rows, numbered, titled
from bertviz_core.figures.colors import MARK, MUTED, SENTENCES, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw, vertical_line
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Lines
from bertviz_core.views.parts import note, picture, program, say, table
from bertviz_core.views.tokens.pieces import unknown_id
from bertviz_core.views.view import Part, Sentence, View

MOST_DRAWN = 40
METHOD = "pieces-and-tokens"
EXAMPLE = """\
The cat sat on the mat.
I love my pet python
Sinan's awesomesauce is a tokenizer's nightmare.
Electroencephalography and immunohistochemistry
Ελλάδα, Україна and 日本
Good night 🌙 and sleep well💤"""


@view("many lines", page="Tokens", rank=50)
def many_lines(
    bert: Bert,
    texts: Annotated[
        str,
        Lines(
            "One text per line",
            about="many texts, one per line",
            help="At most 5,000 characters; blank lines are left out.",
        ),
    ] = EXAMPLE,
) -> View:
    """How many tokens lines become, how far their words are split, and how many stay unknown."""
    lines = [line.strip() for line in texts.splitlines() if line.strip()]
    if not lines:
        raise UserInputError("Type or paste some lines; each is tokenized by itself.")
    shown = [without_lone_surrogates(line) for line in lines]
    lengths, words, pieces, unknown = counts = _counts(bert, shown)
    room, longest = bert.max_position_embeddings, int(lengths.argmax())
    rates = np.full((2, len(lines)), np.nan)
    np.divide([pieces, unknown], words, out=rates, where=words > 0)
    return View(
        _finding(lengths, words, pieces, unknown),
        picture(
            line_length_bars(shown[:MOST_DRAWN], *counts[:3, :MOST_DRAWN], room=room),
            alt=f"Tokens of {min(len(lines), MOST_DRAWN)} lines as bars; line {longest + 1} of all "
            f"{len(lines)} is the longest with {lengths[longest]} tokens.",
            name="line-lengths",
        ),
        _left_out(lengths, room),
        table(
            {
                "line": np.arange(1, len(lines) + 1),
                "text": shown,
                "characters": [len(line) for line in lines],
                "tokens": lengths,
                "words": words,
                "pieces": pieces,
                "pieces per word": rates[0],
                "[UNK]": unknown,
                "[UNK] rate": rates[1],
                "tokens cut": np.maximum(lengths - room, 0),
            },
            name="lines",
        ),
        program("tokens/lines", bert, lines=lines),
    )


def _counts(bert: Bert, lines: Sequence[str]) -> Ids:
    """Tokens with [CLS] and [SEP], words, pieces and unknown pieces of each line: (4, n)."""
    around, unknown = bert.tokenizer.num_special_tokens_to_add(False), unknown_id(bert)
    found = [bert.tokenizer.encode(line, add_special_tokens=False) for line in lines]
    rows = [
        (len(one) + around, len(set(one.word_ids)), len(one), one.ids.count(unknown))
        for one in found
    ]
    return np.array(rows, dtype=np.int64).T


def _finding(lengths: Ids, words: Ids, pieces: Ids, unknown: Ids) -> Sentence:
    shortest, longest, total = int(lengths.min()), int(lengths.max()), int(words.sum())
    if not total:
        return say("No line has a word that BERT can read.", method=METHOD)
    return say(
        "<b>{lines:,}</b> {noun} of <b>{lengths}</b> tokens, {mean_length:.1f} on average: "
        "<b>{pieces_per_word:.2f}</b> pieces per word, and <b>{unknown_share:.1%}</b> of the "
        "{words:,} words become [UNK].",
        lines=len(lengths),
        noun="line" if len(lengths) == 1 else "lines",
        lengths=f"{shortest:,}" if shortest == longest else f"{shortest:,} to {longest:,}",
        mean_length=lengths.mean(),
        pieces_per_word=pieces.sum() / total,
        unknown_share=unknown.sum() / total,
        words=total,
        method=METHOD,
    )


def _left_out(lengths: Ids, room: int) -> list[Part]:
    parts, too_long = list[Part](), int((lengths > room).sum())
    if len(lengths) > MOST_DRAWN:
        drawn = "Drawn are the first {drawn} of {all:,} lines. The table has all."
        parts.append(note(drawn, drawn=MOST_DRAWN, all=len(lengths)))
    if too_long:
        parts.append(
            note(
                "{too_long:,} {noun} more than {room:,} tokens. The model would see only the "
                "first {room:,}.",
                too_long=too_long,
                noun="line has" if too_long == 1 else "lines have",
                room=room,
            )
        )
    return parts


def line_length_bars(
    lines: Sequence[str], lengths: Ids, words: Ids, pieces: Ids, *, room: int
) -> Figure:
    """The tokens of each line as a bar of three parts; `room` is marked where one comes near."""
    parts = (
        ("start a word", words, TOKEN),
        ("continue a word", pieces - words, SENTENCES[-1]),
        ("[CLS] and [SEP]", lengths - pieces, MUTED),
    )
    names = numbered(lines, first=1)
    hover = "%{customdata}<br>%{x} tokens "
    drawn = [
        bars(counts, hover + name, color, across=True, name=name, customdata=names)
        for name, counts, color in parts
    ]
    near = int(lengths.max()) > 0.8 * room
    sign = {"text": f"room for {room}", "x": room, "y": 1, "yref": "paper", "yanchor": "bottom"}
    return draw(
        drawn,
        height=22 * max(len(lines), 2) + 190,
        legend=True,
        barmode="stack",
        bargap=0.25,
        shapes=[vertical_line(room, MARK, 2, "dash")] if near else [],
        annotations=[sign] if near else [],
        xaxis=titled("tokens", zeroline=True, rangemode="tozero", tickformat=",d"),
        yaxis=named_rows(names),
    )
