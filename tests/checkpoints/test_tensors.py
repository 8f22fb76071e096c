"""The embedding layer from files of every kind."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert
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
