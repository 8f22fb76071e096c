"""The headline: the path of each word between two anchors, and which of them it leans to."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter, eq
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration.same_sense import ROUNDING, size_of
from bertviz_core.contextual.leans import over_layers
from bertviz_core.contextual.marks import around
from bertviz_core.figures.colors import MUTED, SENTENCE_COLORS, SIMILARITY
from bertviz_core.figures.drawing import draw, heatmap, label, named, named_rows
from bertviz_core.figures.paths import HEIGHT, Path, anchor_plane, layer_frames, parting
from bertviz_core.saved_files import Columns
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Part, Picture, Program, Sentence
from bertviz_core.views.view import (
    View,
    beside,
    caption,
    joined,
    note,
    picture,
    program,
    rounded,
    say,
    table,
)
from bertviz_core.views.word_in_context.comparison import (
    MAX_WORDS,
    Comparison,
    not_followed,
    not_read,
)

METHOD = "sentences-compared-with-each-other"
LEADER = "chart_plane"  # in `meta` of the charts that follow the plane; see frames.js
MAX_IN_PIECES = 0.5  # of the words; with more the model knows little of the language
MAX_WITH_NUMBERS = 12  # words whose cosines are printed in the cells of the matrix
FEWEST = "fewer than 5"
# What the headline says, by case.
FINDINGS = {
    "leans": "<b>{word}</b> leans to <b>{anchor_1}</b> in {numbers_1} and to <b>{anchor_2}</b> in "
    "{numbers_2}",
    "same": "<b>{word}</b> is the same in its sentences, at every layer: {one_meaning} of 100 "
    "pairs of one meaning are further apart between <b>{anchor_1}</b> and <b>{anchor_2}</b>.",
    "one anchor": "BERT reads <b>{anchor_1}</b> and <b>{anchor_2}</b> as the same. Name two "
    "different words.",
    "one sentence": "Sentence {numbers_1} changes the similarity of <b>{word}</b> to "
    "<b>{anchor_1}</b> by <b>{lean_1}</b> and to <b>{anchor_2}</b> by <b>{lean_2}</b>, on average "
    "over the layers, compared with the word alone. {advice}: that tells more.",
    "nothing": "BERT reads nothing here but <b>{word}</b>, so nothing draws it to {anchor_1} or "
    "{anchor_2}. {advice}.",
    "no anchors": "<b>{word}</b> has cosine <b>{cosine}</b> between its sentences, on average over "
    "the layers{beside_it}. {advice}: that tells more.",
    "one alone": "<b>{word}</b> has cosine <b>{cosine}</b> to the word alone, on average over the "
    "layers. {advice}: that tells more.",
    "two words": "<b>{word}</b> and <b>{other}</b> have cosine <b>{cosine}</b>, on average over "
    "the layers.",
}
AS_FAR_APART = {
    2: ": as far apart are {one_meaning} of 100 pairs of one meaning{two_meanings}.",
    3: ": as far apart are {one_meaning} of 100 groups of sentences of one meaning.",
}
AT_LAYERS = (
    " At {layers} alone they are further apart than nine in ten of one meaning; of 100, "
    "{any_layer:.0f} have such a layer."
)
SENTENCES = (
    " The sentences without it lean {same_way}: {sentence_separation} apart at layer {last}, the "
    "word {word_separation}{turned}."
)
NEARER = (
    "Taken alone, {word} is nearer to {nearer} in all of them. A lean compares the sentences with "
    "each other."
)


@view("paths between anchors", page="Word in Context", rank=0)
def paths(
    comparison: Comparison,
    layer: int,
    bert: Bert,
    drawn_at: int | None = None,
    large: bool = False,
) -> View:
    """Followed words as paths through the layers, over their similarity to two anchors."""
    drawn_at = layer if drawn_at is None else drawn_at  # the browser moves the pictures from there
    last = bert.num_hidden_layers
    steps = (f"layer 0 of {last}",)
    plane = (
        _plane(comparison, drawn_at)
        if comparison.axes
        else by_itself(comparison, steps, HEIGHT, drawn_at)
    )
    return View(
        _notes(comparison, bert),
        what_leans(comparison, short=large),
        beside(plane, _matrix(comparison, drawn_at), widths=(5, 3)),
        taken_alone(comparison),
        table(lambda: _leans(comparison, layer), name="leans"),
        table(lambda: by_layer(comparison), name="similarity", fold="Similarity by layer"),
        paths_program(
            comparison,
            bert,
            name="context",
            arrays=lambda: {
                "word": comparison.names,
                "sentence": [word.sentence for word in comparison.all_words],
                "vectors": np.stack([word.vectors for word in comparison.all_words]),
                "cosines": comparison.cosines,
                "layer": np.arange(last + 1),
            },
        ),
        made={"layer": layer, "pooling": comparison.request.pooling},
    )


def paths_program(comparison: Comparison, bert: Bert, **how: Any) -> Program:
    """The program that prints the cosines of the pictures, and how far sentences are apart."""
    return program(
        PATHS_PROGRAM,
        bert,
        words=[one.span for one in comparison.words],
        others=[one.span for one in comparison.all_words],
        pooling=comparison.request.pooling,
        layers=list(range(bert.num_hidden_layers + 1)),
        group=comparison.groups[0],
        anchors=[comparison.names.index(name, len(comparison.words)) for name in comparison.axes],
        **how,
    )


def what_leans(comparison: Comparison, *, short: bool = False) -> Sentence:
    """Say what the first word leans to in its sentences, and how far these are apart.

    `short` leaves out what the sentences say without the word, which the picture shows, too.
    """
    uses = comparison.uses[0]
    group = comparison.groups[0]
    others = len(comparison.groups) > 1 or len(comparison.request.texts) > len(group)
    tap, kind = "Tap the same word in another sentence", "Type another sentence"
    values: dict[str, object] = {"word": uses.word, "last": len(uses.separations) - 1}
    values["advice"] = tap if others else kind
    if not uses.anchors:
        return _without_anchors(comparison, values)
    gaps = uses.leans[:, 0] - uses.leans[:, 1]
    case = "one sentence" if len(group) == 1 else "leans"
    if np.abs(uses.leans).max() < ROUNDING:
        case = "same" if len(group) > 1 else "nothing"
    elif np.abs(gaps).max() < ROUNDING:
        case = "one anchor"
    turn = -1 if uses.leans_to[0] == uses.anchors[1] else 1  # the first sentence's anchor first
    anchors = uses.anchors[::turn]
    values |= {"case": case, "separation": rounded(uses.separation, 3)}
    for number, (anchor, leans) in enumerate(
        zip(anchors, over_layers(uses.leans[0])[::turn].tolist(), strict=True), 1
    ):
        leaning = zip(group, uses.leans_to, strict=True)
        values[f"anchor_{number}"] = anchor
        values[f"numbers_{number}"] = joined(str(n + 1) for n, to in leaning if to == anchor)
        values[f"lean_{number}"] = rounded(round(leans, 2) + 0.0, sign="+")
    if uses.line is None or case == "one anchor":
        return say(FINDINGS[case], method=METHOD, **values)
    beyond = np.flatnonzero(uses.separations > uses.line.by_layer)
    at = [int(layer) for layer in beyond if layer] if uses.separation <= uses.line.most else []
    of_words, of_sentences = (
        [uses.anchors[int(gap < 0)] for gap in each[:, 0, -1] - each[:, 1, -1]]
        for each in (uses.leans, uses.sentence_leans)
    )
    alike = sum(map(eq, of_sentences, uses.leans_to))
    several = len({comparison.words[number].sentence for number in group}) > 1
    without = several and case == "leans" and not (short or np.isnan(uses.sentence_separation))
    return say(
        FINDINGS[case]
        + (AS_FAR_APART[min(len(group), 3)] if case == "leans" else "")
        + (AT_LAYERS if at else "")
        + (SENTENCES if without else ""),
        method=METHOD,
        one_meaning=in_tens(uses.one_meaning),
        two_meanings=_of_two(uses.two_meanings),
        layers=f"layer{'s' if len(at) > 1 else ''} {joined(map(str, at))}",
        any_layer=100 * uses.line.any_layer,
        same_way={len(group): "the same way", 0: "the other way"}.get(
            alike, f"the same way in {alike} of {len(group)}"
        ),
        sentence_separation=rounded(uses.sentence_separation),
        word_separation=rounded(float(uses.separations[-1])),
        turned="" if tuple(of_words) == uses.leans_to else " (there the other way)",
        **values,
    )


def _without_anchors(comparison: Comparison, values: dict[str, object]) -> Sentence:
    """Say how alike the word is to itself, to the word alone, or to another word."""
    uses = comparison.uses[0]
    group = comparison.groups[0]
    values["cosine"] = rounded(1 - uses.separation)
    case = "one alone"
    if len(group) > 1:
        case = "no anchors"
        more = "one more word" if comparison.request.anchors else "two words"
        values["advice"] = f"Name {more} to compare it with"
        beside = rounded(1 - uses.sentence_separation)
        told = len(group) == 2 and not np.isnan(uses.sentence_separation)
        values["beside"] = beside if told else ""
        values["beside_it"] = (
            f"; the words beside it have {beside} at layer {values['last']}" if told else ""
        )
    elif len(comparison.groups) > 1:
        case = "two words"
        other = comparison.groups[1][0]
        values["other"] = comparison.words[other].word
        values["cosine"] = rounded(float(over_layers(comparison.cosines[group[0], other])))
    return say(FINDINGS[case], method=METHOD, case=case, **values)


def _of_two(shares: tuple[float, float] | None) -> str:
    """The shares of pairs of two meanings, as the end of a sentence."""
    if shares is None:
        return ""
    low, high = map(in_tens, shares)
    both = f"{low} to {high.removeprefix('about ')}"
    if low == high:
        both = low
    elif low == FEWEST:
        both = f"at most {high}"
    return f", {both} of 100 pairs of two"


def taken_alone(comparison: Comparison) -> list[Sentence]:
    """Say where the cosines alone, without a comparison, are higher to one anchor in all."""
    uses = comparison.uses[0]
    if not comparison.axes or len(comparison.groups[0]) < 2 or uses.separation < ROUNDING:
        return []
    nearest = over_layers(comparison.to_axes[comparison.groups[0]]).argmax(axis=1)
    if len(set(nearest.tolist())) > 1:
        return []
    return [caption(NEARER, word=uses.word, nearer=comparison.axes[nearest[0]])]


def in_tens(share: float) -> str:
    """A share as how many of 100, in tens, which is as near as these scales are known."""
    if share <= 0.05:
        return FEWEST
    return "more than 95" if share >= 0.95 else f"about {round(10 * share) * 10}"


def _leans(comparison: Comparison, layer: int) -> Columns:
    """A row for each word: what it leans to over all layers, and all its cosines at a layer."""
    count = len(comparison.words)
    columns: dict[str, Any] = {
        "word": comparison.names[:count],
        "sentence": [word.sentence for word in comparison.words],
        "pieces": [" ".join(word.tokens) for word in comparison.words],
    }
    if comparison.axes:
        leans, of_sentences = (
            np.stack(comparison.by_word(attrgetter(name))) for name in ("leans", "sentence_leans")
        )
        columns["leans to"] = comparison.by_word(attrgetter("leans_to"))
        columns["by"] = np.abs(over_layers(leans[:, 0] - leans[:, 1]))
        columns[f"by at layer {layer}"] = np.abs(leans[:, 0, layer] - leans[:, 1, layer])
        sentence_gaps = of_sentences[:, 0, -1] - of_sentences[:, 1, -1]
        columns["sentence leans to"] = [comparison.axes[int(gap < 0)] for gap in sentence_gaps]
        columns[f"sentence by at layer {leans.shape[-1] - 1}"] = np.abs(sentence_gaps)
    for number in [*range(count, len(comparison.names)), *range(count)]:
        columns[f"to {comparison.names[number]}"] = comparison.cosines[:count, number, layer]
    return columns


def by_layer(comparison: Comparison) -> Columns:
    """A row for each layer, a column for each pair of a word and another word or anchor."""
    pairs = zip(*np.triu_indices(len(comparison.words), 1, len(comparison.names)), strict=True)
    columns: dict[str, Any] = {
        f"{comparison.names[i]} to {comparison.names[j]}": comparison.cosines[i, j]
        for i, j in pairs
    }
    uses = comparison.uses[0]
    if uses.line is not None:
        columns["separation"] = uses.separations
        columns["nine in ten of one meaning"] = uses.line.by_layer
        columns["share of one meaning"] = uses.by_layer
    if uses.anchors and len(comparison.groups[0]) > 1:
        columns["sentences without it"] = size_of(
            uses.sentence_leans[:, 0] - uses.sentence_leans[:, 1]
        )
    elif (beside := beside_it(comparison)) is not None:
        columns["words beside it"] = beside
    return {"layer": range(comparison.cosines.shape[-1]), **columns}


def _notes(comparison: Comparison, bert: Bert) -> list[Part]:
    """What is not compared or not read, and words that the model hardly knows."""
    sentences = {word.sentence for word in comparison.words}
    parts: list[Part] = [*not_followed((text for text, _ in comparison.request.texts), sentences)]
    if (given := len(comparison.request.marks)) > MAX_WORDS:
        cut = "{given} marked words were given; the first {most} are compared."
        parts.append(note(cut, given=given, most=MAX_WORDS))
    followed = {mark.name for mark in comparison.request.marks}
    for anchor in comparison.request.anchors:
        if anchor.casefold() in followed:
            parts.append(note("{anchor} is the word itself: name another one.", anchor=anchor))
    texts = {word.sentence: word.text for word in comparison.all_words}
    parts += not_read(bert, texts.items())
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
    leans = np.stack(comparison.by_word(attrgetter("leans")))
    middle = (comparison.to_axes - leans).mean(axis=0)  # (2, layers)
    paths_of_words = [
        path._replace(x=x, y=y, hints=comparison.hints(number), mark=middle + lean)
        for number, (path, (x, y), lean) in enumerate(
            zip(
                paths_of(comparison),
                comparison.to_axes,
                comparison.by_word(attrgetter("sentence_leans")),
                strict=True,
            )
        )
    ]
    ends = [
        f"{name} {x[layer]:.2f} and {y[layer]:.2f}, at the input {x[0]:.2f} and {y[0]:.2f}"
        for name, (x, y) in zip(comparison.names, comparison.to_axes, strict=False)
    ]
    return picture(
        anchor_plane(paths_of_words, (across, up), middle.T, layer=layer, band=band_of(comparison)),
        alt=f"Words ({len(ends)}) as paths over their similarity to {across} and to {up}, "
        f"from layer 0 to {middle.shape[1] - 1}. At layer {layer}: {'; '.join(ends)}.",
        name="plane",
    )


def paths_of(comparison: Comparison) -> list[Path]:
    """The words as paths, whose places and marks are still to be set."""
    nowhere = np.empty(0, np.float32)
    sentences = list(dict.fromkeys(word.sentence for word in comparison.words))
    several = len(sentences) < len(comparison.words)
    colors = [*SENTENCE_COLORS, *[MUTED] * len(comparison.words)]
    return [
        Path(
            around(*word.span, 30),
            nowhere,
            nowhere,
            [],
            colors[sentences.index(word.sentence) if several else number],
        )
        for number, word in enumerate(comparison.words)
    ]


def band_of(comparison: Comparison) -> Array | None:
    """How far from the middle nine in ten sentences of one meaning are at most: (layers,).

    None where nothing was measured, and for several words, which have no middle in common.
    """
    line = comparison.uses[0].line
    if line is None or len(comparison.groups) > 1:
        return None
    return frozen(line.by_layer / (2 if len(comparison.words) == 2 else 1))


def beside_it(comparison: Comparison) -> Array | None:
    """The cosine of the words on each side of a word in two sentences: float32 (layers,)."""
    if len(comparison.words) != 2 or len(comparison.groups) > 1:
        return None
    vectors = [word.beside for word in comparison.words]
    return None if np.isnan(vectors).any() else frozen(cosine(*vectors))


def by_itself(
    comparison: Comparison, steps: Sequence[str], height: int, layer: int | None = None
) -> Picture:
    """The cosine of the first word to the other words, over the layers; of two, beside it."""
    others = range(1, len(comparison.all_words))
    first = comparison.names[0]
    layers = np.arange(comparison.cosines.shape[-1])
    colors = [*SENTENCE_COLORS[1:], *[MUTED] * len(others)]
    curves = []
    for number, color in zip(others, colors, strict=False):
        name = f"{first} – {comparison.names[number]}"
        cosines = comparison.cosines[0, number]
        hints = [
            label(f"{name}, layer {layer}: {value:.3f}", 100)
            for layer, value in enumerate(cosines.tolist())
        ]
        tag = str(number + 1) if number < len(comparison.words) else "1"
        curves.append(Path(("", name, ""), layers, cosines, hints, color, tag=tag))
    beside = beside_it(comparison)
    band = None
    if len(comparison.groups) == 1 and comparison.own_edge is not None:
        band = (comparison.own_edge, np.ones_like(comparison.own_edge))
    return picture(
        parting(
            curves,
            (np.full(len(layers), np.nan) if beside is None else beside, "words beside it"),
            steps=steps,
            height=height,
            band=band,
            layer=layer,
        ),
        alt=f"Cosine of {first} to "
        + "; ".join(
            f"{comparison.names[number]}, layer by layer: "
            + ", ".join(f"{value:.2f}" for value in comparison.cosines[0, number])
            for number in others
        )
        + ".",
        name="paths",
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
group = ...  # numbers of the words whose sentences are compared
anchors = ...  # numbers of two of the others, or none
read, states, pool = ...
tokenizer, model = ...


def vectors(words: list[tuple[str, int, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Each word, and the mean of its sentence's other tokens: (words, layers, dimensions)."""
    pooled, means = [], []
    for word in words:
        ids, positions = read(tokenizer, *word)
        of_text = states(model, ids)
        pooled.append(pool(of_text[:, positions], pooling))
        rest = [at for at in range(1, ids.shape[1] - 1) if at not in positions]
        means.append(of_text[:, rest].mean(dim=1))
    return torch.stack(pooled), torch.stack(means)


def apart(sentences: torch.Tensor, both: torch.Tensor) -> list[float]:
    """By layer and on average from layer 1 on: of two the difference, of more the deviation."""
    to_a, to_b = (torch.cosine_similarity(sentences, anchor, dim=-1) for anchor in both)
    gaps = to_a - to_b  # (sentences, layers)
    gaps = torch.cat([gaps, gaps[:, 1:].mean(dim=1, keepdim=True)], dim=1)
    return (gaps.std(dim=0, correction=0) * (2 if len(gaps) == 2 else 1)).tolist()


followed, without = vectors(words)
compared, _ = vectors(others)
for layer in layers:
    for row in cosine_similarity(followed[:, layer], compared[:, layer]):
        print(layer, *(f"{cosine:.4f}" for cosine in row))

# How far apart the sentences are by their words, and by their other tokens.
if anchors and len(group) > 1:
    sizes = [apart(each[group], compared[anchors]) for each in (followed, without)]
    for layer, *both in zip([*layers, "mean from 1 on:"], *sizes, strict=True):
        print(layer, "apart", *(f"{size:.4f}" for size in both))
'''
