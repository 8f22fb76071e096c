"""The other words of the sentence: which one makes the word what it is."""

from typing import Annotated

import numpy as np

from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual import occlusion as core
from bertviz_core.contextual.occlusion import OccludedContexts, Removal
from bertviz_core.encoder import Encoder
from bertviz_core.figures.bars import word_bars
from bertviz_core.figures.drawing import titled
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice
from bertviz_core.views.view import View, caption, note, program, rounded, say
from bertviz_core.views.word_in_context.comparison import AGAINST, TARGET, Comparison

REMOVAL = Choice(
    "Each other word in turn",
    {"mask it": "mask", "drop it": "drop"},
    about="what each other word is replaced by",
    help="Masking puts [MASK] in its place. Dropping takes it out, and the words after it move.",
)
TIED = 0.01  # changes this near to each other are called equal
AT_INPUT = note("At layer 0, the input, a word has not met another one. Choose layer 1 or higher.")


@once_in_turn
def _occluded_contexts(
    encoder: Encoder, comparison: Comparison, number: int, removal: Removal
) -> OccludedContexts:
    pooling = comparison.request.pooling
    return core.occluded_contexts(encoder, comparison.words[number], removal, pooling)


@view(
    "which context word did it?",
    page="Word in Context",
    rank=10,
    doing="Leaving out each other word …",
)
def influence(
    encoder: AnyEncoder,
    comparison: Comparison,
    layer: int,
    target: Annotated[str, TARGET] = "",
    against: Annotated[str, AGAINST] = "",
    without: Annotated[Removal, REMOVAL] = "mask",
) -> View:
    """How the similarity to an anchor changes without each other word of the sentence."""
    if not layer:
        return View(AT_INPUT)
    number, other = comparison.pair(target, against)
    word = comparison.words[number]
    anchor = comparison.all_words[other]
    changed = _occluded_contexts(encoder, comparison, number, without)
    done = f"replaced by {encoder.bert.vocabulary.mask}" if without == "mask" else "dropped"
    others = changed.others
    changes = core.influence(word, changed, anchor)[layer]
    original = float(comparison.cosines[number, other, layer])
    findings = []
    if changed.total > len(others):
        cut = "The sentence has {total} other words. The {count} nearest are taken away in turn."
        findings.append(note(cut, total=changed.total, count=len(others)))
    strongest, *second = np.argsort(-np.abs(changes), kind="stable")[:2].tolist()
    line = comparison.scales and comparison.scales.largest_change(without, len(word.text))
    opening = "The largest change"
    control = ""
    if line is not None:
        first, *next_one = np.abs(changes[[strongest, *second]]).tolist()
        opening = "No single word does it"
        if first > line[layer]:
            opening = "<b>{strongest}</b> matters most"
        if next_one and next_one[0] > max(line[layer], first - TIED):
            opening = "<b>{strongest}</b> and <b>{second}</b> matter most"
        control = " In eight or nine of ten unrelated sentences, none changes more than {line}."
    findings.append(
        say(
            opening + ": with <b>{strongest}</b> {done}, the similarity of {word} to {anchor} at "
            "layer {layer} is <b>{without}</b> instead of <b>{cosine}</b>." + control,
            method="taking-words-away",
            word=comparison.names[number],
            anchor=comparison.names[other],
            layer=layer,
            cosine=rounded(original, 3),
            done=done,
            strongest=others[strongest].word,
            second="".join(others[one].word for one in second),
            without=rounded(original + float(changes[strongest]), 3),
            line="" if line is None else rounded(float(line[layer]), 3),
        )
    )
    # The followed word keeps its place, without a bar.
    before = sum(one.positions[0] < word.token_positions[0] for one in others)
    names = [one.word for one in others]
    hints = [f"without it {original + change:.3f} ({change:+.4f})" for change in changes.tolist()]
    limit = 1.2 * float(np.abs(changes).max())
    return card(
        findings,
        name="influence",
        columns={
            "word": names,
            "position": [one.positions[0] for one in others],
            "change": changes,
            "similarity without it": original + changes,
        },
        chart=word_bars(
            np.insert(changes, before, 0),
            [*names[:before], word.word, *names[before:]],
            [before],
            [*hints[:before], "the followed word", *hints[before:]],
            **titled("change of similarity", range=[-limit, limit]),
        ),
        alt=f"Bars over the sentence: change of the similarity of {word.word} to "
        f"{comparison.names[other]} at layer {layer} when each other word is {done}: "
        + ", ".join(f"{name} {value:+.3f}" for name, value in zip(names, changes, strict=True)),
        below=[
            caption(
                "Below zero: the word draws {word} (in bold) and {anchor} together. Without it "
                "they are less alike. Punctuation counts as words.",
                word=word.word,
                anchor=comparison.names[other],
            ),
            caption(origin_of(encoder.bert.checkpoint).upper) if without == "mask" else [],
        ],
        program=program(
            INFLUENCE_PROGRAM,
            encoder.bert,
            word=word.span,
            anchor=anchor.span,
            others=[(one.word, list(one.positions)) for one in others],
            change=without,
            pooling=comparison.request.pooling,
            layer=layer,
            name="influence",
        ),
        made={"layer": layer, "pooling": comparison.request.pooling},
    )


INFLUENCE_PROGRAM = '''
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
