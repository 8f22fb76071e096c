"""Which other word of the sentence makes the word what it is: each is taken away in turn."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.calibration.percentiles import after, columns_with_centred
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual import occlusion as core
from bertviz_core.contextual.occlusion import MASK, OccludedContexts, Removal
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import MOST_UPRIGHT, Axis, label, titled
from bertviz_core.figures.colors import NEGATIVE, POSITIVE, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_in_context.words import AGAINST, PAGE, TARGET, Compared

WITHOUT: dict[Removal, str] = {"mask": "replaced by [MASK]", "drop": "dropped"}
OTHER_WAY: dict[Removal, Removal] = {"mask": "drop", "drop": "mask"}
IN_TURN: dict[Removal, str] = {"mask": "Masking each word", "drop": "Dropping each word"}
REMOVAL = Choice(
    "Each other word in turn",
    {"mask it": "mask", "drop it": "drop"},
    about="what each other word is replaced by",
    help="Masking puts [MASK] in its place. Dropping takes it out, and the words after it move.",
)
ROUNDING = 1e-5  # what another batch of the same sentences may change
LEAST_LIMIT = 1e-4  # below it a scale would only show rounding
MOST_WITH_NUMBERS = 14


@once
def occluded_contexts(
    encoder: Encoder, found: Compared, number: int, removal: Removal
) -> OccludedContexts:
    """A word's vectors without each other word of its sentence."""
    pooling = found.comparison.pooling
    return core.occluded_contexts(encoder, found.words[number], removal, pooling)


@view("which context word did it?", page=PAGE, rank=10, doing="Leaving out each other word …")
def influence(
    encoder: Encoder,
    found: Compared,
    layer: int,
    target: Annotated[str, TARGET] = "",
    against: Annotated[str, AGAINST] = "",
    without: Annotated[Removal, REMOVAL] = "mask",
) -> View:
    """How the similarity to an anchor changes without each other word of the sentence."""
    scales = found.scales
    number, other = found.pair(target, against)
    word, anchor, name = found.words[number], found.everything[other], found.names[other]
    changed = occluded_contexts(encoder, found, number, without)
    now = core.influence(word, changed, anchor)[layer]
    original = float(found.cosines[number, other, layer])
    scale, others, again = found.scale(number, other), changed.others, None
    if without == "mask" or MASK in encoder.bert.vocabulary.ids:
        changed_otherwise = occluded_contexts(encoder, found, number, OTHER_WAY[without])
        again = core.influence(word, changed_otherwise, anchor)[layer]
    # The followed word keeps its place in the sentence; it has no bar.
    followed = sum(one.positions[0] < word.token_positions[0] for one in others)
    names = [one.word for one in others]
    names.insert(followed, word.word)
    hints = [f"similarity {one:.3f}{after(scale, one, layer)}" for one in original + now]
    hints.insert(followed, "")
    strongest = int(np.argmax(np.abs(now)))
    vectors = changed.vectors[:, layer], anchor.vectors[layer][None]
    centred = None if scales is None else scales.centred_cosines(*vectors, layer)[:, 0]
    return View(
        note("This vocabulary has no [MASK], so words are dropped instead.")
        if again is None
        else [],
        note(
            "The sentence has {total} other words. The {count} nearest are taken away in turn.",
            total=changed.total,
            count=len(others),
        )
        if changed.total > len(others)
        else [],
        _finding(
            {"word": word.word, "anchor": anchor.word, "layer": layer},
            original,
            changed,
            now,
            again,
        ),
        picture(
            influence_bars(np.insert(now, followed, 0), names, followed, hints),
            alt=f"Bars over the sentence: change of the similarity of {word.word} to {name} at "
            f"layer {layer} when each other word is {WITHOUT[without]}; the largest is "
            f"{now[strongest]:+.3f}, for {others[strongest].word}.",
            name="influence",
        ),
        caption(
            "Below zero: the word draws {word} (shaded) and {anchor} together. Without it they "
            "are less alike. Punctuation counts as words."
            + " The words that change it most are named."
            * (len(names) > MOST_UPRIGHT),
            word=word.word,
            anchor=name,
        ),
        caption(origin_of(encoder.bert.checkpoint).upper) if without == "mask" else [],
        table(
            {
                "word": [one.word for one in others],
                "position": [one.positions[0] for one in others],
                "change": now,
                **columns_with_centred(
                    "similarity without it", original + now, centred, scale, layer
                ),
            },
            name="influence",
            fold="Table",
        ),
        program(
            "influence/influence",
            encoder.bert,
            word=word.span,
            anchor=anchor.span,
            others=[(one.word, list(one.positions)) for one in others],
            change=without,
            pooling=found.comparison.pooling,
            layer=layer,
        ),
        made=found.made(layer),
    )


