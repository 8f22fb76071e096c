"""Whether heads use what they look at, over the shipped occurrences: attention against masking."""

import numpy as np

from bertviz_core.contextual.attention import MIN_WORDS, SHUFFLES, HeadsAgreement, removal_for
from bertviz_core.contextual.marks import MarkedText
from bertviz_core.encoder import Encoder
from bertviz_core.figures.drawing import frame
from bertviz_core.figures.matrices import head_map
from bertviz_core.senses import prepared_set, prepared_words
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.mapped import PAGE

TAKEN = {"mask": "masked", "drop": "left out"}


def shipped_words() -> list[MarkedText]:
    """Every occurrence of the labelled sets that ship with the project."""
    found = (one for word in prepared_words() for one in prepared_set(word).occurrences)
    return [MarkedText(one.sentence, one.start, one.end) for one in found]


@view(
    "do heads use what they look at?",
    page=PAGE,
    rank=50,
    doing="Drawing the heads …",
    card=True,
)
def heads(encoder: Encoder, heads_agreement: HeadsAgreement) -> View:
    """Which attention heads look at the words that matter, over all shipped sentences."""
    found = heads_agreement
    layers, count = found.correlations.shape
    above, removal = found.correlations > found.by_chance, removal_for(encoder.bert)
    framed = np.argwhere(above & found.better)
    best_layer, best_head = divmod(int(found.correlations.argmax()), count)
    highest = float(found.correlations[best_layer, best_head])
    if above.any():
        said = (
            "In <b>{above} of {heads}</b> heads, the more a word attends to another one, the more "
            "its vector changes when that one is {taken}. The best is head {head} of layer "
            "{layer}: mean rank correlation <b>{highest}</b>. Nearness alone gives "
            "<b>{nearness:.2f}</b>; {higher} heads exceed it, <b>{better}</b> of them by more than "
            "the best of all heads does by chance."
        )
    else:
        said = (
            "<b>No head</b> shows clearly which other words change the vector when they are "
            "{taken}: the best mean rank correlation is <b>{highest}</b>, and shuffled words "
            "reach {chance:.2f}. Nearness alone gives <b>{nearness:.2f}</b>."
        )
    return card(
        say(
            said,
            method="attention-over-many-sentences",
            above=int(above.sum()),
            heads=above.size,
            taken=TAKEN[removal],
            head=best_head + 1,
            layer=best_layer + 1,
            highest=rounded(highest),
            nearness=found.nearness,
            higher=int((found.correlations - found.nearness > 1e-9).sum()),
            better=len(framed),
            chance=found.by_chance,
        ),
        name="heads-agreement",
        columns={
            "layer": np.repeat(np.arange(1, layers + 1), count),
            "head": np.tile(np.arange(1, count + 1), layers),
            "mean rank correlation": found.correlations.ravel(),
            "above shuffled words": above.ravel().tolist(),
            "clearly above nearness": found.better.ravel().tolist(),
        },
        chart=head_map(
            found.correlations.astype(np.float32),
            "mean rank correlation",
            [frame((head + 1,) * 2, (layer + 1,) * 2) for layer, head in framed.tolist()],
            above,
        ),
        alt=f"Heatmap over {layers} layers and {count} heads, mean rank correlation of "
        f"attention with what masking changes: {above.sum()} above shuffled words; the "
        f"highest is {highest:.2f}, in head {best_head + 1} of layer {best_layer + 1}.",
        below=caption(
            "Grey: not above {chance:.2f}, which shuffled words reach. Framed: clearly above "
            "nearness alone. {sentences} of {shipped} shipped sentences, {words} words taken "
            "away one by one.",
            chance=found.by_chance,
            sentences=len(found.of),
            shipped=len(shipped_words()),
            words=f"{found.words:,}",
        ),
        program=program(
            PROGRAM,
            encoder.bert,
            sentences=[(one.text, one.start, one.end) for one in found.of],
            change=removal,
            fewest=MIN_WORDS,
            shuffles=SHUFFLES,
            name="heads",
        ),
    )


PROGRAM = '''
"""Rank correlation of attention with what taking words away changes, mean over sentences."""

sentences = ...  # sentence, first character of the marked word, one past its last
change = ...  # "mask" or "drop"
fewest = ...  # other words in a sentence
shuffles = ...
read, states, without = ...
tokenizer, model = ...
model.set_attn_implementation("eager")  # the one that gives its weights
mask = tokenizer.mask_token_id if change == "mask" else None


def ranks(rows: np.ndarray) -> np.ndarray:
    """Ranks of each row, centred, of length 1: products are Spearman's correlations."""
    centred = rankdata(rows, axis=-1) - (rows.shape[-1] + 1) / 2
    lengths = np.linalg.norm(centred, axis=-1, keepdims=True)
    return centred / np.where(lengths > 0, lengths, 1)


draw = np.random.default_rng(0)
found, shuffled, nearness = [], np.zeros(()), []
for sentence, start, end in sentences:
    ids, own = read(tokenizer, sentence, start, end)
    words: dict[int, list[int]] = {}
    for position, word in enumerate(tokenizer(sentence, truncation=True).word_ids()):
        if word is not None:
            words.setdefault(word, []).append(position)
    others = [taken for taken in words.values() if not set(taken) & set(own)]
    if len(others) < fewest:
        continue
    with torch.no_grad():
        attention = torch.stack(model(ids, output_attentions=True).attentions)[:, 0]
    attention = attention[:, :, own].mean(dim=2).flatten(0, 1).numpy()  # (all heads, tokens)
    weights = ranks(np.stack([attention[:, taken].sum(axis=-1) for taken in others], axis=-1))
    before, sizes = states(model, ids)[-1, own].mean(dim=0).double(), []
    for taken in others:
        changed, positions = without(ids, own, taken, mask)
        after = states(model, changed)[-1, positions].mean(dim=0).double()
        sizes.append(1 - torch.cosine_similarity(before, after, dim=0).item())
    gaps = [min(abs(taken[0] - own[-1]), abs(own[0] - taken[-1])) for taken in others]
    changes, near = ranks(np.array(sizes)), ranks(-np.array(gaps))
    order = draw.permuted(np.tile(np.arange(len(others)), (shuffles, 1)), axis=1)
    found.append(weights @ changes)
    nearness.append(near @ changes)
    shuffled = shuffled + weights @ changes[order].T
print("nearness alone", f"{np.mean(nearness):.3f}")
print("shuffled words", f"{np.quantile((shuffled / len(found)).max(axis=0), 0.95):.3f}")
for number, correlation in enumerate(np.mean(found, axis=0)):
    layer, head = divmod(number, model.config.num_attention_heads)
    print("layer", layer + 1, "head", head + 1, f"{correlation:.3f}")
'''
