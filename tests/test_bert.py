"""A checkpoint opened: sizes, settings, tokenizer, and what that costs."""

import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from tests.data.damage import POSITIONS, SEGMENTS, WORDS

TABLES = {
    "word_embeddings": WORDS,
    "position_embeddings": POSITIONS,
    "token_type_embeddings": SEGMENTS,
    "layer_norm_weight": "embeddings.LayerNorm.weight",
    "layer_norm_bias": "embeddings.LayerNorm.bias",
}


def test_the_embedded_model(minilm: Bert) -> None:
    with minilm.checkpoint.weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert digest == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert (minilm.name, minilm.source) == (EMBEDDED, "package")
    assert (minilm.vocab_size, minilm.hidden_size, minilm.num_hidden_layers) == (30_522, 384, 6)
    assert (minilm.max_position_embeddings, minilm.type_vocab_size) == (512, 2)
    assert minilm.layer_norm_eps == 1e-12
    published = json.loads((minilm.checkpoint.folder / "tokenizer.json").read_text())
    assert published["padding"]["strategy"] == {"Fixed": 128}  # what has to be switched off
    assert published["truncation"]["max_length"] == 128
    assert minilm.tokenizer.encode("hello").tokens == ["[CLS]", "hello", "[SEP]"]
    assert len(minilm.tokenizer.encode("dog " * 300).ids) == 302


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
