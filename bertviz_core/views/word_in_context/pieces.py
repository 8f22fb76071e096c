"""How alike a word is to itself, what its pieces and the pooling do, and one token for them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.calibration import Scales
from bertviz_core.contextual import new_token as core
from bertviz_core.contextual.new_token import STARTS, NewToken
from bertviz_core.contextual.words import (
    compare_poolings,
    piece_similarity,
    self_similarity,
)
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.axes import label, named_rows, titled
from bertviz_core.figures.colors import MUTED, SENTENCES
from bertviz_core.figures.drawing import Figure, draw, marks
from bertviz_core.figures.similarity import Panel, similarity_curves
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, heading, note, picture, program, say, table
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import Part, Sentence, View
from bertviz_core.views.word_in_context.similarities import ends
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared, Comparison, compared

MOST_DRAWN = 16
EACH = 240  # pixels: height of a chart of curves
IN_PIECES: Mapping[str, str | int] = {  # an example that the page offers
    "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
    "anchors": "ketchup, great",
    "section": "pieces and pooling",
}
LEAST = 0.05  # a smaller difference of cosines is not called one
EXAMPLE = Comparison((str(IN_PIECES["s"]).partition("\n")[0],))  # of a word in pieces


@view("pieces and pooling", page=PAGE, rank=50, doing="Comparing the pieces …")
def pieces(
    encoder: Encoder, comparison: Comparison, layer: int, scales: Scales | None = None
) -> View:
    """How alike a word is to itself, its pieces are to each other, and what pooling changes."""
    found = compared(encoder, comparison, scales)
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(found.words):
        groups.setdefault(word.word.casefold(), []).append(number)
    groups = {name: numbers for name, numbers in groups.items() if len(numbers) > 1}
    return View(
        heading("A word with itself"),
        _self_similarity(found, groups, layer),
        _inside(found, layer),
        _poolings(found, layer),
        program(
            "contextual/pieces",
            encoder.bert,
            words=[one.span for one in found.everything],
            pairs=found.pairs,
            same=list(groups.values()),
            pooling=comparison.pooling,
            layer=layer,
        ),
        made=comparison.made(layer),
    )


def _self_similarity(found: Compared, groups: dict[str, list[int]], layer: int) -> list[Part]:
    if not groups:
        return [note("To compare a word with itself, mark it in two sentences.")]
    curves = {name: self_similarity([found.words[i] for i in of]) for name, of in groups.items()}
    name, curve = next(iter(curves.items()))
    # Words that look the same have equally many pieces, and so one scale.
    first, second, *_ = groups[name]
    scale = found.scale(first, second)
    drawn = curves if scale is None else curves | {"other pairs, mean": scale.anisotropy}
    return [
        say(
            "At layer {layer}, the {count} occurrences of <b>{word}</b> have mean similarity "
            "<b>{cosine}</b> to each other ({start} at the input).",
            count=len(groups[name]),
            word=name,
            cosine=rounded(float(curve[layer])),
            layer=layer,
            start=rounded(float(curve[0])),
            method="percentile-scales",
        ),
        *_curves("self-similarity", "similarity of a word with itself", drawn, layer),
        caption(
            "This is the mean over all pairs of occurrences (self-similarity, Ethayarajh 2019). "
            "Few sentences give a rough number."
            + ("" if scale is None else f" Other pairs: {scale.kind}.")
        ),
    ]


def _inside(found: Compared, layer: int) -> list[Part]:
    split = {
        name: word
        for name, word in zip(found.names, found.everything, strict=True)
        if len(word.tokens) > 1
    }
    if not split:
        return [
            caption(
                "Every word here is one piece. Mark a word of several pieces to see how its "
                "pieces agree and what pooling changes."
            ),
        ]
    curves = {name: piece_similarity(word) for name, word in split.items()}
    name = min(curves, key=lambda name: float(curves[name][layer]))
    return [
        heading("The pieces of one word"),
        say(
            "At layer {layer}, the pieces of <b>{split}</b> ({pieces}) have mean similarity "
            "<b>{inside}</b> to each other ({inside_start} at the input).",
            method="pieces-and-poolings",
            layer=layer,
            split=name,
            pieces=" ".join(split[name].tokens),
            inside=rounded(float(curves[name][layer])),
            inside_start=rounded(float(curves[name][0])),
        ),
        *_curves("pieces", "similarity of the pieces of one word", curves, layer),
    ]


def _curves(name: str, title: str, curves: Mapping[str, Array], layer: int) -> list[Part]:
    panel = Panel(title, list(curves), np.stack(list(curves.values())))
    return [
        picture(
            similarity_curves([panel], layer=layer, each=EACH),
            alt=f"The mean {title}, a cosine, by layer: " + ends(curves),
            name=name,
        ),
        table({"layer": range(panel.curves.shape[1]), **curves}, name=name, fold="Table"),
    ]


def _poolings(found: Compared, layer: int) -> list[Part]:
    everything, names = found.everything, found.pair_names
    similarities = compare_poolings([(everything[i], everything[j]) for i, j in found.pairs])
    if not np.ptp(similarities, axis=0).any():
        return []  # all words are one piece: the four poolings give the same vectors
    cosines = similarities[:, layer]
    spread = np.ptp(cosines, axis=0)
    widest = int(np.argmax(spread))
    lowest, highest = int(cosines[:, widest].argmin()), int(cosines[:, widest].argmax())
    drawn = np.argsort(-spread, kind="stable")[:MOST_DRAWN]
    columns, cut = {"pair": names}, "Drawn are the {most} of {all} pairs with the widest spread."
    for pooling, row in zip(POOLINGS, cosines, strict=True):
        columns |= found.pair_columns(pooling, row, layer, pooling)
    return [
        heading("Mean, first, last or max"),
        say(
            "At layer {layer}, pooling matters most for <b>{pair}</b>: {low} by {lowest}, {high} "
            "by {highest}, a spread of <b>{spread}</b>.",
            method="pieces-and-poolings",
            layer=layer,
            pair=names[widest],
            low=rounded(float(cosines[lowest, widest])),
            lowest=POOLINGS[lowest],
            high=rounded(float(cosines[highest, widest])),
            highest=POOLINGS[highest],
            spread=rounded(float(spread[widest])),
        ),
        *([note(cut, all=len(names), most=MOST_DRAWN)] if len(names) > MOST_DRAWN else []),
        picture(
            _dots(cosines[:, drawn], [names[i] for i in drawn]),
            alt=f"Similarity of {len(drawn)} pairs at layer {layer} under the poolings "
            f"{joined(POOLINGS)}; the widest spread is {spread[widest]:.3f}, for {names[widest]}.",
            name="poolings",
        ),
        table(columns | {"spread": spread}, name="poolings", fold="Table"),
    ]


def _dots(similarities: Array, names: Sequence[str]) -> Figure:
    """One row a pair of words, with a mark for each pooling; a grey line spans the marks."""
    rows, shown = np.arange(len(names)), [label(name, 34) for name in names]
    ends = np.stack([similarities.min(axis=0), similarities.max(axis=0)], axis=1)
    lines = {
        "type": "scatter",
        "mode": "lines",
        # A gap after each pair of ends keeps the lines of two rows apart.
        "x": np.insert(ends.astype(np.float64), 2, np.nan, axis=1).ravel(),
        "y": np.repeat(rows, 3),
        "line": {"color": MUTED, "width": 2},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    symbols = ("circle", "triangle-left", "triangle-right", "diamond")
    dots = [
        marks(
            values,
            rows,
            {"color": SENTENCES[number], "symbol": symbols[number], "size": 11},
            f"{pooling}<br>%{{customdata}}<br>%{{x:.3f}}",
            name=pooling,
            customdata=shown,
        )
        for number, (pooling, values) in enumerate(zip(POOLINGS, similarities, strict=True))
    ]
    return draw(
        [lines, *dots],
        height=28 * len(names) + 170,
        legend=True,
        xaxis=titled("cosine similarity", tickformat=".2f"),
        yaxis=named_rows(shown, showgrid=True),
    )


@once
def _tried(encoder: Encoder, comparison: Comparison, number: int) -> NewToken:
    return core.new_token(encoder, compared(encoder, comparison, least=1).words[number])


@view("a new token: which row?", page=PAGE, rank=23, doing="Running the token with new rows …")
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
    curves = {
        "new-token": ("similarity of the new token to what its pieces were", tried.own),
        "other-words": ("similarity of the other words to themselves", tried.others),
    }
    parts: list[Part] = [_best(word.word, len(word.tokens), tried, layer)]
    for name, (title, rows) in curves.items():
        if rows is not None:
            parts += _curves(name, title, dict(zip(STARTS, rows, strict=True)), layer)
    if is_single:
        single = "{single} is one token already. This is about {split}."
        parts.insert(0, note(single, single=followed.word, split=word.word))
    if tried.ordinary is not None:
        ordinary = (
            "For comparison: words of one piece ({words}) that get such rows have similarity "
            "{at_random} (at random) and {of_all} (mean of all rows) to themselves."
        )
        at_random, of_all, _ = map(rounded, tried.ordinary[:, layer].tolist())
        parts.append(
            caption(ordinary, words=joined(tried.words), at_random=at_random, of_all=of_all)
        )
    printed = program("contextual/new_token", encoder.bert, word=word.span, draws=core.DRAWS)
    return View(parts, printed, made={"layer": layer})


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
