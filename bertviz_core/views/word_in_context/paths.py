"""The headline: the path of each word between two anchors, and which of them it leans to."""

from collections import Counter
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.leans import most_apart
from bertviz_core.figures.axes import label, named, named_rows
from bertviz_core.figures.colors import MUTED, SENTENCE_COLORS, SIMILARITY
from bertviz_core.figures.drawing import draw, heatmap
from bertviz_core.figures.paths import HEIGHT, Path, anchor_plane, layer_frames
from bertviz_core.saved_files import Columns
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, note, picture, program, rounded, say, table
from bertviz_core.views.view import Part, Picture, Sentence, View
from bertviz_core.views.word_in_context.comparison import MAX_WORDS, Comparison, not_read

METHOD = "sentences-compared-with-each-other"
LEADER = "chart_plane"  # in `meta` of the charts that follow the plane; see frames.js
MAX_IN_PIECES = 0.5  # of the words; with more the model knows little of the language
MAX_WITH_NUMBERS = 12  # words whose cosines are printed in the cells of the matrix
# What the headline says, by case.
FINDINGS = {
    "apart": "<b>{word}</b> leans to <b>{anchor_1}</b> in <i>{sentence_1}</i> and to "
    "<b>{anchor_2}</b> in <i>{sentence_2}</i>.",
    "too close": "Too close to tell: between <b>{anchor_1}</b> and <b>{anchor_2}</b>, sentences in "
    "which a word means the same differ as much.",
    "no noun": "No noun tells these uses of <b>{word}</b> apart well. Name two words of your own.",
    "one sentence": "This sentence changes the similarity of <b>{word}</b> to <b>{anchor_1}</b> by "
    "<b>{lean_1}</b> and to <b>{anchor_2}</b> by <b>{lean_2}</b>, on average over the layers, "
    "compared with the word by itself. Type another sentence to compare it with: that tells more.",
}


@view("paths between anchors", page="Word in Context", rank=0)
def paths(found: Comparison, layer: int, bert: Bert, drawn_at: int | None = None) -> View:
    """Followed words as paths through the layers, over their similarity to two anchors."""
    drawn_at = layer if drawn_at is None else drawn_at  # the browser moves the pictures from there
    return View(
        _left_out(found, bert),
        what_leans(found),
        beside(_plane(found, drawn_at), _matrix(found, drawn_at), widths=(5, 3)),
        table(lambda: _leans(found, layer), name="leans"),
        table(lambda: _by_layer(found), name="similarity", fold="Similarity by layer"),
        program(
            PATHS_PROGRAM,
            bert,
            words=[one.span for one in found.words],
            others=[one.span for one in found.everything],
            pooling=found.request.pooling,
            layers=list(range(found.cosines.shape[-1])),
            name="context",
            arrays=lambda: {
                "word": found.names,
                "sentence": [word.sentence for word in found.everything],
                "vectors": np.stack([word.vectors for word in found.everything]),
                "cosines": found.cosines,
                "layer": np.arange(found.cosines.shape[-1]),
            },
        ),
        made=found.made(layer),
    )


def what_leans(found: Comparison) -> Sentence:
    """Say what the first word leans to in its sentences, over all layers."""
    group = found.groups[0]
    leans = found.on_average(group)
    if len(group) == 1:
        best = int(leans[0].argmax())
        case, (i, j), (a, b) = "one sentence", (0, 0), (best, 1 - best)
    else:
        (i, j), (a, b) = most_apart(leans)
        unclear = "too close" if len(found.request.anchors) > 1 else "no noun"
        case = "apart" if found.told_apart(group) else unclear
    values: dict[str, object] = {"case": case, "word": found.words[group[0]].word}
    for number, anchor, word in zip((1, 2), (a, b), (i, j), strict=True):
        values[f"anchor_{number}"] = found.anchors[found.axes[anchor]].word
        values[f"sentence_{number}"] = found.sentence(group[word], 24)
        values[f"lean_{number}"] = rounded(round(float(leans[word, anchor]), 2) + 0.0, sign="+")
    return say(FINDINGS[case], method=METHOD, **values)


