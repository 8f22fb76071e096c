"""The headline: the path of each word between two anchors, and which of them it leans to."""

from collections import Counter
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import UNKNOWN
from bertviz_core.contextual.leans import most_apart, separation, verdict
from bertviz_core.figures.paths import HEIGHT, HEIGHT_LARGE
from bertviz_core.saved_files import Columns
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, note, program, say, table, truncated
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import Part, Sentence, View
from bertviz_core.views.word_in_context.pictures import (
    curves_picture,
    matrix_picture,
    plane_picture,
)
from bertviz_core.views.word_in_context.words import MAX_WORDS, PAGE, Compared

METHOD = "sentences-compared-with-each-other"
MAX_GROUPS = 2  # different words, each in one sentence; of one in several only that is said
MAX_QUOTED = 2  # words whose sentences are quoted; of more their numbers are given
MAX_LENGTH = 24  # characters of a sentence that is quoted
MAX_PLAIN = 4  # words whose cosines are said; of more they are in the table
MAX_IN_PIECES = 0.5  # of the words; with more the model knows little of the language
MIN_APART = 0.005  # what is smaller is 0.00
MIN_LEAN = 0.02  # of one sentence, for which no line was measured
Values = dict[str, object]


@view("paths between anchors", page=PAGE, rank=0)
def paths(
    found: Compared, layer: int, bert: Bert, large: bool = False, drawn_at: int | None = None
) -> View:
    """Followed words as paths through the layers, over their similarity to two anchors."""
    axes = found.axes(layer)
    drawn_at = layer if drawn_at is None else drawn_at  # the browser moves the pictures from there
    matrix = matrix_picture(found, drawn_at)
    pictures: list[Part]
    if len(axes) == 2:
        plane = plane_picture(found, axes, drawn_at, large=large)
        pictures = [beside(plane, matrix, widths=(5, 3)), curves_picture(found, drawn_at)]
    else:
        curves = curves_picture(found, drawn_at, HEIGHT_LARGE if large else HEIGHT)
        pictures = [curves, matrix]
    return View(
        _left_out(found, bert),
        what_leans(found, layer, axes),
        pictures,
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
                "word": found.names,
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
    if sum(split) > MAX_IN_PIECES * len(split):
        parts.append(
            note(
                "Most of these words are cut into pieces: {model} has hardly read this language, "
                "and its numbers say little here.",
                model=bert.name,
            )
        )
    return parts


def what_leans(found: Compared, layer: int, axes: tuple[int, ...]) -> Sentence:
    """Say what each word leans to, of the anchors with the numbers `axes`, and its cosines."""
    values: Values = {"layer": layer}
    for number, word in enumerate(found.words):
        values |= {
            f"word_{number + 1}": word.word,
            f"sentence_{number + 1}": found.sentence(number, MAX_LENGTH),
        }
    groups = found.comparison.groups
    shown = groups[: 1 if len(groups[0]) > 1 else MAX_GROUPS]
    parts = [
        _of_group(found, group, layer, axes, values)
        if len(group) > 1 and len(axes) > 1
        else _of_lone(found, group, layer, axes, values)
        for group in shown
    ]
    plain = _plain(found, [number for group in shown for number in group], layer, axes, values)
    if (more := len(groups) - len(shown)) > 0:
        plain += f" {more} more in the table."
    parts.append(f"<small>{plain}</small>")
    return say("<br>".join(parts), method=METHOD, **values)


def _of_group(
    found: Compared, group: list[int], layer: int, axes: tuple[int, ...], values: Values
) -> str:
    """One word in several sentences."""
    leans, line = found.leans[np.ix_(group, axes)], found.line
    (i, j), (a, b) = most_apart(leans[..., layer])
    by_layer = separation(leans, (i, j), (a, b))
    apart = float(by_layer[layer])
    first = group[0] + 1
    sure = verdict(apart, float(line.half[layer]), float(line.most[layer]))
    if found.searched and sure != "clearly":
        sure = "none"  # a pair found by search always separates a little
    values |= {
        f"verdict_{first}": sure,
        f"anchor_{first}": found.anchors[axes[a]].word,
        f"other_{first}": found.anchors[axes[b]].word,
        f"apart_{first}": rounded(apart),
    }
    if layer == 0:
        return (
            f"At layer {{layer}} nothing of a sentence is in <b>{{word_{first}}}</b> yet: it is "
            "its token, its position and its segment."
        )
    if sure == "none":
        within = "0.00" if np.isinf(line.most[layer]) else rounded(float(line.most[layer]))
        values[f"within_{first}"] = within
        pair = f"{{anchor_{first}}} and {{other_{first}}}"
        text = f"At layer {{layer}} <b>{{word_{first}}}</b> leans to neither of {pair}."
        if apart >= MIN_APART:
            here, there = (_where(found, [group[number]]) for number in (i, j))
            text = (
                f"At layer {{layer}} <b>{{word_{first}}}</b> is a little nearer to "
                f"{{anchor_{first}}} in {here} and to {{other_{first}}} in {there} "
                f"({{apart_{first}}} apart), but this does not tell them apart: sentences in which "
                f"a word means the same are up to {{within_{first}}} apart, too."
            )
        if clear := np.flatnonzero(by_layer > line.most).tolist():
            values[f"clear_{first}"] = joined(map(str, clear))
            layers = "layers" if len(clear) > 1 else "layer"
            text += f" At {layers} {{clear_{first}}} these two words do tell them apart."
        return text
    # Of more than two sentences, some are between the two that are farthest apart.
    contrast = leans[:, a, layer] - leans[:, b, layer]
    middle, quarter = (contrast[i] + contrast[j]) / 2, (contrast[i] - contrast[j]) / 4
    to_a = [n for n, one in zip(group, contrast, strict=True) if one - middle >= quarter]
    to_b = [n for n, one in zip(group, contrast, strict=True) if middle - one >= quarter]
    # How much more than to the other: the lean to one of them may be 0.
    values[f"lean_{first}_1"] = rounded(contrast[i], sign="+")
    values[f"lean_{first}_2"] = rounded(-contrast[j], sign="+")
    said = (
        f"Compared with each other at layer {{layer}}, <b>{{word_{first}}}</b> leans {sure} to "
        f"<b>{{anchor_{first}}}</b> in {_where(found, to_a)} ({{lean_{first}_1}}) and to "
        f"<b>{{other_{first}}}</b> in {_where(found, to_b)} ({{lean_{first}_2}})"
    )
    between = [number for number in group if number not in (*to_a, *to_b)]
    return said + (f", and is between the two in {_where(found, between)}." if between else ".")


def _of_lone(
    found: Compared, group: list[int], layer: int, axes: tuple[int, ...], values: Values
) -> str:
    """A word in one sentence, against the word by itself; or several against one anchor."""
    leans, first = found.leans[np.ix_(group, axes)][..., layer], group[0] + 1
    row, best = np.unravel_index(int(leans.argmax()), leans.shape)
    largest, where = float(leans[row, best]), f"<i>{{sentence_{group[row] + 1}}}</i>"
    values[f"anchor_{first}"] = found.anchors[axes[best]].word
    values[f"lean_{first}_1"] = rounded(largest, sign="+")
    against = "each other" if len(group) > 1 else "the word by itself"
    said = f"Compared with {against} at layer {{layer}}, <b>{{word_{first}}}</b> "
    if largest < MIN_LEAN:
        said += f"leans to none of the words that it is compared with in {where}."
    else:
        most = "most " if len(group) > 1 else ""
        said += f"leans {most}to <b>{{anchor_{first}}}</b> in {where} ({{lean_{first}_1}})."
    if len(found.words) == 1:
        said += " One sentence tells less than two: type another one to compare it with."
    return said


def _where(found: Compared, numbers: list[int]) -> str:
    """Sentences by what they say, or of more than two words by their numbers in the picture."""
    if len(found.words) <= MAX_QUOTED:
        return " and in ".join(f"<i>{{sentence_{number + 1}}}</i>" for number in numbers)
    each = len({word.sentence for word in found.words}) == len(found.words)
    kind = "sentence" if each else "the place of word"
    plural = "s" if len(numbers) > 1 else ""
    return f"{kind}{plural} {joined(str(number + 1) for number in numbers)}"


def _plain(
    found: Compared, numbers: list[int], layer: int, axes: tuple[int, ...], values: Values
) -> str:
    """The cosines as they are, and why they do not say what the sentences did."""
    said, count = [], len(found.words)
    cosines = found.cosines[:count, [count + axis for axis in axes], layer]
    for number in numbers[:MAX_PLAIN]:
        at, (first, *others) = number + 1, np.argsort(-cosines[number], kind="stable").tolist()
        values[f"nearest_{at}"] = found.anchors[axes[first]].word
        values[f"cosine_{at}"] = rounded(float(cosines[number, first]))
        part = f"{at} {{nearest_{at}}} {{cosine_{at}}}"
        if others:
            values[f"second_{at}"] = found.anchors[axes[others[0]]].word
            values[f"second_cosine_{at}"] = rounded(float(cosines[number, others[0]]))
            part += f", {{second_{at}}} {{second_cosine_{at}}}"
        said.append(part)
    nearest = {int(row.argmax()) for row in cosines[numbers]}
    if len(nearest) == 1 and len(axes) > 1 and len(numbers) > 1:
        # An anchor is near to the word in any sentence: this says little of these ones.
        return (
            f"Taken alone, all are nearer to {{nearest_{numbers[0] + 1}}}: " + "; ".join(said) + "."
        )
    return "Taken alone: " + "; ".join(said) + "."


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
