"""Which other word of the sentence makes the word what it is: each is taken away in turn."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.calibration import Baseline
from bertviz_core.calibration.percentiles import after, cosine_columns
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual import occlusion as core
from bertviz_core.contextual.occlusion import MASK, OccludedContexts, Removal
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import MAX_UPRIGHT, label, titled
from bertviz_core.figures.drawing import Figure
from bertviz_core.figures.tokens import word_bars
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.parts import caption, note, program, say
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_in_context.words import AGAINST, PAGE, TARGET, Compared

WITHOUT: dict[Removal, str] = {"mask": "replaced by [MASK]", "drop": "dropped"}
OTHERWISE: dict[Removal, str] = {"mask": "dropped", "drop": "masked"}
REMOVAL = Choice(
    "Each other word in turn",
    {"mask it": "mask", "drop it": "drop"},
    about="what each other word is replaced by",
    help="Masking puts [MASK] in its place. Dropping takes it out, and the words after it move.",
)
ROUNDING = 1e-5  # what another batch of the same sentences may change
LEAST_LIMIT = 1e-4  # below it a scale would only show rounding


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
    number, other = found.pair(target, against)
    word, anchor, bert = found.words[number], found.everything[other], encoder.bert
    changed = occluded_contexts(encoder, found, number, without)
    now = core.influence(word, changed, anchor)[layer]
    original = float(found.cosines[number, other, layer])
    scale, others, again = found.scale(number, other), changed.others, None
    if without == "mask" or MASK in bert.vocabulary.ids:
        changed_otherwise = occluded_contexts(
            encoder, found, number, "drop" if without == "mask" else "mask"
        )
        again = core.influence(word, changed_otherwise, anchor)[layer]
    # "1 court" where it is compared with "2 court", else "court".
    name = found.names[number] if other < len(found.words) else word.word
    notes = []
    if again is None:
        notes.append(note("This vocabulary has no [MASK], so words are dropped instead."))
    if changed.total > len(others):
        cut = "The sentence has {total} other words. The {count} nearest are taken away in turn."
        notes.append(note(cut, total=changed.total, count=len(others)))
    percentile = None if scale is None else scale.percentiles(original + now, layer)
    return card(
        [
            *notes,
            _finding(
                {"word": name, "anchor": found.names[other], "layer": layer},
                original,
                changed,
                now,
                again,
            ),
        ],
        name="influence",
        columns={
            "word": [one.word for one in others],
            "position": [one.positions[0] for one in others],
            "change": now,
            **cosine_columns("similarity without it", original + now, percentile),
        },
        chart=_bars(word, changed, now, original, scale, layer),
        alt=f"Bars over the sentence: change of the similarity of {word.word} to "
        f"{found.names[other]} at layer {layer} when each other word is {WITHOUT[without]}: "
        + ", ".join(f"{one.word} {value:+.3f}" for one, value in zip(others, now, strict=True)),
        below=[
            caption(
                "Below zero: the word draws {word} (in bold) and {anchor} together. Without it "
                "they are less alike. Punctuation counts as words."
                + " The words that change it most are named."
                * (len(others) >= MAX_UPRIGHT),
                word=word.word,
                anchor=found.names[other],
            ),
            caption(origin_of(bert.checkpoint).upper) if without == "mask" else [],
        ],
        program=program(
            PROGRAM,
            bert,
            word=word.span,
            anchor=anchor.span,
            others=[(one.word, list(one.positions)) for one in others],
            change=without,
            pooling=found.comparison.pooling,
            layer=layer,
            name="influence",
        ),
        made=found.made(layer),
    )


def _bars(
    word: WordInContext,
    changed: OccludedContexts,
    changes: Array,
    original: float,
    scale: Baseline | None,
    layer: int,
) -> Figure:
    """The change without each other word; the followed one keeps its place, without a bar."""
    followed = sum(one.positions[0] < word.token_positions[0] for one in changed.others)
    names = [one.word for one in changed.others]
    hints = [
        f"without it {one:.3f} ({change:+.4f}){label(after(scale, one, layer), 60)}"
        for change, one in zip(changes, original + changes, strict=True)
    ]
    names.insert(followed, word.word)
    hints.insert(followed, "the followed word")
    limit = 1.2 * max(float(np.abs(changes).max()), LEAST_LIMIT)
    axis = titled("change of similarity", range=[-limit, limit])
    return word_bars(np.insert(changes, followed, 0), names, [followed], hints, **axis)


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
        text += f" With words {OTHERWISE[changed.removal]} instead, <b>{{named}}</b> matters most"
        text += " ({named_change})."
        values["named"] = changed.others[named].word
        values["named_change"] = rounded(float(otherwise[named]), 3, "+")
    return say(text, method="taking-words-away", **values)


PROGRAM = '''
"""How the similarity of two words changes when each other word is masked or dropped."""

word = ...  # sentence, first character of the word, one past its last
anchor = ...  # the same of the word to compare with
others = ...  # each other word, and the positions of its pieces
change = ...  # "mask" or "drop"
pooling = ...  # "mean", "first", "last" or "max"
layer = ...
read, states, pool, without = ...
tokenizer, model = ...


def similarity(ids: torch.Tensor, positions: list[int]) -> float:
    """Cosine of the word at these positions with the anchor."""
    vector = pool(states(model, ids)[layer, positions], pooling)
    return torch.cosine_similarity(vector, anchor_vector, dim=0).item()


ids, positions = read(tokenizer, *anchor)
anchor_vector = pool(states(model, ids)[layer, positions], pooling)
ids, positions = read(tokenizer, *word)
before = similarity(ids, positions)
mask = tokenizer.mask_token_id if change == "mask" else None
print(f"{before:.4f}")
for number, (name, taken) in enumerate(others):
    changed = similarity(*without(ids, positions, taken, mask))
    print(f"{number} {changed:.4f} {changed - before:+.4f}", name)
'''
