"""The other words of the sentence: which one makes the word what it is, and what it attends to."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual import occlusion as core
from bertviz_core.contextual.attention import attention_to_words, word_attention
from bertviz_core.contextual.occlusion import OccludedContexts, Removal, other_words
from bertviz_core.encoder import Encoder
from bertviz_core.figures.bars import word_bars
from bertviz_core.figures.colors import TOKEN
from bertviz_core.figures.drawing import outline, titled
from bertviz_core.figures.matrices import head_map
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider
from bertviz_core.views.view import View, caption, note, picture, program, rounded, say
from bertviz_core.views.word_in_context.comparison import AGAINST, TARGET, Comparison

REMOVAL = Choice(
    "Each other word in turn",
    {"mask it": "mask", "drop it": "drop"},
    about="what each other word is replaced by",
    help="Masking puts [MASK] in its place. Dropping takes it out, and the words after it move.",
)
TIED = 0.01  # changes this near to each other are called equal
AT_INPUT = note("At layer 0, the input, a word has not met another one. Choose layer 1 or higher.")
HEAD = Slider(
    "Head",
    1,
    lambda page: int(page["bert"].settings["num_attention_heads"]),
    when=lambda page: page["bert"].settings["num_attention_heads"] > 1,
    about="the attention head",
)


@once_in_turn
def _occluded_contexts(
    encoder: Encoder, comparison: Comparison, number: int, removal: Removal
) -> OccludedContexts:
    pooling = comparison.request.pooling
    return core.occluded_contexts(encoder, comparison.words[number], removal, pooling)


@once_in_turn
def _word_attention(encoder: Encoder, comparison: Comparison, number: int) -> Array:
    return word_attention(encoder, comparison.words[number])


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


@view(
    "what does it attend to?",
    page="Word in Context",
    rank=15,
    doing="Running the sentence once more …",
)
def attention(
    encoder: AnyEncoder,
    comparison: Comparison,
    layer: int,
    target: Annotated[str, TARGET] = "",
    head: Annotated[int, HEAD] = 1,
) -> View:
    """What a word attends to in one head, and how much each head gives to other words."""
    if not layer:
        return View(AT_INPUT)
    number, _ = comparison.pair(target)
    word = comparison.words[number]
    tokens = word.text.tokens
    by_head = _word_attention(encoder, comparison, number)
    weights = by_head[layer - 1, head - 1]
    shares = attention_to_words(by_head, other_words(word)).sum(axis=-1)
    layers, heads = shares.shape
    most = int(weights.argmax())
    top_layer, top_head = divmod(int(shares.argmax()), heads)
    made = {"layer": layer, "head": head}
    hints = [f"position {at}: {weight:.4f}" for at, weight in enumerate(weights.tolist())]
    return card(
        say(
            "In head <b>{head}</b> of layer <b>{layer}</b>, {word} attends most to <b>{most}</b> "
            "({weight}); {to_others} of its attention goes to other words.",
            method="attention-of-a-word",
            word=word.word,
            most=tokens[most],
            weight=rounded(float(weights[most])),
            to_others=f"{shares[layer - 1, head - 1]:.0%}",
            **made,
        ),
        name="attention",
        columns={"position": range(len(tokens)), "token": tokens, "attention": weights},
        chart=word_bars(weights, tokens, word.token_positions, hints, TOKEN, **titled("attention")),
        alt=f"Bars over the tokens: attention from {word.word} in head {head} of layer {layer}; "
        f"the largest is {weights[most]:.3f}, for {tokens[most]}.",
        below=[
            caption("The share of its attention that each head gives to other words"),
            picture(
                head_map(shares, "share to other words", [outline((head, head), (layer, layer))]),
                alt=f"Heatmap over {layers} layers and {heads} heads: share to other words; the "
                f"highest is {shares.max():.3f}, in head {top_head + 1} of layer {top_layer + 1}.",
                name="heads",
            ),
        ],
        program=program(
            ATTENTION_PROGRAM,
            encoder.bert,
            word=word.span,
            layer=layer,
            head=head,
            name="attention",
        ),
        made=made,
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

ATTENTION_PROGRAM = '''
"""What a word attends to in one head."""

word = ...  # sentence, first character of the word, one past its last
layer = ...  # counted from 1
head = ...  # counted from 1
read = ...
tokenizer, model = ...
model.set_attn_implementation("eager")  # the one that gives its weights
ids, positions = read(tokenizer, *word)
with torch.no_grad():
    attentions = model(ids, output_attentions=True).attentions
weights = attentions[layer - 1][0, head - 1, positions].mean(dim=0)
for i, token in enumerate(tokenizer.convert_ids_to_tokens(ids[0])):
    print(i, f"{weights[i]:.4f}", token)
'''
