"""Many occurrences of one word, on a map and in groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertviz_core.senses.groups import starts
from bertviz_core.snippets.opening import load
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

MOST_LISTED = 200
_POOL = {
    "mean": "pieces.mean(dim=1)",
    "first": "pieces[:, 0]",
    "last": "pieces[:, -1]",
    "max": "pieces.max(dim=1).values",
}
_MAPS = {
    "all layers": """\
flat = (vectors - vectors.mean(axis=0)).reshape(-1, vectors.shape[-1])  # without the drift
points = PCA(2).fit_transform(flat).reshape(len(vectors), -1, 2)[:, layer]
""",
    "all layers, with drift": """\
flat = vectors.reshape(-1, vectors.shape[-1])
points = PCA(2).fit_transform(flat).reshape(len(vectors), -1, 2)[:, layer]
""",
    "this layer": """\
points = PCA(2).fit_transform(vectors[:, layer])
""",
    "t-SNE": """\
points = TSNE(2, perplexity=min(30, (len(vectors) - 1) / 3), init="pca",
              random_state=0).fit_transform(vectors[:, layer].astype(np.float32))
""",
}


def senses_code(
    bert: "Bert",
    words: Sequence[tuple[str | None, str, int, int]],
    pooling: str,
    layer: int,
    kind: str,
    file_name: str,
) -> str:
    """Code that prints the map of a word's occurrences and the scores of its groups by layer.

    Args:
        bert: The checkpoint in use.
        words: Sense or None, sentence, first and one-past-last character of the word, for each.
        pooling: "mean", "first", "last" or "max".
        layer: 0 to num_hidden_layers.
        kind: "all layers", "all layers, with drift", "this layer" or "t-SNE".
        file_name: The page's table as CSV, which the code reads where there are more than 200
            occurrences.

    Returns:
        A script that prints, for each layer, the number of groups, their silhouette and, where
        there are labels, the adjusted Rand index; then the points.
    """
    labelled = any(word[0] is not None for word in words)
    anew = starts(len(words))
    return (
        load(bert)
        + f"""import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score, silhouette_score

{_words(words, file_name)}
layer = {layer}

def vector(sentence, start, end):
    inputs = tokenizer(sentence, return_tensors="pt", return_offsets_mapping=True,
                       truncation=True, max_length={bert.max_position_embeddings})
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = torch.stack(model(**inputs, output_hidden_states=True).hidden_states)[:, 0]
    pieces = states[:, [i for i, (s, e) in enumerate(offsets) if s < end and e > start and e > s]]
    return {_POOL[pooling]}.numpy()

# (occurrences, layers + 1, hidden)
vectors = np.stack([vector(*word[1:]) for word in words]).astype(np.float64)

for number in range(vectors.shape[1]):
    tried = {{}}
    for k in range(2, 1 + min(6, len(words) - 1, len(np.unique(vectors[:, number], axis=0)))):
        groups = KMeans(k, n_init={anew}, random_state=0).fit_predict(vectors[:, number])
        tried[silhouette_score(vectors[:, number], groups)] = groups
    if not tried:
        print("layer", number, "all vectors are alike")
        continue
    silhouette = max(tried)
    groups = tried[silhouette]
    print("layer", number, "groups", len(set(groups)), "silhouette", round(silhouette, 4)"""
        + (
            """, end=" ")
    named = [i for i, word in enumerate(words) if word[0] is not None]
    print("agreement", round(adjusted_rand_score([words[i][0] for i in named], groups[named]), 4))
"""
            if labelled
            else ")\n"
        )
        + f"""
{_MAPS[kind]}np.set_printoptions(threshold=points.size, suppress=True)
print(points)
"""
    )


def _words(words: Sequence[tuple[str | None, str, int, int]], file_name: str) -> str:
    if len(words) > MOST_LISTED:
        return f"""import csv

with open({file_name!r}, encoding="utf-8-sig", newline="") as file:  # the page's table as CSV
    words = [(row.get("sense") or None, row["sentence"], int(row["start"]), int(row["end"]))
             for row in csv.DictReader(file)]
"""
    listed = "".join(
        f"    {(sense, without_lone_surrogates(sentence), start, end)!r},\n"
        for sense, sentence, start, end in words
    )
    return f"""words = [  # sense, sentence, first character of the word, one past its last
{listed}]
"""
