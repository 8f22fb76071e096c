"""How well each layer tells the senses of a word apart, and those of all shipped words."""

from typing import Any

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.figures.colors import MUTED, SEGMENT, TOKEN
from bertviz_core.senses.scores import auc_by_layer
from bertviz_core.shared import once, shared_encoder
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, joined, program, say
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_senses.sense_map import PAGE, SenseMap, scores_of

AUC, MEAN = "AUC of pairs", "mean AUC of the shipped sets"
MIN_WORDS = 5  # drawing fewer says little about other words


def best_layer_of(mapped: SenseMap) -> Sentence:
    """Name the layer that tells the senses apart best, and those that may do it as well."""
    scores = scores_of(mapped)
    best, *equal = scores.best
    as_good = [str(mapped.layers[place]) for place in sorted([*equal, *scores.rivals])]
    if scores.auc[best] <= scores.best_by_chance:
        said = (
            "The senses of <b>{word}</b> do not come apart: at every layer shuffled labels score "
            "as high (at most <b>{ranked} of 100</b> pairs are ranked right)."
        )
    else:
        said = (
            "Layer <b>{layer}</b> tells the senses of <b>{word}</b> apart best: <b>{ranked} of "
            "100</b> pairs are ranked right, 50 by chance"
            + ("; {as_good} may be as good." if as_good else ".")
        )
    return say(
        said,
        method="scores-of-senses",
        word=mapped.word,
        layer=mapped.layers[best],
        ranked=f"{100 * scores.auc[best]:.0f}",
        as_good=f"layer{'s' * (len(as_good) > 1)} {joined(as_good)}",
    )


@once
def _of_word(encoder: Encoder, word: str) -> tuple[list[tuple[str | None, str, int, int]], Exact]:
    """The occurrences of a set that the model can read, and their AUC; one word takes one turn."""
    found = senses.sense_vectors(encoder, senses.prepared_set(word).occurrences)
    return [(o.sense, o.sentence, o.start, o.end) for o in found.occurrences], auc_by_layer(found)


def _shipped_sets(bert: Bert) -> dict[str, tuple[list[Any], Exact]]:
    """The shipped sets that the model can read; none if they are too few."""
    found = {word: _of_word(shared_encoder(bert), word) for word in senses.prepared_words()}
    found = {word: one for word, one in found.items() if not np.isnan(one[1]).any()}
    return found if len(found) >= MIN_WORDS else {}


@view(
    "layer by layer",
    page=PAGE,
    rank=10,
    doing="Scoring every layer …",
    when=lambda page: page["scorable"],
)
def score_curve(bert: Bert, mapped: SenseMap, layer: int) -> View:
    """How well every layer tells labelled senses apart, and what shuffled labels reach."""
    scores = scores_of(mapped)
    best, scored = scores.best[0], len(scores.rows)
    labelled = sum(sense is not None for sense in mapped.senses)
    columns = {**scores.columns(), "layer": mapped.layers}
    colors = {"AUC": TOKEN, "AUC, shuffled": MUTED}
    below: list[Sentence] = []
    programs = mapped.program(PROGRAM, bert, layer=mapped.layers[best], name="scores")
    # Without a program, the model that made the vectors may not be here.
    if programs and (sets := _shipped_sets(bert)):
        by_word = np.stack([areas for _, areas in sets.values()])
        mean = by_word.mean(axis=0)
        columns[MEAN], colors[MEAN] = mean, SEGMENT
        below.append(
            caption(
                "Over the {sets} words whose sets ship with the app, layer <b>{mean_best}</b> has "
                "the highest mean, {mean_auc:.2f}; the last one has {mean_last:.2f}. It is the "
                "best layer of {best_of} of them, so another word may have another one.",
                method="which-layer-is-best",
                sets=len(sets),
                mean_best=int(mean.argmax()),
                mean_auc=float(mean.max()),
                mean_last=float(mean[-1]),
                best_of=int((by_word.argmax(axis=1) == mean.argmax()).sum()),
            )
        )
        values = {word: occurrences for word, (occurrences, _) in sets.items()}
        about = "the mean of the shipped sets"
        programs.append(program(SHIPPED, bert, sets=values, name="shipped_sets", about=about))
    drawn = " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    return card(
        say(
            "At layer <b>{best}</b> a pair of one sense is more similar than a pair of two senses "
            "<b>{auc_best:.0%}</b> of the time, 50% by chance (95% interval {low:.0%} to "
            "{high:.0%}). With shuffled labels the best layer reaches {chance:.0%}, the dotted "
            "line." + (drawn if labelled > scored else ""),
            method="scores-of-senses",
            best=mapped.layers[best],
            auc_best=float(scores.auc[best]),
            low=float(scores.low[best]),
            high=float(scores.high[best]),
            chance=scores.best_by_chance,
            scored=scored,
            labelled=f"{labelled:,}",
        ),
        name="senses-scores",
        columns=columns,
        chart=Curves(
            AUC,
            colors,
            line=scores.best_by_chance,
            at=layer,
            stars=[mapped.layers[place] for place in scores.best],
            band=("AUC from", "AUC to", "95% interval", TOKEN),
        ),
        below=below,
        program=programs,
        made=mapped.made(layer),
    )


