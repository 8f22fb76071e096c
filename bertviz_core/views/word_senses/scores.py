"""How well each layer tells the senses of a word apart, or what groups its vectors form."""

from bertviz_core.bert import Bert
from bertviz_core.figures.sense_scores import layer_scores
from bertviz_core.senses import SenseScores
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, clouds_of, layers_named, scores_of

AUC = "AUC of pairs"


def finding(mapped: Mapped) -> Sentence:
    """Name the layer that tells the senses apart best, and those that may do it as well."""
    scores = scores_of(mapped)
    auc, (best, *equal) = scores.auc, scores.best
    as_good = mapped.numbers_of(sorted([*equal, *scores.rivals]))
    if not auc.chance.beaten_by(auc.values[best]):
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
        as_good=layers_named(as_good),
    )


def groups_finding(mapped: Mapped, layer: int, count: int | None) -> Sentence:
    """Say into how many groups the occurrences of one layer fall; for those without labels."""
    groups, word = mapped.groups(layer, count), mapped.word
    if groups.count == 1:
        said = "At layer {layer} all occurrences of <b>{word}</b> have the same vector."
        return say(said, method="groups-of-occurrences", layer=layer, word=word)
    clouds = clouds_of(mapped, layer, groups.count)
    return say(
        "At layer {layer} the occurrences of <b>{word}</b> split into <b>{groups}</b> groups "
        "{clearly} clearly than points without groups would: mean silhouette <b>{score}</b> (1 is "
        "clear, 0 is none), and {low} to {high} in {clouds} random clouds as large.",
        method="groups-of-occurrences",
        layer=layer,
        word=word,
        groups=groups.count,
        clearly="more" if groups.silhouette > clouds.max() else "no more",
        score=rounded(groups.silhouette),
        low=rounded(float(clouds.min())),
        high=rounded(float(clouds.max())),
        clouds=len(clouds),
    )


@view(
    "layer by layer",
    page=PAGE,
    rank=10,
    doing="Scoring every layer …",
    when=lambda scorable: scorable,
)
def score_curve(bert: Bert, mapped: Mapped, layer: int) -> View:
    """How well every layer tells labelled senses apart, and what shuffled labels reach."""
    scores = scores_of(mapped)
    auc, best = scores.auc, scores.best[0]
    return View(
        say(
            "Take a pair of one sense and a pair of two senses: at layer <b>{best}</b> the pair of "
            "one sense is more similar <b>{auc_best:.0%}</b> of the time (50% by chance).",
            method="scores-of-senses",
            best=mapped.layers[best],
            auc_best=float(auc.values[best]),
        ),
        _how_sure(mapped, scores),
        picture(
            layer_scores(
                auc.values,
                score_name=AUC,
                best=mapped.numbers_of(scores.best),
                layer=layer,
                numbers=mapped.layers,
                lowest=0.4,
                interval=(auc.low, auc.high),
                chance=(auc.chance.by_layer, auc.chance.best),
            ),
            alt=f"{AUC}, same sense against different senses, by layer: "
            + ", ".join(
                f"{number}: {area:.2f} ({low:.2f} to {high:.2f})"
                for number, area, low, high in zip(
                    mapped.layers, auc.values, auc.low, auc.high, strict=True
                )
            )
            + f". Shuffled labels reach {auc.chance.best:.2f} at their best layer.",
            name="senses-scores",
        ),
        table(
            lambda: {**scores.columns(), "layer": mapped.layers}, name="senses-scores", fold="Table"
        ),
        mapped.program(PROGRAM, bert, layer, layer=mapped.layers[best], name="scores"),
        made=mapped.made(layer),
    )


def _how_sure(mapped: Mapped, scores: SenseScores) -> Sentence:
    """How sure the score is, and what chance and the input embedding reach."""
    auc, best, scored = scores.auc, scores.best[0], len(scores.rows)
    said = "AUC {auc_exact:.2f}, 95% interval {low:.2f} to {high:.2f}; "
    if mapped.layers[0] == 0:
        said += "at the input, where only position and form differ, {auc_input:.2f}; "
    said += "with shuffled labels the best layer reaches {chance:.2f}."
    labelled = sum(sense is not None for sense in mapped.senses)
    if labelled > scored:
        said += " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    return caption(
        said,
        auc_exact=float(auc.values[best]),
        low=float(auc.low[best]),
        high=float(auc.high[best]),
        chance=auc.chance.best,
        auc_input=float(auc.values[0]),
        scored=scored,
        labelled=f"{labelled:,}",
    )


PROGRAM = '''
"""How well cosines tell the labelled senses of a word apart, at each layer.

Of more than 200, `words` is the page's table of all, saved as CSV: put that beside this program.
"""

from scipy.stats import binomtest, rankdata
from sklearn.metrics import roc_auc_score

words = ...  # sense or None, sentence, first character of the word, one past its last
pooling = ...  # "mean", "first", "last" or "max"
layer = ...  # intervals are of this one
words_of, read, states, pool, vectors_of = ...
tokenizer, model = ...
words = [word for word in words_of(words) if word[0] is not None]
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


def nearest_sense(units: np.ndarray, i: int) -> int:
    """The sense whose centroid is nearest to an occurrence, which is itself left out."""
    others = np.arange(count) != i
    centroids = {
        label: units[others & (labels == label)].mean(axis=0) for label in set(labels[others])
    }
    return min(centroids, key=lambda label: np.linalg.norm(units[i] - centroids[label]))


for number, units in enumerate(by_layer):
    nearest = np.array([nearest_sense(units, i) for i in range(count)])
    print(
        f"layer {number} AUC {roc_auc_score(same_sense, cosines[:, number]):.4f}",
        f"shuffled {np.percentile(np.array(shuffles)[:, number], 95):.4f}",
        f"nearest centroid {np.mean(nearest == labels):.4f}",
    )
    if number == layer:
        right = binomtest(int((nearest == labels).sum()), count).proportion_ci(method="wilson")

# Occurrences drawn with replacement: a pair counts as often as both of it were drawn.
areas = []
for draw in np.random.default_rng(0).integers(count, size=(300, count)):
    times = np.bincount(draw, minlength=count)
    weights = times[first] * times[second]
    if len(set(same_sense[weights > 0])) == 2:
        areas.append(roc_auc_score(same_sense, cosines[:, layer], sample_weight=weights))
low, high = np.percentile(areas, [2.5, 97.5])
print(f"layer {layer} AUC from {low:.4f} to {high:.4f}")
print(f"    nearest centroid from {right.low:.4f} to {right.high:.4f}")
'''
