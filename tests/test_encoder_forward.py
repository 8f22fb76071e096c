"""The forward pass written out, against the library's, and what it says of files it cannot run."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.forward import ACTIVATIONS
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import tokenize
from tests.fresh_process import printed_by

Change = Callable[..., Encoder]
TEXTS = ["the cat sat on a mat", "cat", "the mat", ""]


@pytest.fixture
def changed(tiny_folder: Path, tmp_path: Path) -> Change:
    """Loads the tiny checkpoint with other settings."""

    def load(**settings: Any) -> Encoder:
        folder = tmp_path / "changed"
        shutil.copytree(tiny_folder, folder, dirs_exist_ok=True)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | settings))
        return load_encoder(load_bert(folder))

    return load


def assert_equals_the_library(encoder: Encoder) -> None:
    """All texts as one padded batch here, one by one there."""
    import torch

    texts = [tokenize(encoder.bert, text) for text in TEXTS]
    for text, ours in zip(texts, encoder.hidden_states_many(texts), strict=True):
        with torch.no_grad():
            theirs = encoder.model(
                torch.tensor(text.input_ids)[None], output_hidden_states=True
            ).hidden_states
        np.testing.assert_allclose(ours, torch.stack(theirs)[:, 0].numpy(), atol=1e-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations(changed: Change, activation: str) -> None:
    encoder = changed(hidden_act=activation)
    assert encoder.model.config.hidden_act == activation
    assert_equals_the_library(encoder)


@pytest.mark.parametrize(
    "settings", [{"num_attention_heads": 1}, {"num_attention_heads": 8}, {"layer_norm_eps": 0.1}]
)
def test_settings_count(changed: Change, settings: dict[str, float]) -> None:
    text = "the cat sat on a mat"
    plain = changed()
    before = plain.hidden_states(tokenize(plain.bert, text))
    encoder = changed(**settings)
    assert np.abs(encoder.hidden_states(tokenize(encoder.bert, text)) - before).max() > 1e-3
    assert_equals_the_library(encoder)


def test_a_file_of_16_bit_numbers(changed: Change) -> None:
    weights = changed().bert.checkpoint.weights
    halves = {name: tensor.astype(np.float16) for name, tensor in load_file(weights).items()}
    save_file(halves, weights, metadata={"format": "pt"})
    encoder = load_encoder(load_bert(weights.parent))
    assert encoder.hidden_states(tokenize(encoder.bert, "cat")).dtype == np.float32
    assert_equals_the_library(encoder)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"num_attention_heads": 3}, "asks for 3 heads, which do not divide 8"),
        ({"num_attention_heads": 0}, "asks for 0 heads"),
        ({"hidden_act": "swish"}, "the activation swish; expected one of gelu, "),
        (
            {"intermediate_size": 24},
            r"intermediate\.dense\.weight has shape \(16, 8\); expected \(24, 8\) by config\.json",
        ),
    ],
)
def test_what_cannot_be_run_is_a_sentence(
    changed: Change, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(
        ModelUnavailableError, match=rf"of changed cannot be loaded from model\.safe.*: .*{said}"
    ):
        changed(**settings)


def test_the_library_is_loaded_once_for_all_threads(tiny_folder: Path) -> None:
    encoder = load_encoder(load_bert(tiny_folder))
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: encoder.model, range(4)))
    assert all(model is models[0] for model in models)
    assert not models[0].training


def test_hidden_states_need_no_transformers() -> None:
    program = """
import sys
from bertviz_core.bert import load_bert
from bertviz_core.contextual import word_in_context
from bertviz_core.encoder import load_encoder
encoder = load_encoder(load_bert("all-MiniLM-L6-v2"))
shape = word_in_context(encoder, "I love my pet [python]").vectors.shape
print(shape, "torch" in sys.modules, "transformers" in sys.modules)
"""
    assert printed_by(program) == "(7, 384) True False"
