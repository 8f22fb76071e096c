"""The arithmetic of the core: by hand and against scikit-learn."""

import numpy as np
import pytest

from bertviz_core.arrays import (
    cosine,
    cosine_matrix,
    frozen,
    principal_directions,
)


def test_a_frozen_copy() -> None:
    own = np.arange(6, dtype=np.float64).reshape(2, 3)
    copy = frozen(own[:, 1])
    assert (copy.tolist(), copy.dtype, copy.base) == ([1, 4], np.float32, None)
    assert own.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 5


def test_cosines_by_hand() -> None:
    rows = np.float32([[1, 0], [-2, 0], [3, 3], [0, 0]])
    half = 0.5**0.5
    assert cosine(rows, rows[0]) == pytest.approx([1, -1, half, 0])
    assert cosine(rows, rows).tolist() == [1, 1, 1, 0]
    assert cosine_matrix(rows[:2], rows) == pytest.approx(
        np.array([[1, -1, half, 0], [-1, 1, -half, 0]])
    )


def test_principal_directions_like_scikit_learn() -> None:
    from sklearn.decomposition import PCA

    rows = np.random.default_rng(0).standard_normal((30, 8)) * [9, 5, 3, 2, 1, 1, 1, 0]
    centred = rows - rows.mean(axis=0)
    directions, variances = principal_directions(centred.T @ centred, 3)
    pca = PCA(3, svd_solver="full").fit(rows)
    signs = np.sign((directions * pca.components_).sum(axis=1))
    assert directions == pytest.approx(pca.components_ * signs[:, None])
    assert variances == pytest.approx(pca.explained_variance_ * 29)
    assert (directions[np.arange(3), np.abs(directions).argmax(axis=1)] > 0).all()
    directions, variances = principal_directions(np.zeros((3, 3)), 2)
    assert variances.tolist() == [0, 0]
    assert np.linalg.norm(directions, axis=1) == pytest.approx([1, 1])
