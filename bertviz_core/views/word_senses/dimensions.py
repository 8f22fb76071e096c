"""Whether one dimension makes most of a cosine, and whether the senses of a word need it."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, frozen, ratio, unit_rows
from bertviz_core.calibration import calibration_sentences
from bertviz_core.encoder import Encoder
from bertviz_core.figures.colors import MARK, MUTED, POSITION, TOKEN
from bertviz_core.senses import prepared_set, prepared_words, sense_vectors
from bertviz_core.senses.scores import auc_by_way, mean_over_words
from bertviz_core.shared import once
from bertviz_core.tokens import tokenize
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.mapped import PAGE
from bertviz_core.views.word_senses.scores import MIN_WORDS

SENTENCES = calibration_sentences()[::3]  # those between change no share by more than 0.02
PARTS = {"largest dimension": MARK, "second": POSITION, "third": TOKEN, "all others": MUTED}
WAYS = ("AUC", "AUC, standardised", "AUC without the three")


class CosineParts(NamedTuple):
    """The mean cosine of two tokens by dimension; float64 (layers, hidden_size)."""

    parts: Exact  # those of a layer add up to its mean cosine
    turned: Exact  # the same on random axes, which change no cosine
    mean: Exact  # of each dimension over all tokens
    deviation: Exact
    largest: Ids  # int64 (layers, 3), the dimensions with the largest parts


@once
def parts_of(encoder: Encoder) -> CosineParts:
    """Split the mean cosine of all pairs of tokens of this project's sentences."""
    shape = (encoder.bert.num_hidden_layers + 1, size := encoder.bert.hidden_size)
    sums, count = np.zeros((3, *shape)), 0
    texts = [tokenize(encoder.bert, sentence) for sentence in SENTENCES]
    for _, states in encoder.iter_hidden_states(texts):
        tokens = states[:, 1:-1].astype(np.float64)  # without [CLS] and [SEP]
        sums += [own.sum(axis=1) for own in (unit_rows(tokens), tokens, tokens**2)]
        count += tokens.shape[1]
    unit, mean, square = sums / count
    axes = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]
    parts = unit**2  # the mean product of two numbers, each drawn from all
    deviation = np.sqrt((square - mean**2).clip(0))
    return CosineParts(parts, (unit @ axes) ** 2, mean, deviation, np.argsort(-parts)[:, :3])


@once
def _of_word(encoder: Encoder, word: str) -> tuple[list[tuple[str | None, str, int, int]], Array]:
    """The occurrences of a set that the model can read, and their AUC: (ways, layers)."""
    found, parts = sense_vectors(encoder, prepared_set(word).occurrences), parts_of(encoder)
    standard, without = ratio(found.vectors - parts.mean, parts.deviation), found.vectors.copy()
    np.put_along_axis(without, parts.largest[None], 0, axis=2)
    ways = (found.vectors, frozen(standard), without)
    auc = [auc_by_way(replace(found, vectors=vectors))[: len(parts.mean)] for vectors in ways]
    return [(o.sense, o.sentence, o.start, o.end) for o in found.occurrences], np.stack(auc)


