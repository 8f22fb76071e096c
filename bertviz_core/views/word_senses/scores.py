"""How well each layer tells the labels of a word apart, and its sentences without the word."""

from bertviz_core.bert import Bert
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import View, joined, say
from bertviz_core.views.word_senses.sense_map import PAGE, SenseMap, scores_of


def best_layer_of(mapped: SenseMap) -> Sentence:
    """Name the layer that tells the labels apart best, beside the sentences without the word."""
    scores, without = scores_of(mapped), scores_of(mapped).without_word
    best, *equal = [mapped.layers[row] for row in scores.best]
    highest = scores.auc.max()
    sentences = ", <b>{ranked_without}</b> by its sentences without it (layer {layer_without})"
    ranked = "<b>{ranked} of 100</b> pairs are ranked right" + (sentences if without else "")
    if highest <= scores.chance:
        finding = (
            "No layer of <b>{word}</b> tells the labelled groups apart: shuffled labels score as "
            f"high. At most {ranked}."
        )
    else:
        finding = (
            "Layer <b>{layer}</b> tells the labelled groups of <b>{word}</b> apart best, by sense "
            f"or by topic: {ranked}, 50 by chance"
            + ("; as good: layer {as_good}." if equal else ".")
        )
    return say(
        finding,
        method="scores-of-senses",
        word=mapped.word,
        layer=best,
        ranked=f"{100 * highest:.0f}",
        ranked_without=without and f"{100 * without.auc.max():.0f}",
        layer_without=without and mapped.layers[without.best[0]],
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
    """How well every layer tells labels apart, the sentences without the word, and shuffles."""
    scores, without = scores_of(mapped), scores_of(mapped).without_word
    best = [mapped.layers[row] for row in scores.best]
    labelled = sum(sense is not None for sense in mapped.senses)
    sentences = (
        "; without it, by the mean of the sentence's other tokens, at most <b>{auc_without:.0%}</b>"
        " (layer <b>{best_without}</b>)"
    )
    sample = " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    alone = " Not in the second curve are sentences of the word alone: {alone}."
    left_out = len(scores.rows) - len(without.rows) if without else 0
    return card(
        say(
            "At layer <b>{best}</b>, its best, the word is more similar in a pair of one label "
            "than in a pair of two labels <b>{auc_best:.0%}</b> of the time, by sense or by topic"
            + (sentences if without else "")
            + "; 50% by chance. There are {same_sense} pairs of one label and {other_sense} of "
            "two. Of 100 shuffles of the labels 95 stay below {chance:.0%} at every layer, the "
            "dotted line."
            + (sample if labelled > len(scores.rows) else "")
            + (alone if left_out else ""),
            method="scores-of-senses",
            best=best[0],
            auc_best=float(scores.auc.max()),
            auc_without=without and float(without.auc.max()),
            best_without=without and mapped.layers[without.best[0]],
            same_sense=f"{scores.same_sense:,}",
            other_sense=f"{scores.other_sense:,}",
            chance=scores.chance,
            scored=len(scores.rows),
            labelled=f"{labelled:,}",
            alone=left_out,
        ),
        name="senses-scores",
        columns={**scores.columns(), "layer": mapped.layers},
        chart=Curves(
            "AUC of pairs",
            {"AUC": TOKEN} | ({"AUC without the word": MUTED} if without else {}),
            line=scores.chance,
            at=layer,
            stars=best,
        ),
        program=mapped.program(PROGRAM, bert, name="scores"),
        made=mapped.made(layer),
    )


PROGRAM = '''
"""How well cosines tell the labels of a word apart at each layer, with and without the word."""

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
read, states, pool = ...
tokenizer, model = ...
words = [word for word in words if word[0] is not None]
if len(words) > 200:  # of more some, always the same, as the page does
    drawn = np.random.default_rng(0).choice(len(words), 200, replace=False)
    words = [words[i] for i in np.sort(drawn)]

vectors, others = {}, {}  # of each word, and the mean of its sentence's other tokens
for i, (_, sentence, start, end) in enumerate(words):
    ids, positions = read(tokenizer, sentence, start, end)
    by_token = states(model, ids)
    rest = [at for at in range(1, ids.shape[1] - 1) if at not in positions]  # no [CLS], no [SEP]
    vectors[i] = pool(by_token[:, positions], pooling).double().numpy()
    if rest:
        others[i] = by_token[:, rest].mean(dim=1).double().numpy()

for of_what in (others, vectors):  # the word last: its labels are shuffled below
    name = "of the word" if of_what is vectors else "without the word"
    labels = np.array([words[i][0] for i in of_what])
    first, second = np.triu_indices(len(labels), 1)
    same_sense = labels[first] == labels[second]
    if not 0 < same_sense.sum() < len(first):
        continue
    print(name, "pairs of one label", same_sense.sum(), "of two labels", (~same_sense).sum())
    by_layer = np.stack([*of_what.values()], axis=1)
    by_layer /= np.linalg.norm(by_layer, axis=2, keepdims=True)
    cosines = [(unit @ unit.T)[first, second].round(6) for unit in by_layer]
    for layer, values in enumerate(cosines):
        print(f"layer {layer} AUC {name} {roc_auc_score(same_sense, values):.4f}")

_, labels = np.unique(labels, return_inverse=True)
ranks = rankdata(cosines, axis=1)
highest = []
for order in np.random.default_rng(0).permuted(np.tile(labels, (300, 1)), axis=1):
    same = order[first] == order[second]
    above = ranks[:, same].sum(axis=1) - same.sum() * (same.sum() + 1) / 2
    highest.append(max(above) / (same.sum() * (~same).sum()))
print(f"shuffled labels, highest of all layers {np.percentile(highest, 95):.4f}")
'''