PROGRAM = '''
"""How well cosines tell the labelled senses of a word apart, at each layer."""

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
layer = ...  # intervals are of this one
read, states, pool, vectors_of = ...
tokenizer, model = ...
words = [word for word in words if word[0] is not None]
if len(words) > 200:  # of more some, always the same, as the page does
    drawn = np.random.default_rng(0).choice(len(words), 200, replace=False)
    words = [words[i] for i in np.sort(drawn)]
by_layer = vectors_of(tokenizer, model, words, pooling)
by_layer /= np.linalg.norm(by_layer, axis=2, keepdims=True)

count = len(words)
first, second = np.triu_indices(count, 1)
_, labels = np.unique([word[0] for word in words], return_inverse=True)
same_sense = labels[first] == labels[second]
cosines = np.stack([(unit @ unit.T)[first, second].round(6) for unit in by_layer], axis=1)

ranks = rankdata(cosines, axis=0)
orders = np.random.default_rng(0).permuted(np.tile(labels, (300, 1)), axis=1)
shuffles = []
for order in orders:
    same = order[first] == order[second]
    most = same.sum() * (~same).sum()
    shuffles.append((ranks[same].sum(axis=0) - same.sum() * (same.sum() + 1) / 2) / most)
print("shuffled labels, best layer", round(np.percentile(np.max(shuffles, axis=1), 95), 4))
for number in range(len(by_layer)):
    print(
        f"layer {number} AUC {roc_auc_score(same_sense, cosines[:, number]):.4f}",
        f"shuffled {np.percentile(np.array(shuffles)[:, number], 95):.4f}",
    )

# Occurrences drawn with replacement: a pair counts as often as both of it were drawn.
areas = []
for draw in np.random.default_rng(0).integers(count, size=(300, count)):
    times = np.bincount(draw, minlength=count)
    weights = times[first] * times[second]
    if len(set(same_sense[weights > 0])) == 2:
        areas.append(roc_auc_score(same_sense, cosines[:, layer], sample_weight=weights))
low, high = np.percentile(areas, [2.5, 97.5])
print(f"layer {layer} AUC from {low:.4f} to {high:.4f}")
'''


SHIPPED = '''
"""How well cosines tell senses apart at each layer, as the mean over several words."""

sets = ...  # by word: sense, sentence, first character of the word, one past its last
read, states, pool, vectors_of = ...
tokenizer, model = ...
table = []
for occurrences in sets.values():
    senses = np.array([sense for sense, *_ in occurrences])
    pairs = np.triu_indices(len(senses), 1)
    same = (senses[:, None] == senses)[pairs]
    by_layer = vectors_of(tokenizer, model, occurrences, "mean")
    table.append([roc_auc_score(same, cosine_similarity(v)[pairs].round(6)) for v in by_layer])
for number, areas in enumerate(np.transpose(table)):
    print(f"layer {number} mean AUC {areas.mean():.3f}")
'''
