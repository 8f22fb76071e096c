"""How well each layer tells the labelled senses of a word apart."""

from bertviz_core.bert import Bert
from bertviz_core.figures.colors import TOKEN
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import View, joined, say
from bertviz_core.views.word_senses.sense_map import PAGE, SenseMap, scores_of


def best_layer_of(mapped: SenseMap) -> Sentence:
    """Name the layer that tells the senses apart best."""
    scores = scores_of(mapped)
    best, *equal = [mapped.layers[row] for row in scores.best]
    highest = scores.auc.max()
    if highest <= scores.chance:
        finding = (
            "The senses of <b>{word}</b> do not come apart: at every layer shuffled labels score "
            "as high (at most <b>{ranked} of 100</b> pairs are ranked right)."
        )
    else:
        finding = (
            "Layer <b>{layer}</b> tells the senses of <b>{word}</b> apart best: <b>{ranked} of "
            "100</b> pairs are ranked right, 50 by chance"
            + ("; as good: layer {as_good}." if equal else ".")
        )
    return say(
        finding,
        method="scores-of-senses",
        word=mapped.word,
        layer=best,
        ranked=f"{100 * highest:.0f}",
        as_good=joined([str(layer) for layer in equal]),
    )


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
    best = [mapped.layers[row] for row in scores.best]
    labelled = sum(sense is not None for sense in mapped.senses)
    sample = " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    return card(
        say(
            "At layer <b>{best}</b> a pair of one sense is more similar than a pair of two senses "
            "<b>{auc_best:.0%}</b> of the time, 50% by chance. There are {same_sense} pairs of one "
            "sense and {other_sense} of two. Of 100 shuffles of the labels 95 stay below "
            "{chance:.0%} at every layer, the dotted line."
            + (sample if labelled > len(scores.rows) else ""),
            method="scores-of-senses",
            best=best[0],
            auc_best=float(scores.auc.max()),
            same_sense=f"{scores.same_sense:,}",
            other_sense=f"{scores.other_sense:,}",
            chance=scores.chance,
            scored=len(scores.rows),
            labelled=f"{labelled:,}",
        ),
        name="senses-scores",
        columns={**scores.columns(), "layer": mapped.layers},
        chart=Curves("AUC of pairs", {"AUC": TOKEN}, line=scores.chance, at=layer, stars=best),
        program=mapped.program(PROGRAM, bert, name="scores"),
        made=mapped.made(layer),
    )


PROGRAM = '''
"""How well cosines tell the labelled senses of a word apart, at each layer."""

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
read, states, pool, vectors_of = ...
tokenizer, model = ...
words = [word for word in words if word[0] is not None]
if len(words) > 200:  # of more some, always the same, as the page does
    drawn = np.random.default_rng(0).choice(len(words), 200, replace=False)
    words = [words[i] for i in np.sort(drawn)]
by_layer = vectors_of(tokenizer, model, words, pooling)
by_layer /= np.linalg.norm(by_layer, axis=2, keepdims=True)

first, second = np.triu_indices(len(words), 1)
_, labels = np.unique([word[0] for word in words], return_inverse=True)
same_sense = labels[first] == labels[second]
print("pairs of one sense", same_sense.sum(), "of two senses", (~same_sense).sum())
cosines = [(unit @ unit.T)[first, second].round(6) for unit in by_layer]
for layer, values in enumerate(cosines):
    print(f"layer {layer} AUC {roc_auc_score(same_sense, values):.4f}")

ranks = rankdata(cosines, axis=1)
highest = []
for order in np.random.default_rng(0).permuted(np.tile(labels, (300, 1)), axis=1):
    same = order[first] == order[second]
    above = ranks[:, same].sum(axis=1) - same.sum() * (same.sum() + 1) / 2
    highest.append(max(above) / (same.sum() * (~same).sum()))
print(f"shuffled labels, highest of all layers {np.percentile(highest, 95):.4f}")
'''