@view(
    "does one dimension make the cosine?",
    page=PAGE,
    rank=20,
    doing="Running sentences and all shipped sense sets …",
    card=True,
)
def one_dimension(encoder: Encoder) -> View:
    """Which dimensions make the mean cosine of two tokens, and whether senses need them."""
    found, read = parts_of(encoder), {word: _of_word(encoder, word) for word in prepared_words()}
    read = {word: one for word, one in read.items() if not np.isnan(one[1]).any()}
    three = np.take_along_axis(found.parts, found.largest, axis=1)
    mean, layer = found.parts.sum(axis=1), int(three[:, 0].argmax())
    share, by_chance = three[:, 0] / mean, found.turned.max(axis=1) / mean
    columns: dict[str, Any] = {
        "layer": range(len(mean)),
        "dimensions": [", ".join(map(str, own)) for own in found.largest.tolist()],
        **dict(zip(PARTS, [*three.T, mean - three.sum(axis=1)], strict=True)),
        **{"mean cosine": mean, "share of the largest": share, "on random axes": by_chance},
    }
    below = []
    if len(read) >= MIN_WORDS:
        auc = np.stack([areas for _, areas in read.values()])  # (words, ways, layers)
        columns |= dict(zip(WAYS, auc.mean(axis=0), strict=True))
        gain = mean_over_words(auc[:, 1:2, layer] - auc[:, :1, layer])
        plain, standard, without = auc[:, :, layer].mean(axis=0).tolist()
        below = [
            caption(
                "Do senses need it? At this layer their mean AUC over {words} words is "
                "<b>{plain:.3f}</b>; with every dimension standardised <b>{standard:.3f}</b> (95% "
                "interval of the difference {low:+.3f} to {high:+.3f}); without the three largest "
                "dimensions {without:.3f}.",
                words=len(auc),
                plain=plain,
                standard=standard,
                low=float(gain.low[0]),
                high=float(gain.high[0]),
                without=without,
            )
        ]
    return card(
        say(
            "At layer {layer} dimension <b>{dimension}</b> alone makes <b>{share:.0%}</b> of the "
            "mean cosine of two random tokens. With the axes turned at random, which changes no "
            "cosine, no dimension makes more than {by_chance:.0%}. After the last layer none makes "
            "more than <b>{last:.0%}</b>.",
            method="one-dimension-of-a-cosine",
            layer=layer,
            dimension=int(found.largest[layer, 0]),
            share=share[layer],
            by_chance=by_chance[layer],
            last=share[-1],
        ),
        name="cosine-parts",
        columns=columns,
        chart=Chart("stacked", "mean cosine of two tokens", PARTS),
        below=below,
        program=program(
            PROGRAM,
            encoder.bert,
            sentences=list(SENTENCES),
            sets={word: own for word, (own, _) in read.items()},
            name="cosine_parts",
        ),
    )


PROGRAM = '''
"""What single dimensions bring to the cosine of two random tokens, and to the senses' AUC."""

sentences = ...
sets = ...  # by word: sense, sentence, first character of the word, one past its last
read, states, pool, vectors_of = ...
tokenizer, model = ...
tokens = []
for sentence in sentences:
    ids = tokenizer(sentence, truncation=True, return_tensors="pt")["input_ids"]
    tokens.append(states(model, ids)[:, 1:-1].double().numpy())  # without [CLS] and [SEP]
tokens = np.concatenate(tokens, axis=1)  # (layers, tokens, hidden_size)
unit = (tokens / np.linalg.norm(tokens, axis=2, keepdims=True)).mean(axis=1)
axes = np.linalg.qr(np.random.default_rng(0).standard_normal((unit.shape[1],) * 2))[0]
parts, turned = unit**2, (unit @ axes) ** 2
largest = np.argsort(-parts)[:, :3]
for number, own in enumerate(parts):
    shares = own.max() / own.sum(), turned[number].max() / own.sum()
    numbers = own.sum(), *own[largest[number]], *shares
    print("layer", number, "dimensions", largest[number], *(f"{one:.3f}" for one in numbers))

scores = {}
for occurrences in sets.values():
    plain = vectors_of(tokenizer, model, occurrences, "mean")
    standard = (plain - tokens.mean(axis=1, keepdims=True)) / tokens.std(axis=1, keepdims=True)
    without = plain.copy()
    np.put_along_axis(without, largest[:, None], 0, axis=2)
    senses, two = np.array([sense for sense, *_ in occurrences]), np.triu_indices(len(plain[0]), 1)
    same = (senses[:, None] == senses)[two]
    for way, layers in {"plain": plain, "standard": standard, "without": without}.items():
        areas = [roc_auc_score(same, cosine_similarity(v)[two].round(6)) for v in layers]
        scores.setdefault(way, []).append(areas)
for way, areas in scores.items():
    print(way, *(f"{area:.3f}" for area in np.mean(areas, axis=0)))
'''
