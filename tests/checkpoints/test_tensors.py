"""The embedding layer from files of every kind."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.tensors import extreme_rows, norms_by_kind
from tests.data.damage import POSITIONS, SEGMENTS, WORDS

TABLES = {
    "word_embeddings": WORDS,
    "position_embeddings": POSITIONS,
    "token_type_embeddings": SEGMENTS,
    "layer_norm_weight": "embeddings.LayerNorm.weight",
    "layer_norm_bias": "embeddings.LayerNorm.bias",
}


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_the_tables_are_the_files_tensors(which: str, request: pytest.FixtureRequest) -> None:
    bert: Bert = request.getfixturevalue(which)
    tensors = load_file(bert.checkpoint.weights)
    norms = np.linalg.norm(tensors[WORDS], axis=1)
    np.testing.assert_allclose(bert.tables.word_norms, norms, rtol=1e-6)
    for name, tensor in TABLES.items():
        np.testing.assert_array_equal(getattr(bert.tables, name), tensors[tensor])
    for array in vars(bert.tables).values():
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_extreme_rows() -> None:
    longest, shortest = extreme_rows(np.float32([2, 5, 1, 5, 1]), 3)
    assert longest.tolist() == [1, 3, 0]
    assert shortest.tolist() == [2, 4, 0]


def test_norms_by_kind() -> None:
    found = norms_by_kind(np.float32([1, 3, 8, 10]), np.int8([0, 0, 2, 0]), 3)
    assert found["median"][[0, 2]].tolist() == [3, 8]
    assert all(np.isnan(values[1]) for values in found.values())
    assert found["mean"][0] == pytest.approx(14 / 3)
    assert (found["smallest"][0], found["largest"][0], found["std"][2]) == (1, 10, 0)
