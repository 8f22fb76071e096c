"""A search of the token table."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def neighbors_code(
    bert: "Bert",
    terms: list[tuple[int, list[int]]],
    k: int,
    metric: str,
    keep: str,
    *,
    unused: bool,
) -> str:
    """Code that searches the token table.

    Args:
        bert: The checkpoint in use.
        terms: Sign and token ids of each term of the query.
        k: How many neighbours.
        metric: "cosine", "dot" or "euclidean".
        keep: "all", "words" or "subwords".
        unused: Whether `[unused...]` rows may be answers.

    Returns:
        A script that prints k lines, each a token and its score, best first.
    """
    allowed = {
        "all": "True",
        "words": "not token.startswith('##') and token not in tokenizer.all_special_tokens",
        "subwords": "token.startswith('##') and token != '##'",
    }[keep]
    if not unused:
        allowed = f"not token.startswith('[unused') and {allowed}"
    score = {
        "cosine": "cosine_similarity(query[None], table)[0]",
        "dot": "table @ query",
        "euclidean": "-euclidean_distances(query[None], table)[0]  # low is near",
    }[metric]
    sign = "-" if metric == "euclidean" else ""
    return (
        load(bert)
        + f"""from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

table = model.embeddings.word_embeddings.weight.detach().double().numpy()
terms = {terms!r}  # sign, token ids (a word that splits: the mean of its pieces)
query = sum(sign * table[ids].mean(axis=0) for sign, ids in terms)
score = {score}

vocabulary = tokenizer.convert_ids_to_tokens(range(len(table)))
used = {{i for _, ids in terms for i in ids}}
candidates = [i for i, token in enumerate(vocabulary)
              if i not in used and {allowed}]
for i in sorted(candidates, key=lambda i: -score[i])[:{k}]:
    print(vocabulary[i], round({sign}float(score[i]), 4))
"""
    )
