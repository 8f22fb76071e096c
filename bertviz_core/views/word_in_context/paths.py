"""The headline: the path of each marked word between two anchors, layer by layer."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import rounded
from bertviz_core.calibration.scales import LEAST_WORDS
from bertviz_core.checkpoints.vocabulary import UNKNOWN
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, note, picture, program, table, truncated
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, Picture, View
from bertviz_core.views.word_in_context.finding import what_leans
from bertviz_core.views.word_in_context.plane import HEIGHT, HEIGHT_LARGE, anchor_plane
from bertviz_core.views.word_in_context.similarities import curves_picture, matrix_picture
from bertviz_core.views.word_in_context.words import MAX_WORDS, PAGE, Compared

MOST_IN_PIECES = 0.5  # of the words; with more the model knows little of the language


@view("paths between anchors", page=PAGE, rank=0)
def paths(
    found: Compared, layer: int, bert: Bert, large: bool = False, drawn: int | None = None
) -> View:
    """Followed words as paths through the layers, over their similarity to two anchors."""
    count, names, axes = len(found.words), found.names, found.axes(layer)
    plane = [count + axis for axis in axes] if len(axes) == 2 else []
    return View(
        _left_out(found, bert),
        what_leans(found, layer, axes),
        # The browser moves pictures that are `drawn` at another layer.
        *_pictures(found, plane, layer if drawn is None else drawn, large=large),
        table(
            lambda: (
                {
                    "sentence": [found.sentence(number, 5_000) for number in range(count)],
                    "word": [word.word for word in found.words],
                    "pieces": [" ".join(word.tokens) for word in found.words],
                }
                | {
                    title: column
                    for number, name in enumerate(names[count:], start=count)
                    for title, column in found.columns(
                        f"to {name}", np.s_[:count, number, layer]
                    ).items()
                }
            ),
            name="similarity",
            fold="Table",
        ),
        _without_percentile(found),
        program(
            "contextual/similarity",
            bert,
            words=[one.span for one in found.words],
            others=[one.span for one in found.anchors],
            pooling=found.comparison.pooling,
            layers=list(range(found.cosines.shape[-1])),
            name="context",
            arrays=lambda: {
                "word": names,
                "sentence": [word.sentence for word in found.everything],
                "vectors": np.stack([word.vectors for word in found.everything]),
                "cosines": found.cosines,
                "layer": np.arange(found.cosines.shape[-1]),
            },
        ),
        made=found.made(layer),
    )


def _pictures(found: Compared, plane: Sequence[int], layer: int, *, large: bool) -> list[Part]:
    """The plane of two anchors, beside it the matrix; of another number of anchors the curves."""
    if not plane:
        return [curves_picture(found, layer, HEIGHT_LARGE if large else HEIGHT)]
    drawn = _plane(found, plane[0], plane[1], layer, large=large)
    return [beside(drawn, matrix_picture(found, layer), widths=(5, 3))]


def _left_out(found: Compared, bert: Bert) -> list[Part]:
    parts: list[Part] = []
    if (given := len(found.comparison.marks)) > MAX_WORDS:
        cut = "{given} marked words were given; the first {most} are compared."
        parts.append(note(cut, given=given, most=MAX_WORDS))
    texts = {word.sentence: word.text for word in found.words}.values()
    for text in texts:
        parts += truncated(text)
    if unknown := dict.fromkeys(one.word for one in found.everything if UNKNOWN in one.tokens):
        parts.append(
            note(
                "Not in the vocabulary: {unknown}. BERT reads such a word as [UNK], so its "
                "similarities say nothing about it.",
                unknown=joined(unknown),
            )
        )
    pieces = Counter((i, word) for i, text in enumerate(texts) for word in text.word_ids)
    split = [count > 1 for (_, word), count in pieces.items() if word is not None]
    if sum(split) > MOST_IN_PIECES * len(split):
        parts.append(
            note(
                "Most of these words are cut into pieces: {model} has hardly read this language, "
                "and its numbers say little here.",
                model=bert.name,
            )
        )
    return parts


def _plane(found: Compared, across: int, up: int, layer: int, *, large: bool) -> Picture:
    count, names = len(found.words), found.names
    cosines = np.stack([found.cosines[:count, i] for i in (across, up)], axis=-1)
    start, now = cosines[:, 0], cosines[:, layer]
    leans = np.stack([found.leans[:, i - count] for i in (across, up)], axis=-1)
    return picture(
        anchor_plane(
            cosines,
            [found.excerpt(i, 24) for i in range(count)],
            (names[across], names[up]),
            [_pointed(found, number, (across, up)) for number in range(count)],
            layer=layer,
            large=large,
            middle=(cosines - leans).mean(axis=0),
        ),
        alt=f"Words ({count}) as paths over their similarity to {names[across]} and to "
        f"{names[up]}, from layer 0 to {cosines.shape[1] - 1}. At layer {layer}: "
        + "; ".join(
            f"{names[i]} {x:.2f} and {y:.2f}, at the input {start[i, 0]:.2f} and {start[i, 1]:.2f}"
            for i, (x, y) in enumerate(now)
        )
        + ".",
        name="plane",
    )


def _pointed(found: Compared, number: int, pair: tuple[int, int]) -> list[str]:
    """What the pointer says of a word at each layer of the plane."""
    first, second = (found.names[i] for i in pair)
    word = f"{found.words[number].word} ({found.sentence(number, 48)}), layer"
    texts = [
        f"{word} {at}: {first} {x:.2f}, {second} {y:.2f}"
        for at, (x, y) in enumerate(found.cosines[number, list(pair)].T.tolist())
    ]
    if found.percentiles is None:
        return texts
    both = rounded(found.percentiles[number, list(pair)].T).tolist()
    return [
        text
        if x != x and y != y
        else f"{text}\npercentiles " + " and ".join("none" if z != z else f"{z:g}" for z in (x, y))
        for text, (x, y) in zip(texts, both, strict=True)
    ]


def _without_percentile(found: Compared) -> list[Part]:
    """Say which words have pairs without a percentile, and why."""
    if found.percentiles is None:
        return []
    alone = np.array([word.alone for word in found.everything])
    missing = np.isnan(found.percentiles[..., 0]) & ~np.outer(alone, alone)
    few = np.flatnonzero((missing & ~np.eye(len(alone), dtype=bool)).any(axis=1))
    if not few.size:
        return []
    return [
        note(
            "No percentile for some pairs of {words}: the measured sentences have fewer than "
            "{least} words with that number of pieces.",
            words=joined(found.names[i] for i in few),
            least=LEAST_WORDS,
        )
    ]
