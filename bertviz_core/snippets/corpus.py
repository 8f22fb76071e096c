"""Occurrences of a word in two corpora."""

import numpy as np
from sklearn.preprocessing import normalize


def shift(
    file,  # the arrays of the view
):
    """How far a word's use is apart in two groups of a corpus, layer by layer, against chance.

    It reads the arrays of the view: put what "Arrays (NPZ)" saves beside this program.
    """
    arrays = np.load(file, allow_pickle=False)
    given = arrays["in_first"]  # of each occurrence, whether it is in the first group
    print("occurrences", given.sum(), (~given).sum())

    # Occurrences in one sentence stay together when sentences are given to the groups at random.
    numbers = arrays["sentence_number"]  # of each occurrence; those of the first group come first
    of_first = np.arange(numbers.max() + 1) <= numbers[given].max()  # of each sentence
    in_first = np.tile(of_first, (1000, 1))  # row 0 is how it is
    in_first[1:] = np.random.default_rng(0).permuted(in_first[1:], axis=1)
    chosen = in_first[:, numbers].astype(float)
    counts = chosen.sum(axis=1, keepdims=True)

    def within(vectors: np.ndarray, of: np.ndarray) -> float:
        """The mean distance of two vectors of length 1 that are of different sentences."""
        apart = of[:, None] != of
        return float(1 - (vectors @ vectors.T)[apart].mean())

    def means(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean vector of the first and of the second group, for each division."""
        inside = chosen @ vectors
        return inside / counts, (vectors.sum(axis=0) - inside) / (len(vectors) - counts)

    size = int(given.sum())
    for layer, vectors in zip(arrays["layers"], arrays["vectors"].swapaxes(0, 1), strict=True):
        units = normalize(vectors.astype(float))
        one, other = means(units)  # the mean of all cosines is the product of the means
        average = (1 - (one * other).sum(axis=1)).round(9)
        both = (within(units[:size], numbers[:size]) + within(units[size:], numbers[size:])) / 2
        low, high = np.percentile(average[1:], [5, 95])
        print(
            f"layer {layer}",
            f"between / within {average[0] / both:.4f}",
            f"average pairwise distance {average[0]:.4f}",
            f"(at random {low:.4f} to {high:.4f}, p {(average >= average[0]).mean():.3f})",
        )
