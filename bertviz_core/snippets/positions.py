"""The position and segment tables, and the model run with other positions or segments."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load, load_and_tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

_TABLE = "table = model.embeddings.position_embeddings.weight.detach().double().numpy()\n"


def position_table_code(bert: "Bert", row: int, column: int, k: int) -> str:
    """Code that compares the rows of the position table.

    Args:
        bert: The checkpoint in use.
        row: A position.
        column: Another position, to compare with the first.
        k: How many of its nearest positions to print.

    Returns:
        A script that prints the cosine of the two, the lengths, the k nearest positions, how much
        the distance explains, and the variance of the principal components.
    """
    return (
        load(bert)
        + f"""import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

{_TABLE}similarity = cosine_similarity(table)
row, column = {row}, {column}
print("cosine:", similarity[row, column])
print("length:", np.linalg.norm(table[row]))

order = np.argsort(-similarity[row], kind="stable")
for position in order[order != row][:{k}]:
    print(position, round(similarity[row, position], 4))

i, j = np.triu_indices(len(table), 1)  # every pair once
cosines, distance = similarity[i, j], j - i
mean = np.bincount(distance, cosines) / np.maximum(np.bincount(distance), 1)
left = ((cosines - mean[distance]) ** 2).sum()
print("distance explains:", 1 - left / ((cosines - cosines.mean()) ** 2).sum())

pca = PCA(svd_solver="full").fit(table)
path = pca.transform(table)  # row i is position i
print("variance:", pca.explained_variance_ratio_[:6])
"""
    )


def sinusoids_code(bert: "Bert", patterns: int) -> str:
    """Code that compares the position table with the sinusoids of the original Transformer.

    Args:
        bert: The checkpoint in use.
        patterns: How many of the strongest patterns over positions to compare.

    Returns:
        A script that prints a line for the model, for its rows shuffled and for random numbers:
        mean cosine of the same rows, R squared after the best rotation, share of the patterns;
        then what the ten strongest waves hold of the model, the sinusoids and random numbers.
    """
    return (
        load(bert)
        + f"""import numpy as np
from sklearn.metrics.pairwise import paired_cosine_distances

{_TABLE}n, d = table.shape
angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
sinusoids = np.empty((n, d))
sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, :d // 2])

def likeness(a, b, patterns={patterns}):
    same_rows = (1 - paired_cosine_distances(a, b)).mean()
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    rotation = np.linalg.svd(a.T @ b, compute_uv=False).sum() ** 2  # orthogonal Procrustes
    a = np.linalg.svd(a, full_matrices=False)[0][:, :patterns]
    b = np.linalg.svd(b, full_matrices=False)[0][:, :patterns]
    return same_rows, rotation, ((a.T @ b) ** 2).sum() / patterns

def waves(a):  # share of variance in waves that go up and down 1, 2, 3, ... times
    power = (abs(np.fft.fft(a - a.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    power[1 : (n + 1) // 2] *= 2
    return power[1 : n // 2 + 1] / power[1 : n // 2 + 1].sum()

shuffled = table[np.random.default_rng(0).permutation(n)]
random = np.random.default_rng(0).standard_normal((n, d))
for other in (table, shuffled, random):
    print(*likeness(other, sinusoids))
for other in (table, sinusoids, random):
    print("strongest waves:", np.sort(waves(other))[-10:].sum())
"""
    )


def segments_code(bert: "Bert") -> str:
    """Code that compares the two rows of the segment table.

    Args:
        bert: The checkpoint in use, with two segments or more.

    Returns:
        A script that prints the lengths of both rows and of their difference, their cosine, and
        the dimensions of the largest difference.
    """
    return (
        load(bert)
        + """
a, b = model.embeddings.token_type_embeddings.weight.detach().double()[:2]
print("lengths:", a.norm().item(), b.norm().item(), (b - a).norm().item())
print("cosine:", torch.cosine_similarity(a, b, dim=0).item())
for dimension in (b - a).abs().argsort(descending=True)[:10].tolist():
    print(dimension, round((b - a)[dimension].item(), 4))
"""
    )


def experiment_code(
    bert: "Bert",
    text: str,
    text_pair: str | None,
    position_ids: list[int],
    token_type_ids: list[int],
) -> str:
    """Code that runs a text with its own and with other positions and segments.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.
        position_ids: One position a token.
        token_type_ids: One segment a token.

    Returns:
        A script that prints 1 - cosine of every token, a line a layer.
    """
    return (
        load_and_tokenize(bert, text, text_pair)
        + f"""position_ids = torch.tensor([{position_ids}])
token_type_ids = torch.tensor([{token_type_ids}])
with torch.no_grad():
    before = model(**inputs, output_hidden_states=True).hidden_states
    inputs["token_type_ids"] = token_type_ids
    after = model(**inputs, position_ids=position_ids, output_hidden_states=True).hidden_states

for layer, (a, b) in enumerate(zip(before, after)):
    print(layer, (1 - torch.cosine_similarity(a[0].double(), b[0].double(), dim=1)).tolist())
"""
    )
