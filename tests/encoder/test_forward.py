"""The forward pass written out, against the library's."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.settings import ACTIVATIONS
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.devices import chosen_device, on_device
from bertviz_core.encoder.forward import ForwardPass, batch_tensors
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.data.damage import change_settings, change_weights, half_precision
from tests.tiny import SENTENCES

TEXTS = ["the cat sat on a mat", "cat", "the mat", ""]


def changed(folder: Path, **settings: Any) -> Encoder:
    change_settings(folder, **settings)
    return load_encoder(load_bert(folder))


def is_fused(forward: ForwardPass) -> list[bool]:
    """Of each layer, whether torch may compute it in one step."""
    return [bool(layer.activation_relu_or_gelu) for layer in forward._layers]


def assert_equals_the_library(encoder: Encoder) -> None:
    """All texts as one padded batch here, one by one there; also as on other devices."""
    unfused = ForwardPass(encoder.bert, encoder._parameters, fused=False)
    assert not any(is_fused(unfused))
    for running in (encoder._running, unfused):
        encoder._running = running
        _assert_equals_the_library(encoder)


def _assert_equals_the_library(encoder: Encoder) -> None:
    import torch

    texts = [tokenize(encoder.bert, text) for text in TEXTS]
    for text, ours in zip(texts, encoder.hidden_states_many(texts), strict=True):
        with torch.no_grad():
            theirs = encoder.model(
                torch.tensor(text.input_ids)[None], output_hidden_states=True
            ).hidden_states
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, torch.stack(theirs)[:, 0].numpy(), atol=1e-5)


@pytest.mark.parametrize("heads", [1, 8])
def test_attention_equals_the_library(folder: Path, heads: int) -> None:
    """All texts as one padded batch, and some positions of one text alone."""
    import torch
    from transformers import BertModel

    encoder = changed(folder, num_attention_heads=heads)
    batch = batch_tensors([tokenize(encoder.bert, text) for text in TEXTS])
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        theirs = torch.stack(model(**batch, output_attentions=True).attentions).numpy()
    with torch.inference_mode():
        ours = encoder._running.attention(batch, range(theirs.shape[-1])).numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    padding = batch["attention_mask"].numpy() == 0
    assert padding.any()
    assert not ours.transpose(1, 4, 0, 2, 3)[padding].any()
    alone = tokenize(encoder.bert, TEXTS[1])
    np.testing.assert_allclose(
        encoder.attention(alone, [0, 1])[:, 0], ours[:, 1, 0, :2, : len(alone)], atol=1e-5
    )


@pytest.mark.parametrize(
    "settings",
    [
        *({"hidden_act": name} for name in ACTIVATIONS if name != "gelu"),
        *({"num_attention_heads": 8}, {"layer_norm_eps": 0.1}),
    ],
)
def test_settings_count(folder: Path, tiny_encoder: Encoder, settings: dict[str, Any]) -> None:
    encoder = changed(folder, **settings)
    assert_equals_the_library(encoder)
    before, after = (
        one.hidden_states(tokenize(one.bert, TEXTS[0])) for one in (tiny_encoder, encoder)
    )
    assert np.abs(after - before).max() > 1e-5
    change_weights(folder, half_precision)
    assert_equals_the_library(changed(folder))


def test_the_library_is_loaded_once_for_all_threads(tiny_folder: Path) -> None:
    encoder = load_encoder(load_bert(tiny_folder))
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: encoder.model, range(4)))
    assert all(model is models[0] for model in models)
    for name, parameter in models[0].named_parameters():
        assert parameter.data_ptr() == encoder._parameters[name].data_ptr(), "no copy in memory"


def test_the_device_is_a_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def with_gpus(count: int) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    with_gpus(0)
    assert chosen_device() == chosen_device("cpu") == "cpu"
    with pytest.raises(UserInputError):
        chosen_device("cuda")
    with_gpus(2)
    assert chosen_device() == chosen_device("cuda") == "cuda:0"
    assert (chosen_device("cuda:1"), chosen_device("cpu")) == ("cuda:1", "cpu")
    for device in ("cuda:2", "mps", "", "cuda:-1"):
        with pytest.raises(UserInputError, match="choose cpu, cuda, cuda:0, cuda:1"):
            chosen_device(device)


def test_everything_runs_on_the_device_of_the_weights(tiny_encoder: Encoder) -> None:
    """On torch's "meta" device, which computes no numbers but refuses tensors of another one."""
    import torch

    tiny = tiny_encoder.bert
    layers = ForwardPass(tiny, on_device(tiny_encoder._parameters, "meta"))
    assert all(is_fused(tiny_encoder._running))
    assert not any(is_fused(layers)), "on CUDA that step computes another GELU"
    assert not torch.backends.cuda.matmul.allow_tf32, "float32, as transformers computes there"
    batch = batch_tensors([tokenize(tiny, text) for text in SENTENCES])
    assert not batch["attention_mask"].all(), "the mask is needed"
    rows, positions = torch.tensor([0, 0, 1, 3]), torch.tensor([1, 2, 1, 3])
    with torch.inference_mode():
        states = layers.states(batch, rows, positions)
        attention = layers.attention(batch, [0, 1])
    assert (states.shape, attention.shape) == ((3, 4, 8), (2, len(SENTENCES), 2, 2, 9))
    for tensor in (states, attention):
        assert (tensor.device.type, tensor.dtype) == ("meta", torch.float32)
