"""Where the model runs."""

import pytest

from bertviz_core.encoder import Encoder
from bertviz_core.encoder.batches import batch_tensors, chosen_device, on_device
from bertviz_core.encoder.forward import ForwardPass
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.encoder.test_forward import is_fused
from tests.tiny import SENTENCES


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
    batch = batch_tensors([tokenize(tiny, text) for text in SENTENCES])
    assert not batch["attention_mask"].all(), "the mask is needed"
    rows, positions = torch.tensor([0, 0, 1, 3]), torch.tensor([1, 2, 1, 3])
    with torch.inference_mode():
        states = layers.states(batch, rows, positions)
        attention = layers.attention(batch, [0, 1])
    assert (states.shape, attention.shape) == ((3, 4, 8), (2, len(SENTENCES), 2, 2, 9))
    for tensor in (states, attention):
        assert (tensor.device.type, tensor.dtype) == ("meta", torch.float32)
