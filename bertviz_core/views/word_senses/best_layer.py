"""Which layer to take, and whether to add or concatenate the last four: all shipped sense sets."""

from collections.abc import Mapping, Sequence

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MARK, MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, draw, horizontal_line, marks
from bertviz_core.senses.scores import LAST, Mean, auc_by_way, mean_over_words
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, program, say
from bertviz_core.views.sentences import joined, rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_senses.mapped import PAGE
from bertviz_core.views.word_senses.scores import AUC

FEWEST = 5  # words: drawing fewer says little about other words


@once
def _of_word(encoder: Encoder, word: str) -> tuple[list[tuple[str | None, str, int, int]], Array]:
    """The occurrences of a set that the model can read, and their AUC; one word takes one turn."""
    found = senses.sense_vectors(encoder, senses.prepared_set(word).occurrences)
    return [(o.sense, o.sentence, o.start, o.end) for o in found.occurrences], auc_by_way(found)


@view(
    "which layer is best?", page=PAGE, rank=15, doing="Running all shipped sense sets …", card=True
)
def best_layer(encoder: Encoder, word: str) -> View:
    """Which layer tells senses apart best, over all shipped words, and if adding layers helps."""
    bert, words = encoder.bert, senses.prepared_words()
    found = {name: _of_word(encoder, name) for name in words}
    by_word = {name: auc for name, (_, auc) in found.items() if not np.isnan(auc).any()}
    if len(by_word) < FEWEST:
        said = "This model can read {count} of the {words} shipped sense sets: too few to compare."
        return View(note(said, count=len(by_word), words=len(words)))
    last, auc = min(LAST, bert.num_hidden_layers), np.stack([*by_word.values()])
    names = [f"layer {number}" for number in range(bert.num_hidden_layers + 1)]
    names += [f"the {how} of the last {last} layers" for how in ("sum", "concatenation")]
    mean = mean_over_words(auc)
    below = mean_over_words(auc[:, [mean.values.argmax()]] - auc)
    gain = [rounded(float(end[0]), 3) for end in mean_over_words(auc[:, [-2]] - auc[:, [-1]])]
    return card(
        _finding(names, len(by_word), mean, below),
        name="senses-best-layer",
        columns={
            "vectors": names,
            **dict(zip(("mean AUC", "from", "to"), mean, strict=True)),
            **dict(zip(("below the best by", "at least", "at most"), below, strict=True)),
            **by_word,
        },
        chart=_points(by_word, mean, below, word.lower(), last),
        alt=f"Mean {AUC} of {len(by_word)} words, with 95% intervals: "
        + "; ".join(
            "{} {:.2f} ({:.2f} to {:.2f})".format(*one) for one in zip(names, *mean, strict=True)
        ),
        below=[
            caption(
                "Dots: one set each. Bars: 95% intervals, which are wide because words differ. "
                "The sum is better than the last layer on {higher} of {sets} sets, and other sets "
                "differ (see Methods). Sum minus concatenation: {gain}. A mean of layers has the "
                "same cosines as their sum. {read} of {all} sentences are used.",
                higher=int((auc[:, -2] > auc[:, -3]).sum()),
                sets=len(auc),
                gain=f"{gain[0]} ({gain[1]} to {gain[2]})",
                read=sum(len(found[name][0]) for name in by_word),
                all=sum(len(senses.prepared_set(name).occurrences) for name in words),
            ),
            caption(origin_of(bert.checkpoint).upper),
        ],
        program=program(
            PROGRAM, bert, sets={name: found[name][0] for name in by_word}, name="layer_choice"
        ),
    )


def _finding(names: Sequence[str], words: int, mean: Mean, below: Mean) -> Sentence:
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


def _points(by_word: Mapping[str, Array], mean: Mean, below: Mean, word: str, last: int) -> Figure:
    """Means with intervals by layer, then of the last layers together; dots for each set."""
    ways, layers = np.arange(len(mean.values)), len(mean.values) - 2
    x = ways + 0.5 * (ways >= layers) + 0.5 * (ways > layers)  # room for the names of the two
    traces = []
    for name, auc in by_word.items():
        dots = {"color": MARK if name == word else faint(MUTED, 0.5), "size": 6}
        hover, own = f"{AUC} %{{y:.3f}}", name == word
        traces.append(marks(x, auc, dots, hover, name=name, showlegend=own))
    best = (ways == mean.values.argmax()) & (mean.low > 0.5)
    lower = best.any() & (below.low > 0)
    look = {
        "color": np.where(lower, MUTED, TOKEN).tolist(),
        "symbol": np.where(best, "star", "circle").tolist(),
        "size": np.where(best, 16, 9).tolist(),
    }
    arms = {"array": mean.high - mean.values, "arrayminus": mean.values - mean.low}
    bar = arms | {"symmetric": False, "color": TOKEN, "thickness": 2.5}
    hover = f"mean {AUC} %{{y:.3f}}"
    name = "mean; grey: clearly lower than the best" if lower.any() else "mean"
    traces.append(marks(x, mean.values, look, hover, name=name, error_y=bar))
    shown = list(range(0, layers, -(-layers // 14)))
    return draw(
        traces,
        height=380,
        legend=True,
        shapes=[horizontal_line(0.5)],
        xaxis=titled(
            f"layer, then the last {last} together",
            tickangle=0,
            tickvals=[*x[shown], *x[layers:]],
            ticktext=[*map(str, shown), "sum", "concat."],
        ),
        yaxis=titled(AUC, tickformat=".2f"),
    )


PROGRAM = '''
"""How well each layer tells senses apart, and the last four together: mean over words."""

from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity

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