def _finding(
    values: dict[str, object],
    original: float,
    changed: OccludedContexts,
    changes: Array,
    otherwise: Array | None,
) -> Sentence:
    strongest = int(np.argmax(np.abs(changes)))
    change = float(changes[strongest])
    values |= {"cosine": rounded(original, 3), "done": WITHOUT[changed.removal]}
    if abs(change) < ROUNDING:
        why = ": the input embedding does not contain other words" if values["layer"] == 0 else ""
        text = (
            "At layer {layer}, {word} and {anchor} have similarity <b>{cosine}</b>. It stays the "
            f"same when another word is {{done}}{why}."
        )
        return say(text, method="taking-words-away", **values)
    text = (
        "<b>{strongest}</b> matters most: with it {done}, the similarity of {word} to {anchor} at "
        "layer {layer} is <b>{without}</b> instead of <b>{cosine}</b>."
    )
    values["strongest"] = changed.others[strongest].word
    values["without"] = rounded(original + change, 3)
    if otherwise is not None:  # the other way of taking words away often names another word
        named = int(np.argmax(np.abs(otherwise)))
        text += f" {IN_TURN[OTHER_WAY[changed.removal]]} names <b>{{named}}</b> ({{named_change}})."
        values["named"] = changed.others[named].word
        values["named_change"] = f"{otherwise[named]:+.3f}".replace("-", "−")
    return say(text, method="taking-words-away", **values)


def influence_bars(
    changes: Array, words: Sequence[str], followed: int, hints: Sequence[str]
) -> Figure:
    """The change that taking away each word makes; 0 for the one that is `followed`."""
    limit = max(float(np.abs(changes).max()), LEAST_LIMIT)
    drawn = bars(
        changes,
        "%{customdata}",
        [NEGATIVE if change < 0 else POSITIVE for change in changes],
        text=[
            "" if i == followed or len(words) > MOST_WITH_NUMBERS else f"{change:+.3f}"
            for i, change in enumerate(changes)
        ],
        textposition="outside",
        cliponaxis=False,
        customdata=[
            f"without {label(word)}<br>{change:+.4f}<br>{label(hint, 60)}"
            for word, change, hint in zip(words, changes, hints, strict=True)
        ],
    )
    behind = {
        "type": "rect",
        "x0": followed - 0.5,
        "x1": followed + 0.5,
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        "fillcolor": TOKEN,
        "opacity": 0.14,
        "line": {"width": 0},
    }
    return draw(
        [drawn],
        height=340,
        bargap=0.25,
        shapes=[behind],
        xaxis=_word_axis(words, followed, changes),
        yaxis=titled("change of similarity", range=[-1.25 * limit, 1.25 * limit], zeroline=True),
    )


def _word_axis(words: Sequence[str], followed: int, changes: Array) -> Axis:
    """Names all words, or the followed one and the strongest that are not too near each other."""
    gap = -(-len(changes) // MOST_UPRIGHT)
    shown = [followed]
    for position in np.argsort(-np.abs(changes), kind="stable").tolist():
        if all(abs(position - other) >= gap for other in shown):
            shown.append(position)
    names = [label(word, 16) for word in words]
    names[followed] = f"<b>{names[followed]}</b>"
    return {
        "tickmode": "array",
        "tickvals": sorted(shown),
        "ticktext": [names[i] for i in sorted(shown)],
        "range": [-0.5, len(words) - 0.5],
    }
