"""The arithmetic of the core: by hand, against torch and against scikit-learn."""

import numpy as np
import pytest

from bertviz_core.arrays import (
    cosine,
    cosine_matrix,
    frozen,
    layer_norm,
    principal_directions,
    ratio,
    read_only,
    unit_rows,
)


def test_a_frozen_copy() -> None:
    own = np.arange(6, dtype=np.float64).reshape(2, 3)
    copy = frozen(own[:, 1])
    assert copy.tolist() == [1, 4]
    assert copy.dtype == np.float32
    assert copy.base is None
    assert own.flags.writeable
    assert frozen([1, 2], np.int64).dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 5
    assert read_only(own) is own
    assert not own.flags.writeable


def test_a_ratio_is_zero_where_nothing_is_below() -> None:
    assert ratio(np.array([[3.0], [4.0]]), np.array([2.0, 0.0])).tolist() == [[1.5, 0], [2, 0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unit_rows(dtype: type[np.floating]) -> None:
    rows = unit_rows(np.float32([[3, 4], [0, 0]]), dtype)
    assert rows.dtype == dtype
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def test_cosines_by_hand() -> None:
    rows = np.float32([[1, 0], [-2, 0], [3, 3], [0, 0]])
    half = 0.5**0.5
    assert cosine(rows, rows[0]) == pytest.approx([1, -1, half, 0])
    assert cosine(rows, rows).tolist() == [1, 1, 1, 0]
    assert cosine_matrix(rows[:2], rows) == pytest.approx(
        np.array([[1, -1, half, 0], [-1, 1, -half, 0]])
    )
    layers = np.stack([rows, rows[::-1]])  # (2, 4, 2): one vector a layer against its rows
    assert cosine(rows[:2, None], layers) == pytest.approx(
        np.array([[1, -1, half, 0], [0, -half, 1, -1]])
    )


def test_layer_norm_by_hand() -> None:
    # Mean 2, variance 1: (1, 3) becomes (-1, 1); times (2, 3) plus (10, 20).
    norm = layer_norm(np.float32([[1, 3]]), np.float32([2, 3]), np.float32([10, 20]), eps=0.0)
    assert (norm.mean.tolist(), norm.deviation.tolist()) == ([[2]], [[1]])
    assert norm.centred.tolist() == norm.divided.tolist() == [[-1, 1]]
    assert norm.scaled.tolist() == [[-2, 3]]
    assert norm.output.tolist() == [[8, 23]]
    norm = layer_norm(np.ones((1, 4)), np.ones(4, np.float32), np.full(4, 0.5, np.float32), 1e-12)
    assert norm.output.tolist() == [[0.5] * 4]


def test_layer_norm_like_torch() -> None:
    import torch

    draw = np.random.default_rng(0)
    values = draw.standard_normal((2, 5, 16)).astype(np.float32)
    weight, bias = draw.standard_normal((2, 16)).astype(np.float32)
    with torch.inference_mode():
        own = torch.nn.functional.layer_norm(
            *(torch.from_numpy(values), (16,), torch.from_numpy(weight), torch.from_numpy(bias)),
            eps=1e-3,
        ).numpy()
    assert layer_norm(values, weight, bias, 1e-3).output == pytest.approx(own, abs=2e-6)


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
