"""How well each layer tells the senses of a word apart, and which layer is best for all words."""

from collections.abc import Sequence

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, draw, horizontal_line, marks
from bertviz_core.senses.scores import LAST, Mean, auc_by_way, mean_over_words
from bertviz_core.shared import once
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, program, say
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, scores_of

AUC = "AUC of pairs"
MIN_WORDS = 5  # drawing fewer says little about other words


def best_layer_of(mapped: Mapped) -> Sentence:
    """Name the layer that tells the senses apart best, and those that may do it as well."""
    scores = scores_of(mapped)
    auc, (best, *equal) = scores.auc, scores.best
    as_good = [str(mapped.layers[place]) for place in sorted([*equal, *scores.rivals])]
    if auc.values[best] <= auc.chance.best:
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
        ranked=f"{100 * auc.values[best]:.0f}",
        as_good=f"layer{'s' * (len(as_good) > 1)} {joined(as_good)}",
    )


@view(
    "layer by layer",
    page=PAGE,
    rank=10,
    doing="Scoring every layer …",
    when=lambda page: page["scorable"],
)
def score_curve(bert: Bert, mapped: Mapped, layer: int) -> View:
    """How well every layer tells labelled senses apart, and what shuffled labels reach."""
    scores = scores_of(mapped)
    auc, best, scored = scores.auc, scores.best[0], len(scores.rows)
    labelled = sum(sense is not None for sense in mapped.senses)
    drawn = " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    return card(
        say(
            "At layer <b>{best}</b> a pair of one sense is more similar than a pair of two senses "
            "<b>{auc_best:.0%}</b> of the time, 50% by chance (95% interval {low:.0%} to "
            "{high:.0%}). With shuffled labels the best layer reaches {chance:.0%}, the dotted "
            "line." + (drawn if labelled > scored else ""),
            method="scores-of-senses",
            best=mapped.layers[best],
            auc_best=float(auc.values[best]),
            low=float(auc.low[best]),
            high=float(auc.high[best]),
            chance=auc.chance.best,
            scored=scored,
            labelled=f"{labelled:,}",
        ),
        name="senses-scores",
        columns={**scores.columns(), "layer": mapped.layers},
        chart=Chart(
            "curves",
            AUC,
            {"AUC": TOKEN, "AUC, shuffled": MUTED},
            line=auc.chance.best,
            at=layer,
            stars=[mapped.layers[place] for place in scores.best],
            band=("AUC from", "AUC to", "95% interval", TOKEN),
        ),
        program=mapped.program(PROGRAM, bert, layer=mapped.layers[best], name="scores"),
        made=mapped.made(layer),
    )


@once
def _of_word(encoder: Encoder, word: str) -> tuple[list[tuple[str | None, str, int, int]], Array]:
    """The occurrences of a set that the model can read, and their AUC; one word takes one turn."""
    found = senses.sense_vectors(encoder, senses.prepared_set(word).occurrences)
    return [(o.sense, o.sentence, o.start, o.end) for o in found.occurrences], auc_by_way(found)


@view(
    "which layer is best?", page=PAGE, rank=15, doing="Running all shipped sense sets …", card=True
)
def best_layer(encoder: Encoder) -> View:
    """Which layer tells senses apart best, over all shipped words, and if adding layers helps."""
    bert, words = encoder.bert, senses.prepared_words()
    found = {name: _of_word(encoder, name) for name in words}
    by_word = {name: auc for name, (_, auc) in found.items() if not np.isnan(auc).any()}
    if len(by_word) < MIN_WORDS:
        said = "This model can read {count} of the {words} shipped sense sets: too few to compare."
        return View(note(said, count=len(by_word), words=len(words)))
    last, auc = min(LAST, bert.num_hidden_layers), np.stack([*by_word.values()])
    names = [f"layer {number}" for number in range(bert.num_hidden_layers + 1)]
    names += [f"the {how} of the last {last} layers" for how in ("sum", "concatenation")]
    mean = mean_over_words(auc)
    below = mean_over_words(auc[:, [mean.values.argmax()]] - auc)
    return card(
        _best(names, len(by_word), mean, below),
        name="senses-best-layer",
        columns={
            "vectors": names,
            **dict(zip(("mean AUC", "from", "to"), mean, strict=True)),
            **dict(zip(("below the best by", "at least", "at most"), below, strict=True)),
            **by_word,
        },
        chart=_means(mean, below, last),
        alt=f"Mean {AUC} of {len(by_word)} words, with 95% intervals: "
        + "; ".join(
            "{} {:.2f} ({:.2f} to {:.2f})".format(*one) for one in zip(names, *mean, strict=True)
        ),
        below=[
            caption(
                "Bars: 95% intervals, which are wide because words differ. The sum is better than "
                "the last layer on {higher} of {sets} sets, and other sets differ (see Methods). A "
                "mean of layers has the same cosines as their sum. {read} of {all} sentences are "
                "used.",
                higher=int((auc[:, -2] > auc[:, -3]).sum()),
                sets=len(auc),
                read=sum(len(found[name][0]) for name in by_word),
                all=sum(len(senses.prepared_set(name).occurrences) for name in words),
            ),
            caption(origin_of(bert.checkpoint).upper),
        ],
        program=program(
            BEST_LAYER, bert, sets={name: found[name][0] for name in by_word}, name="layer_choice"
        ),
    )


