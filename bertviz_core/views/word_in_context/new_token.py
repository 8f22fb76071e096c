"""A word in pieces becomes one new token: which row of the token table lets it behave."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.contextual import new_token as core
from bertviz_core.contextual.new_token import STARTS, NewToken
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
EXAMPLE = Comparison((str(IN_PIECES["s"]).partition("\n")[0],))  # of a word in pieces


@once
def _tried(encoder: Encoder, comparison: Comparison, number: int) -> NewToken:
    return core.new_token(encoder, compared(encoder, comparison, least=1).words[number])


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
    number = comparison.followed(target)
    followed = compared(encoder, comparison, least=1).words[number]
    is_single = len(followed.tokens) == 1
    shown, number = (EXAMPLE, 0) if is_single else (comparison, number)
    word = compared(encoder, shown, least=1).words[number]
    if len(word.tokens) == 1:
        raise UserInputError("This word is one token already. Mark a word that is in pieces.")
    tried = _tried(encoder, shown, number)
    panels = [Panel("the new token, to its pieces before", STARTS, tried.own)]
    if tried.others is not None:
        panels.append(Panel("other words of the sentence, to themselves", STARTS, tried.others))
    columns: dict[str, Any] = {"layer": range(tried.own.shape[1])}
    groups = {"": tried.own, "other words: ": tried.others, "of one piece: ": tried.ordinary}
    for what, curves in groups.items():
        columns |= (
            {} if curves is None else {what + name: curves[n] for n, name in enumerate(STARTS)}
        )
    single = "{single} is one token already. This is about {split}."
    ordinary = (
        "For comparison, words of one piece ({words}) with these rows: {at_random} (at random) and "
        "{of_all} (mean of all rows) to themselves."
    )
    return View(
        note(single, single=followed.word, split=word.word) if is_single else [],
        _best(word.word, len(word.tokens), tried, layer),
        picture(
            similarity_curves(panels, layer=layer, each=170),
            alt=f"Similarity of one token for {word.word} to what its pieces were, by layer: "
            + ends(dict(zip(STARTS, tried.own, strict=True))),
            name="new-token",
        ),
        []
        if tried.ordinary is None
        else caption(
            ordinary,
            words=joined(tried.words),
            at_random=rounded(float(tried.ordinary[0, layer])),
            of_all=rounded(float(tried.ordinary[1, layer])),
        ),
        table(columns, name="new-token", fold="Table"),
        program("another_row/new_token", encoder.bert, word=word.span, draws=core.DRAWS),
        made={"layer": layer},
    )


def _best(word: str, pieces: int, tried: NewToken, layer: int) -> Sentence:
    """Which row behaves best at a layer, and what it is to the other words."""
    own = tried.own[:, layer]
    order = np.argsort(-own, kind="stable").tolist()
    values: dict[str, Any] = {"word": word, "layer": layer, "pieces": pieces}
    for name, start in zip(("best", "second", "third"), order, strict=True):
        values |= {name: STARTS[start], f"{name}_cosine": rounded(float(own[start]))}
    is_clear = own[order[0]] - own[order[1]] >= LEAST
    text = (
        "One token for {word} behaves best with the <b>{best}</b>: at layer {layer} it has "
        if is_clear
        else "No row is clearly best for one token for {word}. At layer {layer}, the {best} has "
    )
    text += (
        "similarity <b>{best_cosine}</b> to its {pieces} pieces before ({second} "
        "{second_cosine}, {third} {third_cosine})."
    )
    if tried.others is not None:
        low, high = float(tried.others[:, layer].min()), float(tried.others[:, layer].max())
        calmest = STARTS[int(tried.others[:, layer].argmax())]
        values |= {"low": rounded(low), "high": rounded(high), "calmest": calmest}
        text += (
            " The other words stay most like themselves with the {calmest} ({high}; lowest {low})."
            if high - low >= LEAST
            else " To the other words it makes little difference ({low} to {high})."
        )
    return say(text, method="a-new-token", **values)
