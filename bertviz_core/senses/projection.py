"""Many vectors as points on a plane."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError

Array = NDArray[np.float32]
_SEED, _PERPLEXITY, _FEWEST_FOR_TSNE = 0, 30.0, 4


@dataclass(frozen=True, eq=False)
class Plane:
    """Vectors projected on their two main directions.

    Attributes:
        points: float32 (..., 2), read-only: the vectors' shape with 2 in place of hidden_size.
        explained: float32 (2,), the share of the variance that each direction shows, in [0, 1].
        components: float32 (2, hidden_size), the directions, of length 1; the entry of largest
            magnitude of each is positive.
    """

    points: Array
    explained: Array
    components: Array


def shared_frame(vectors: Array, *, keep_drift: bool = False) -> Plane:
    """Project all layers into one plane, so that points move only where vectors do.

    The plane is that of a PCA over the vectors of all layers. From layer to layer all vectors of
    a word also drift together, and most of the variance is this drift; so each layer's mean is
    taken off first, and what moves a point is its place among the others.

    Args:
        vectors: float32 (n, layers, hidden_size), finite.
        keep_drift: Leave the layers' means in: a plain PCA over all n x layers vectors.

    Returns:
        Points float32 (n, layers, 2).

    Raises:
        UserInputError: There is no vector.

    References:
        `PCA(2)` of scikit-learn on the (n x layers, hidden_size) vectors.
    """
    if not vectors.size:
        raise UserInputError("There are no vectors to draw.")
    hidden_size = vectors.shape[-1]
    means = vectors.mean(axis=0, dtype=np.float64)  # (layers, hidden_size)
    if keep_drift:
        means = np.broadcast_to(means.mean(axis=0), means.shape)
    scatter = np.zeros((hidden_size, hidden_size))
    for layer, mean in enumerate(means):  # one layer in float64 at a time
        centred = vectors[:, layer] - mean
        scatter += centred.T @ centred
    components, explained = _main_directions(scatter)
    points = np.stack(
        [(vectors[:, layer] - mean) @ components.T for layer, mean in enumerate(means)], axis=1
    )
    return Plane(_frozen(points), _frozen(explained), _frozen(components))


def layer_frame(vectors: Array) -> Plane:
    """Project the vectors of one layer on a plane of their own.

    Args:
        vectors: float32 (n, hidden_size), finite.

    Returns:
        Points float32 (n, 2).

    Raises:
        UserInputError: There is no vector.

    References:
        `PCA(2)` of scikit-learn.
    """
    plane = shared_frame(vectors[:, None])
    return Plane(plane.points[:, 0], plane.explained, plane.components)


def tsne_map(vectors: Array) -> Array:
    """Lay vectors out so that near ones stay near; distances between groups mean nothing.

    Args:
        vectors: float32 (n, hidden_size), n at least 4.

    Returns:
        float32 (n, 2), read-only; the same for the same vectors.

    Raises:
        UserInputError: There are fewer than 4 vectors.

    References:
        van der Maaten and Hinton (2008), "Visualizing Data using t-SNE"; `TSNE` of scikit-learn
        with the perplexity of 30, or of a third of the other points where these are few.
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    if len(vectors) < _FEWEST_FOR_TSNE:
        raise UserInputError(
            f"t-SNE needs at least {_FEWEST_FOR_TSNE} vectors; there are {len(vectors)}."
        )
    perplexity = tsne_perplexity(len(vectors))
    # Vectors that are all alike leave a PCA start without any spread, and its scale undefined.
    start = "pca" if np.ptp(vectors, axis=0).any() else "random"
    # One thread: beside a busy model, several spend their time waiting for one another.
    with threadpool_limits(limits=1):
        tsne = TSNE(2, perplexity=perplexity, init=start, random_state=_SEED)
        points = tsne.fit_transform(vectors)
    return _frozen(points)


def tsne_perplexity(count: int) -> float:
    """The perplexity `tsne_map` uses for so many vectors."""
    return min(_PERPLEXITY, (count - 1) / 3)


def _main_directions(scatter: NDArray[np.float64]) -> tuple[NDArray[np.float64], Array]:
    """The two eigenvectors of largest eigenvalue, with a fixed sign, and their shares."""
    values, vectors = np.linalg.eigh(scatter)
    components = vectors[:, ::-1][:, :2].T
    if len(components) < 2:  # a single dimension has no second direction
        components = np.vstack([components, np.zeros_like(components)])
        values = np.concatenate([[0.0], values])
    largest = np.abs(components).argmax(axis=1)
    signs = np.where(components[np.arange(2), largest] < 0, -1.0, 1.0)
    total = max(float(values.sum()), np.finfo(np.float64).tiny)
    return components * signs[:, None], (values[::-1][:2].clip(0) / total).astype(np.float32)


def _frozen(values: NDArray[np.floating]) -> Array:
    array = np.ascontiguousarray(values, dtype=np.float32)
    array.setflags(write=False)
    return array