def _leans(found: Comparison, layer: int) -> Columns:
    """A row for each word: what it leans to over all layers, and all its cosines at a layer."""
    count, leaning = len(found.words), found.leaning()
    columns: dict[str, Any] = {
        "word": found.names[:count],
        "sentence": [word.sentence for word in found.words],
        "pieces": [" ".join(word.tokens) for word in found.words],
        "leans to": [anchor for anchor, _ in leaning],
        "by": np.array([by for _, by in leaning], np.float32),
    }
    for number in [*range(count, len(found.names)), *range(count)]:
        columns[f"to {found.names[number]}"] = found.cosines[:count, number, layer]
    return columns


def _by_layer(found: Comparison) -> Columns:
    """A row for each layer, a column for each pair of a word and another word or anchor."""
    pairs = zip(*np.triu_indices(len(found.words), 1, len(found.names)), strict=True)
    columns = {f"{found.names[i]} to {found.names[j]}": found.cosines[i, j] for i, j in pairs}
    return {"layer": range(found.cosines.shape[-1]), **columns}


def _left_out(found: Comparison, bert: Bert) -> list[Part]:
    parts: list[Part] = []
    if (given := len(found.request.marks)) > MAX_WORDS:
        cut = "{given} marked words were given; the first {most} are compared."
        parts.append(note(cut, given=given, most=MAX_WORDS))
    texts = {word.sentence: word.text for word in found.everything}
    parts += not_read(texts.items())
    pieces = Counter((i, word) for i, text in enumerate(texts.values()) for word in text.word_ids)
    split = [count > 1 for (_, word), count in pieces.items() if word is not None]
    if sum(split) > MAX_IN_PIECES * len(split):
        parts.append(
            note(
                "Most of these words are cut into pieces: {model} has hardly read this language, "
                "and its numbers say little here.",
                model=bert.name,
            )
        )
    return parts


def _plane(found: Comparison, layer: int) -> Picture:
    """The words as paths over their similarity to two anchors."""
    cosines, count = found.to_axes, len(found.words)
    across, up = (found.anchors[axis].word for axis in found.axes)
    colors = [*SENTENCE_COLORS, *[MUTED] * count]
    drawn = [
        Path(found.excerpt(number, 24), x, y, found.hints(number), colors[number])
        for number, (x, y) in enumerate(cosines)
    ]
    middle = (cosines - found.leans[:, found.axes]).mean(axis=0).T
    said = (
        f"{name} {x[layer]:.2f} and {y[layer]:.2f}, at the input {x[0]:.2f} and {y[0]:.2f}"
        for name, (x, y) in zip(found.names, cosines, strict=False)
    )
    return picture(
        anchor_plane(drawn, (across, up), middle, layer=layer),
        alt=f"Words ({count}) as paths over their similarity to {across} and to {up}, from layer 0 "
        f"to {len(middle) - 1}. At layer {layer}: {'; '.join(said)}.",
        name="plane",
    )


def _matrix(found: Comparison, layer: int) -> Picture:
    """How alike all words are at one layer."""
    names, cosines = [label(name, 18) for name in found.names], found.cosines
    by_layer = [np.ascontiguousarray(cosines[..., at]) for at in range(cosines.shape[-1])]
    titles = [{"text": f"all words, layer {at}"} for at in range(len(by_layer))]
    cells = heatmap(
        by_layer[layer],
        "%{y}<br>%{x}<br>%{z:.3f}",
        SIMILARITY,
        (float(cosines.min(initial=0.99)), 1.0),
        texttemplate="%{z:.2f}" if len(names) <= MAX_WITH_NUMBERS else None,
    )
    figure = draw(
        [cells],
        height=max(40 * len(names) + 130, HEIGHT),
        frames=[
            frame | {"layout": {"xaxis": {"title": title}}}
            for frame, title in zip(
                layer_frames([[{"type": "heatmap", "z": values}] for values in by_layer]),
                titles,
                strict=True,
            )
        ],
        meta=LEADER,
        xaxis=named(names, len(names), title=titles[layer]),
        yaxis=named_rows(names),
    )
    return picture(
        figure,
        alt=f"Cosine similarity between {len(names)} words at layer {layer}, "
        f"from {cosines[..., layer].min():.3f} to 1.",
        name="matrix",
    )


PATHS_PROGRAM = '''
"""Words in their sentences, compared with others layer by layer."""

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