def _best(names: Sequence[str], words: int, mean: Mean, below: Mean) -> Sentence:
    """Name the best, and say of what people take whether it is as good."""
    best, last = int(mean.values.argmax()), len(names) - 3
    usual = (int(mean.values[: last + 1].argmax()), last, last + 1, last + 2)
    others = {way: "the last layer" if way == last else names[way] for way in usual if way != best}
    as_good = [name for way, name in others.items() if below.low[way] <= 0]
    lower = [f"{others[way]} ({mean.values[way]:.2f})" for way in others if below.low[way] > 0]
    if mean.low[best] <= 0.5:
        said = "<b>No layer tells senses apart on these {words} sets</b>, and several together do "
        said += "not either: mean AUC at most {auc}, by chance 0.50."
    else:
        said = "On these {words} sets <b>{best}</b> separates senses best (mean AUC <b>{auc}</b>)."
        said += " Perhaps as good: {as_good}." if as_good else ""
        said += " Clearly lower: {lower}." if lower else " So the choice makes little difference."
    return say(
        said,
        method="which-layer-is-best",
        best=names[best],
        words=words,
        auc=f"{mean.values[best]:.2f}",
        as_good=joined(as_good),
        lower=joined(lower),
    )


def _means(mean: Mean, below: Mean, last: int) -> Figure:
    """Means with intervals by layer, then of the last layers together."""
    layers = [*range(len(mean.values) - 2)]
    x = np.array([*layers, len(layers) + 0.5, len(layers) + 2])  # room for the names of the two
    best = (mean.values == mean.values.max()) & (mean.low > 0.5)
    lower = best.any() & (below.low > 0)
    look = {
        "color": np.where(lower, MUTED, TOKEN).tolist(),
        "symbol": np.where(best, "star", "circle").tolist(),
        "size": np.where(best, 16, 9).tolist(),
    }
    arms = {"array": mean.high - mean.values, "arrayminus": mean.values - mean.low}
    bar = arms | {"symmetric": False, "color": TOKEN, "thickness": 2.5}
    name = "mean; grey: clearly lower than the best" if lower.any() else "mean"
    shown = layers[:: -(-len(layers) // 14)]
    return draw(
        [marks(x, mean.values, look, f"mean {AUC} %{{y:.3f}}", name=name, error_y=bar)],
        height=380,
        legend=True,
        shapes=[horizontal_line(0.5)],
        xaxis=titled(
            f"layer, then the last {last} together",
            tickangle=0,
            tickvals=[*shown, *x[-2:]],
            ticktext=[*map(str, shown), "sum", "concat."],
        ),
        yaxis=titled(AUC, tickformat=".2f"),
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


BEST_LAYER = '''
"""How well each layer tells senses apart, and the last four together: mean over words."""

sets = ...  # by word: sense, sentence, first character of the word, one past its last
read, states, pool, vectors_of = ...
tokenizer, model = ...
table = []
for word, occurrences in sets.items():
    by_layer = vectors_of(tokenizer, model, occurrences, "mean")
    last = by_layer[1:][-4:]
    ways = {f"layer {number}": vectors for number, vectors in enumerate(by_layer)}
    ways |= {"sum": last.sum(axis=0), "concatenation": np.concatenate(last, axis=1)}
    senses = np.array([sense for sense, *_ in occurrences])
    pairs = np.triu_indices(len(senses), 1)
    same = (senses[:, None] == senses)[pairs]
    table.append([roc_auc_score(same, cosine_similarity(v)[pairs].round(6)) for v in ways.values()])
    print(word, *(f"{area:.3f}" for area in table[-1]))

areas, count = np.array(table), len(table)
best = areas[:, [areas.mean(axis=0).argmax()]]
times = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), 10_000)
for what, columns in {"mean AUC": areas, "below the best by": best - areas}.items():
    for name, column in zip(ways, columns.T, strict=True):
        low, high = np.percentile(times @ column / count, [2.5, 97.5])
        print(f"{name}: {what} {column.mean():.3f}, 95% interval {low:.3f} to {high:.3f}")
'''
