"""The headline: the path of each word between two anchors, and which of them it leans to."""

from collections import Counter
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.leans import over_layers
from bertviz_core.contextual.marks import around
from bertviz_core.figures.colors import MUTED, SENTENCE_COLORS, SIMILARITY
from bertviz_core.figures.drawing import draw, heatmap, label, named, named_rows
from bertviz_core.figures.paths import HEIGHT, Path, anchor_plane, layer_frames
from bertviz_core.saved_files import Columns
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Part, Picture, Sentence
from bertviz_core.views.view import View, beside, note, picture, program, rounded, say, table
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
def paths(comparison: Comparison, layer: int, bert: Bert, drawn_at: int | None = None) -> View:
    """Followed words as paths through the layers, over their similarity to two anchors."""
    drawn_at = layer if drawn_at is None else drawn_at  # the browser moves the pictures from there
    return View(
        _notes(comparison, bert),
        what_leans(comparison),
        beside(_plane(comparison, drawn_at), _matrix(comparison, drawn_at), widths=(5, 3)),
        table(lambda: _leans(comparison, layer), name="leans"),
        table(lambda: _by_layer(comparison), name="similarity", fold="Similarity by layer"),
        program(
            PATHS_PROGRAM,
            bert,
            words=[one.span for one in comparison.words],
            others=[one.span for one in comparison.all_words],
            pooling=comparison.request.pooling,
            layers=list(range(comparison.cosines.shape[-1])),
            name="context",
            arrays=lambda: {
                "word": comparison.names,
                "sentence": [word.sentence for word in comparison.all_words],
                "vectors": np.stack([word.vectors for word in comparison.all_words]),
                "cosines": comparison.cosines,
                "layer": np.arange(comparison.cosines.shape[-1]),
            },
        ),
        made={"layer": layer, "pooling": comparison.request.pooling},
    )


def what_leans(comparison: Comparison) -> Sentence:
    """Say what the first word leans to in its sentences, over all layers."""
    group = comparison.groups[0]
    leans = over_layers(comparison.leans[group])  # (sentences, 2)
    gaps = leans[:, 0] - leans[:, 1]
    # The two sentences that differ most; of a word in one sentence, that one.
    first, second = sorted((int(gaps.argmax()), int(gaps.argmin())))
    anchor = int(gaps[first] < 0)  # the one that the first of them leans to
    case = "too close" if len(comparison.request.anchors) > 1 else "no noun"
    if len(group) == 1:
        case = "one sentence"
    elif comparison.leaning[group[0]] is not None:
        case = "apart"
    values: dict[str, object] = {"case": case, "word": comparison.words[group[0]].word}
    for number, axis, sentence in ((1, anchor, first), (2, 1 - anchor, second)):
        values[f"anchor_{number}"] = comparison.axes[axis]
        values[f"sentence_{number}"] = comparison.sentence(group[sentence], 24)
        values[f"lean_{number}"] = rounded(round(float(leans[sentence, axis]), 2) + 0.0, sign="+")
    return say(FINDINGS[case], method=METHOD, **values)


def _leans(comparison: Comparison, layer: int) -> Columns:
    """A row for each word: what it leans to over all layers, and all its cosines at a layer."""
    count = len(comparison.words)
    gaps = np.abs(over_layers(comparison.leans[:, 0] - comparison.leans[:, 1]))
    leaning = np.array([axis is not None for axis in comparison.leaning])
    columns: dict[str, Any] = {
        "word": comparison.names[:count],
        "sentence": [word.sentence for word in comparison.words],
        "pieces": [" ".join(word.tokens) for word in comparison.words],
        "leans to": ["" if axis is None else comparison.axes[axis] for axis in comparison.leaning],
        "by": np.where(leaning, gaps, np.float32(0)),
    }
    for number in [*range(count, len(comparison.names)), *range(count)]:
        columns[f"to {comparison.names[number]}"] = comparison.cosines[:count, number, layer]
    return columns


def _by_layer(comparison: Comparison) -> Columns:
    """A row for each layer, a column for each pair of a word and another word or anchor."""
    pairs = zip(*np.triu_indices(len(comparison.words), 1, len(comparison.names)), strict=True)
    columns = {
        f"{comparison.names[i]} to {comparison.names[j]}": comparison.cosines[i, j]
        for i, j in pairs
    }
    return {"layer": range(comparison.cosines.shape[-1]), **columns}


def _notes(comparison: Comparison, bert: Bert) -> list[Part]:
    """What is not compared or not read, and words that the model hardly knows."""
    parts: list[Part] = []
    if (given := len(comparison.request.marks)) > MAX_WORDS:
        cut = "{given} marked words were given; the first {most} are compared."
        parts.append(note(cut, given=given, most=MAX_WORDS))
    texts = {word.sentence: word.text for word in comparison.all_words}
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


def _plane(comparison: Comparison, layer: int) -> Picture:
    """The words as paths over their similarity to two anchors."""
    across, up = comparison.axes
    colors = [*SENTENCE_COLORS, *[MUTED] * len(comparison.words)]
    paths_of_words: list[Path] = []
    ends: list[str] = []
    for number, (word, (x, y)) in enumerate(zip(comparison.words, comparison.to_axes, strict=True)):
        excerpt = around(*word.span, 24)
        paths_of_words.append(Path(excerpt, x, y, comparison.hints(number), colors[number]))
        ends.append(
            f"{comparison.names[number]} {x[layer]:.2f} and {y[layer]:.2f}, "
            f"at the input {x[0]:.2f} and {y[0]:.2f}"
        )
    middle = (comparison.to_axes - comparison.leans).mean(axis=0).T
    return picture(
        anchor_plane(paths_of_words, comparison.axes, middle, layer=layer),
        alt=f"Words ({len(ends)}) as paths over their similarity to {across} and to {up}, "
        f"from layer 0 to {len(middle) - 1}. At layer {layer}: {'; '.join(ends)}.",
        name="plane",
    )


def _matrix(comparison: Comparison, layer: int) -> Picture:
    """How alike all words are at one layer."""
    names = [label(name, 18) for name in comparison.names]
    cosines = comparison.cosines
    by_layer = [np.ascontiguousarray(cosines[..., at]) for at in range(cosines.shape[-1])]
    titles = [{"text": f"all words, layer {at}"} for at in range(len(by_layer))]
    cells = heatmap(
        by_layer[layer],
        "%{y}<br>%{x}<br>%{z:.3f}",
        SIMILARITY,
        (float(cosines.min(initial=0.99)), 1.0),
        texttemplate="%{z:.2f}" if len(names) <= MAX_WITH_NUMBERS else None,
    )
    frames = layer_frames([[{"type": "heatmap", "z": values}] for values in by_layer])
    figure = draw(
        [cells],
        height=max(40 * len(names) + 130, HEIGHT),
        frames=[
            frame | {"layout": {"xaxis": {"title": title}}}
            for frame, title in zip(frames, titles, strict=True)
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
    pooled = []
    for word in words:
        ids, positions = read(tokenizer, *word)
        pooled.append(pool(states(model, ids)[:, positions], pooling))
    return torch.stack(pooled)


followed, compared = vectors(words), vectors(others)
for layer in layers:
    for row in cosine_similarity(followed[:, layer], compared[:, layer]):
        print(layer, *(f"{cosine:.4f}" for cosine in row))
'''
