"""A word in pieces: how alike they are, what their pooling does, and one token for them."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual import new_token as core
from bertviz_core.contextual.new_token import STARTS, NewToken
from bertviz_core.contextual.words import compare_poolings, piece_similarity, self_similarity
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.similarity import Panel, similarity_curves
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Part, Sentence, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared

IN_PIECES: Mapping[str, str | int] = {  # an example that the page offers
    "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
    "anchors": "ketchup, great",
    "section": "pieces and pooling",
}
LEAST = 0.05  # a smaller difference of cosines is not called one


@view(
    "pieces and pooling",
    page=PAGE,
    rank=50,
    when=lambda found: any(len(word.tokens) > 1 for word in found.everything),
)
def pieces(found: Compared, layer: int, bert: Bert) -> View:
    """How alike the pieces of a word are, and what changes with the way of pooling them."""
    everything, names = found.everything, found.pair_names
    split = {
        name: piece_similarity(word)
        for name, word in zip(found.names, everything, strict=True)
        if len(word.tokens) > 1
    }
    if not split:
        raise UserInputError("Every word here is one piece. Mark a word of several pieces.")
    name = min(split, key=lambda name: float(split[name][layer]))
    word = everything[found.names.index(name)]
    panels = [
        Panel("similarity of the pieces of one word", list(split), np.stack([*split.values()]))
    ]
    same = [group for group in found.comparison.groups if len(group) > 1]
    itself = {found.words[of[0]].word: self_similarity([found.words[i] for i in of]) for of in same}
    if itself:
        title = "similarity of a word with itself, in other sentences"
        panels.append(Panel(title, list(itself), np.stack([*itself.values()])))
    cosines = compare_poolings([(everything[i], everything[j]) for i, j in found.pairs])[:, layer]
    spread = np.ptp(cosines, axis=0)
    widest, columns = int(np.argmax(spread)), {"pair": names}
    lowest, highest = int(cosines[:, widest].argmin()), int(cosines[:, widest].argmax())
    for pooling, row in zip(POOLINGS, cosines, strict=True):
        columns |= found.pair_columns(pooling, row, layer, pooling)
    return View(
        say(
            "At layer {layer}, the pieces of <b>{split}</b> ({pieces}) have mean similarity "
            "<b>{inside}</b> to each other ({inside_start} at the input).<br>Pooling matters most "
            "for <b>{pair}</b>: {low} by {lowest}, {high} by {highest}, a spread of "
            "<b>{spread}</b>.",
            method="pieces-and-poolings",
            layer=layer,
            split=name,
            pieces=" ".join(word.tokens),
            inside=rounded(float(split[name][layer])),
            inside_start=rounded(float(split[name][0])),
            pair=names[widest],
            low=rounded(float(cosines[lowest, widest])),
            lowest=POOLINGS[lowest],
            high=rounded(float(cosines[highest, widest])),
            highest=POOLINGS[highest],
            spread=rounded(float(spread[widest])),
        ),
        *_curves("pieces", panels, layer),
        table(columns | {"spread": spread}, name="poolings", fold="Poolings as table"),
        program(
            "contextual/pieces",
            bert,
            words=[one.span for one in everything],
            pairs=found.pairs,
            same=same,
            pooling=found.comparison.pooling,
            layer=layer,
        ),
        made=found.made(layer),
    )


def _curves(name: str, panels: list[Panel], layer: int) -> list[Part]:
    """One picture of some curves, and their table."""
    columns: dict[str, Any] = {"layer": range(panels[0].curves.shape[1])}
    for panel in panels:
        for title, curve in zip(panel.names, panel.curves, strict=True):
            columns[title if title not in columns else f"{title}, {panel.title}"] = curve
    said = "; ".join(
        f"{panel.title}, {title}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
        for panel in panels
        for title, curve in zip(panel.names, panel.curves, strict=True)
    )
    figure = similarity_curves(panels, layer=layer, each=240 // len(panels) + 60)
    return [
        picture(figure, alt=f"Cosines by layer. {said}.", name=name),
        table(columns, name=name, fold="Table"),
    ]


@once
def _tried(encoder: Encoder, found: Compared, number: int) -> NewToken:
    return core.new_token(encoder, found.words[number])


@view(
    "a new token: which row?",
    page=PAGE,
    rank=23,
    doing="Running the token with new rows …",
    when=lambda found: any(len(word.tokens) > 1 for word in found.words),
)
def new_token(
    encoder: Encoder, found: Compared, layer: int, target: Annotated[str, TARGET] = ""
) -> View:
    """A word in pieces becomes one token: its row at random, the mean of all, or of its pieces."""
    split = [number for number, word in enumerate(found.words) if len(word.tokens) > 1]
    if not split:
        raise UserInputError("Each of these words is one token. Mark a word that is in pieces.")
    number = found.followed(target)
    number = number if number in split else split[0]
    word = found.words[number]
    tried = _tried(encoder, found, number)
    panels = [Panel("similarity of the new token to what its pieces were", STARTS, tried.own)]
    if tried.others is not None:
        panels.append(Panel("similarity of the other words to themselves", STARTS, tried.others))
    return View(
        _best(word.word, len(word.tokens), tried, layer),
        _curves("new-token", panels, layer),
        program("contextual/new_token", encoder.bert, word=word.span, draws=core.DRAWS),
        made={"layer": layer},
    )


def _best(word: str, pieces: int, tried: NewToken, layer: int) -> Sentence:
    """Which row behaves best at a layer, and what it is to the other words."""
    own = tried.own[:, layer]
    order = np.argsort(-own, kind="stable").tolist()
    values: dict[str, Any] = {"word": word, "layer": layer, "pieces": pieces}
    for name, start in zip(("best", "second", "third"), order, strict=True):
        values |= {name: STARTS[start], f"{name}_cosine": rounded(float(own[start]))}
    if own[order[0]] - own[order[1]] >= LEAST:
        text = "One new token for {word} does best with the <b>{best}</b>: at layer {layer} it has "
    else:
        text = "No row is clearly best for a new token for {word}. At layer {layer}, {best} has "
    text += (
        "similarity <b>{best_cosine}</b> to what its {pieces} pieces were ({second} "
        "{second_cosine}, {third} {third_cosine})."
    )
    if tried.others is not None:
        low, high = float(tried.others[:, layer].min()), float(tried.others[:, layer].max())
        calmest = STARTS[int(tried.others[:, layer].argmax())]
        values |= {"low": rounded(low), "high": rounded(high), "calmest": calmest}
        if high - low >= LEAST:
            text += " The other words stay most alike with the {calmest} ({high}; lowest {low})."
        else:
            text += " For the other words it makes little difference ({low} to {high})."
    return say(text, method="with-another-row", **values)
