"""A word in pieces becomes one new token: which row of the token table lets it behave."""

from typing import Annotated, NamedTuple

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual import another_row as core
from bertviz_core.contextual.another_row import STARTS, NewToken
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.similarity import Panel, similarity_curves
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_in_context.pieces import IN_PIECES
from bertviz_core.views.word_in_context.similarities import ends
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Comparison, compared

LEAST = 0.05  # a smaller difference of cosines is not called one
EXAMPLE = str(IN_PIECES["s"]).partition("\n")[0]


class Tried(NamedTuple):
    """A new token with each row, and other words of its sentence, given the same rows."""

    found: NewToken
    ordinary: Array | None  # float32 (3, layers + 1), mean of words of one piece; None without any
    words: list[str]  # these words


@once
def _tried(encoder: Encoder, comparison: Comparison, number: int) -> Tried:
    rows, word = (
        core.rows_for_all(encoder.bert),
        compared(encoder, comparison, least=1).words[number],
    )
    words = core.ordinary_words(encoder, word)
    own = [core.new_token(encoder, one, rows).own for one in words]
    return Tried(
        core.new_token(encoder, word, rows),
        np.mean(own, axis=0, dtype=np.float32) if own else None,
        [one.word for one in words],
    )


def _in_pieces(encoder: Encoder, comparison: Comparison, target: str) -> tuple[Comparison, int]:
    """The followed word if it is in pieces, else another of the page, else an example."""
    followed = comparison.followed(target)
    for tried, first in ((comparison, followed), (Comparison((EXAMPLE,)), 0)):
        words = compared(encoder, tried, least=1).words
        for number in (first, *range(len(words))):
            if len(words[number].tokens) > 1:
                return tried, number
    raise UserInputError("Every word here is one token. Mark a word that is in pieces.")


@view(
    "a new token: which row?",
    page=PAGE,
    rank=23,
    doing="Running the sentence with rows for a new token …",
)
def new_token(
    encoder: Encoder, comparison: Comparison, layer: int, target: Annotated[str, TARGET] = ""
) -> View:
    """A word in pieces becomes one token: its row at random, the mean of all, or of its pieces."""
    shown, number = _in_pieces(encoder, comparison, target)
    word, tried = compared(encoder, shown, least=1).words[number], _tried(encoder, shown, number)
    own, others = tried.found
    panels = [Panel("the new token, to the mean of its pieces before", STARTS, own)]
    columns = {"layer": range(own.shape[1])}
    measured = {"": own, "other words: ": others, "words of one piece: ": tried.ordinary}
    for what, curves in measured.items():
        if curves is not None:
            columns |= {what + start: curve for start, curve in zip(STARTS, curves, strict=True)}
    if others is not None:
        panels.append(Panel("other words of the sentence, to themselves before", STARTS, others))
    followed = compared(encoder, comparison, least=1).words[comparison.followed(target)]
    return View(
        note(
            "{single} is one token already; this is about {split}.",
            single=followed.word,
            split=word.word,
        )
        if len(followed.tokens) == 1
        else [],
        _finding(word, tried, layer),
        picture(
            similarity_curves(panels, layer=layer, each=170),
            alt=f"Similarity of one token for {word.word} to what its pieces were, by layer: "
            + ends(dict(zip(STARTS, own, strict=True))),
            name="new-token",
        ),
        caption(
            "For comparison, words of one piece with the same rows ({ordinary}) have similarity "
            "{ordinary_random} (at random) and {ordinary_mean} (mean of all rows) to themselves.",
            ordinary=joined(tried.words),
            ordinary_random=rounded(float(tried.ordinary[0, layer])),
            ordinary_mean=rounded(float(tried.ordinary[1, layer])),
        )
        if tried.ordinary is not None
        else [],
        table(columns, name="new-token", fold="Table"),
        program("another_row/new_token", encoder.bert, word=word.span, draws=core.DRAWS),
        made={"layer": layer},
    )


def _finding(word: WordInContext, tried: Tried, layer: int) -> Sentence:
    """Which row behaves best at a layer, and what the other words make of it."""
    own, others = tried.found.own[:, layer], tried.found.others
    order = np.argsort(-own, kind="stable").tolist()
    values = {"word": word.word, "layer": layer, "pieces": len(word.tokens)}
    for name, start in zip(("best", "second", "third"), order, strict=True):
        values |= {name: STARTS[start], f"{name}_cosine": rounded(float(own[start]))}
    clear = own[order[0]] - own[order[1]] >= LEAST
    text = (
        "One token for {word} behaves best with the <b>{best}</b>: "
        if clear
        else "No row is clearly best for one token for {word}: with the <b>{best}</b> "
    ) + (
        "at layer {layer} it has similarity <b>{best_cosine}</b> to its {pieces} pieces before "
        "({second}: {second_cosine}; {third}: {third_cosine})."
    )
    if others is not None:
        low, high = float(others[:, layer].min()), float(others[:, layer].max())
        values |= {"low": rounded(low), "high": rounded(high)}
        values["calmest"] = STARTS[int(others[:, layer].argmax())]
        text += (
            " The other words stay most like themselves with the {calmest} ({high}, else down to "
            "{low})."
            if high - low >= LEAST
            else " To the other words it makes little difference ({low} to {high})."
        )
    return say(text, method="a-new-token", **values)
