"""The forward pass written out, against the library's, and what it says of files it cannot run."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.training import backward_pass
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import tokenize
from tests.fresh_process import printed_by

Change = Callable[..., Encoder]
Tensors = dict[str, np.ndarray]
TEXTS = ["the cat sat on a mat", "cat", "the mat", ""]


@pytest.fixture
def changed(tiny_folder: Path, tmp_path: Path) -> Change:
    """Loads the tiny checkpoint with other settings."""

    def load(**settings: Any) -> Encoder:
        folder = Path(mkdtemp(dir=tmp_path)) / "changed"  # an encoder maps its file: never rewrite
        shutil.copytree(tiny_folder, folder)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | settings))
        return load_encoder(load_bert(folder))

    return load


def with_tensors(encoder: Encoder, change: Callable[[Tensors], Tensors]) -> Encoder:
    """The same checkpoint in another folder, its tensors passed through `change`."""
    folder = encoder.bert.checkpoint.folder
    other = folder.parent / "other" / folder.name
    shutil.copytree(folder, other)
    tensors = change(load_file(other / "model.safetensors"))
    save_file(tensors, other / "model.safetensors", metadata={"format": "pt"})
    return load_encoder(load_bert(other))


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


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu", "silu"])
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
    encoder = with_tensors(
        changed(), lambda tensors: {k: v.astype(np.float16) for k, v in tensors.items()}
    )
    assert encoder.hidden_states(tokenize(encoder.bert, "cat")).dtype == np.float32
    assert_equals_the_library(encoder)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"num_attention_heads": 3}, "asks for 3 heads, which do not divide 8"),
        ({"num_attention_heads": 0}, "gives num_attention_heads as 0; expected a whole number"),
        ({"intermediate_size": "many"}, "gives intermediate_size as “many”; expected a whole"),
        ({"hidden_dropout_prob": "a tenth"}, "gives hidden_dropout_prob as “a tenth”; expected"),
        ({"attention_probs_dropout_prob": 2}, "gives attention_probs_dropout_prob as 2; expected"),
        ({"is_decoder": True}, "says is_decoder; expected an encoder"),
        ({"hidden_act": "prelu"}, "asks for 'prelu', an activation with weights"),
        ({"hidden_act": "none"}, "asks for the activation “none”, which transformers lacks"),
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


def test_the_library_has_the_same_tensors(changed: Change) -> None:
    encoder = changed()
    tensors = encoder._parameters
    for name, parameter in encoder.model.named_parameters():
        assert parameter.data_ptr() == tensors[name].data_ptr()
        assert parameter.requires_grad


def test_without_a_pooler_gradients_flow_after_the_proof(changed: Change) -> None:
    """What the library makes up while it is loaded in inference mode could have no gradient."""
    encoder = with_tensors(
        changed(),
        lambda tensors: {k: v for k, v in tensors.items() if not k.startswith("pooler.")},
    )
    text = tokenize(encoder.bert, "the cat sat")
    assert encoder.embedding_layer(text).shape == (5, 8)
    assert backward_pass(encoder, text, [1], [2]).norm_of("encoder.layer.0.") > 0
    assert not encoder.has_pooler


def test_a_library_that_refuses_is_a_sentence(
    changed: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import BertModel

    def refuse(*_: object, **options: object) -> None:
        raise ValueError("not this one")

    monkeypatch.setattr(BertModel, "from_pretrained", refuse)
    encoder = changed()
    text = tokenize(encoder.bert, "cat")
    assert encoder.hidden_states(text).shape == (3, 3, 8)
    with pytest.raises(ModelUnavailableError, match=r"transformers cannot load changed from model"):
        encoder.embedding_layer(text)


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
