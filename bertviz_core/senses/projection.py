"""Many vectors as points on a plane."""

from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen, principal_directions, ratio
from bertviz_core.errors import UserInputError

_SEED, _PERPLEXITY, _FEWEST_FOR_TSNE = 0, 30.0, 4


class Plane(NamedTuple):
    """Vectors projected on their two main directions."""

    points: Array  # float32 (..., 2): the vectors' shape with 2 in place of hidden_size
    explained: Array  # float32 (..., 2): each direction's share of a layer's variance


def shared_frame(vectors: Array, *, keep_drift: bool = False) -> Plane:
    """Project (n, layers, hidden_size) into one plane by PCA; points move only where vectors do.

    From layer to layer all vectors of a word also move together, and most of the variance is this
    drift. So each layer's mean is taken away first, unless `keep_drift`.
    """
    if not vectors.size:
        raise UserInputError("There are no vectors to draw.")
    hidden_size = vectors.shape[-1]
    layer_means = vectors.mean(axis=0, dtype=np.float64)  # (layers, hidden_size)
    means = layer_means
    if keep_drift:
        means = np.broadcast_to(means.mean(axis=0), means.shape)
    scatter = np.zeros((hidden_size, hidden_size))
    spreads = np.zeros((len(means), 1))  # of each layer, around its own mean
    for layer, mean in enumerate(means):  # one layer in float64 at a time
        centred = vectors[:, layer] - mean
        scatter += centred.T @ centred
        spreads[layer] = np.square(vectors[:, layer] - layer_means[layer]).sum()
    # A space of a single dimension has no second direction: then it is zero.
    directions = np.zeros((2, hidden_size))
    count = min(2, hidden_size)
    directions[:count], _ = principal_directions(scatter, count)
    points = np.stack(
        [(vectors[:, layer] - mean) @ directions.T for layer, mean in enumerate(means)], axis=1
    )
    shown = np.square(points - points.mean(axis=0)).sum(axis=0)  # (layers, 2)
    return Plane(frozen(points), frozen(ratio(shown, spreads)))


def layer_frame(vectors: Array) -> Plane:
    """Project the vectors of one layer, float32 (n, hidden_size): `PCA(2)` of scikit-learn."""
    plane = shared_frame(vectors[:, None])
    return Plane(plane.points[:, 0], plane.explained[0])


def tsne_map(vectors: Array) -> Array:
    """Lay n vectors, at least 4, out so that near ones stay near: float32 (n, 2), read-only.

    van der Maaten and Hinton (2008), "Visualizing Data using t-SNE"; `TSNE` of scikit-learn with
    the perplexity of 30, or of a third of the other points where these are few.
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    if len(vectors) < _FEWEST_FOR_TSNE:
        raise UserInputError(
            f"t-SNE needs at least {_FEWEST_FOR_TSNE} vectors; there are {len(vectors)}."
        )
    perplexity = tsne_perplexity(len(vectors))
    # A start by PCA needs a spread, which equal vectors do not have.
    start = "pca" if np.ptp(vectors, axis=0).any() else "random"
    # One thread: beside a busy model, several threads mostly wait for one another.
    with threadpool_limits(limits=1):
        tsne = TSNE(2, perplexity=perplexity, init=start, random_state=_SEED)
        points = tsne.fit_transform(vectors)
    return frozen(points)


def tsne_perplexity(count: int) -> float:
    """The perplexity `tsne_map` uses for so many vectors."""
    return min(_PERPLEXITY, (count - 1) / 3)
