"""The headline: the path of each marked word between two anchors, layer by layer."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import UNKNOWN
from bertviz_core.csv_files import Columns
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
    found: Compared, layer: int, bert: Bert, large: bool = False, drawn_at: int | None = None
) -> View:
    """Followed words as paths through the layers, over their similarity to two anchors."""
    names, axes = found.names, found.axes(layer)
    plane = [len(found.words) + axis for axis in axes] if len(axes) == 2 else []
    return View(
        _left_out(found, bert),
        what_leans(found, layer, axes),
        # The browser moves pictures that are `drawn_at` another layer.
        *_pictures(found, plane, layer if drawn_at is None else drawn_at, large=large),
        table(lambda: _columns(found, layer), name="similarity", fold="Table"),
        program(
            PATHS_PROGRAM,
            bert,
            words=[one.span for one in found.words],
            others=[one.span for one in found.everything],
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


def _columns(found: Compared, layer: int) -> Columns:
    """Every word with every other: first with the anchors."""
    count, every = len(found.words), found.everything
    columns: dict[str, Any] = {
        "sentence": [word.sentence for word in every],
        "word": [word.word for word in every],
        "pieces": [" ".join(word.tokens) for word in every],
    }
    for number in [*range(count, len(every)), *range(count)]:
        columns |= found.columns(f"to {found.names[number]}", np.s_[:, number, layer])
    return columns


def _pictures(found: Compared, plane: Sequence[int], layer: int, *, large: bool) -> list[Part]:
    """The plane of two anchors beside the matrix, then the curves; without a plane these first."""
    matrix = matrix_picture(found, layer)
    if not plane:
        return [curves_picture(found, layer, HEIGHT_LARGE if large else HEIGHT), matrix]
    paths = _plane(found, plane[0], plane[1], layer, large=large)
    return [beside(paths, matrix, widths=(5, 3)), curves_picture(found, layer)]


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
    return [
        f"{word} {at}: {first} {x:.2f}, {second} {y:.2f}"
        for at, (x, y) in enumerate(found.cosines[number, list(pair)].T.tolist())
    ]


PATHS_PROGRAM = '''
"""Words in their sentences, compared with others layer by layer."""

from sklearn.metrics.pairwise import cosine_similarity

words = ...  # of each its sentence, the first character of the word, one past its last
others = ...
pooling = ...  # "mean", "first", "last" or "max"
layers = ...
read, states, pool = ...
tokenizer, model = ...


def vectors(words: list[tuple[str, int, int]]) -> torch.Tensor:
    """The vector of each word at each layer: (words, layers, dimensions)."""
    found = []
    for word in words:
        ids, positions = read(tokenizer, *word)
        found.append(pool(states(model, ids)[:, positions], pooling))
    return torch.stack(found)


own, compared = vectors(words), vectors(others)
for layer in layers:
    for row in cosine_similarity(own[:, layer], compared[:, layer]):
        print(layer, *(f"{cosine:.4f}" for cosine in row))
'''
