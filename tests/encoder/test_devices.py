"""Where the model runs and in which numbers: devices, half precision."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.arrays import unit_rows
from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.batches import batch_tensors
from bertviz_core.encoder.devices import chosen_device, moved
from bertviz_core.encoder.library_modules import pooler_steps
from bertviz_core.encoder.weights import forward_pass, read_parameters
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.tokens import tokenize
from tests.data.damage import change_tensor
from tests.tiny import SENTENCES


def test_the_device_is_a_gpu_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tiny: Bert
) -> None:
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
    with pytest.raises(UserInputError):
        load_encoder(tiny, "cpu", "float64")  # type: ignore[arg-type]


def test_everything_runs_on_the_device_of_the_weights(tiny: Bert) -> None:
    """On torch's "meta" device, which computes no numbers but refuses tensors of another one."""
    import torch

    layers = forward_pass(tiny, moved(read_parameters(tiny), "meta", "bfloat16"))
    batch = batch_tensors([tokenize(tiny, text) for text in SENTENCES])
    assert not batch["attention_mask"].all(), "the mask is needed"
    rows, positions = torch.tensor([0, 0, 1, 3]), torch.tensor([1, 2, 1, 3])
    with torch.inference_mode():
        every = layers.all_states(batch)
        picked = layers.picked_states(batch, rows, positions)
        attention = layers.attention(batch, [0, 1])
    assert [tuple(states.shape) for states in every] == [(len(SENTENCES), 9, 8)] * 3
    assert [tuple(states.shape) for states in picked] == [(4, 8)] * 3
    for tensor in (*every, *picked, *attention):
        assert (tensor.device.type, tensor.dtype) == ("meta", torch.bfloat16)


@pytest.mark.parametrize(
    ("dtype", "least_cosine", "most_change"),
    [("float16", 0.99999, 0.002), ("bfloat16", 0.9995, 0.01)],
)
def test_half_precision_is_near(
    minilm: Bert, minilm_encoder: Encoder, dtype: Any, least_cosine: float, most_change: float
) -> None:
    texts = [tokenize(minilm, text) for text in (*SENTENCES, "He sat on the bank. " * 30)]
    words = [range(len(text)) for text in texts]
    half = load_encoder(minilm, "cpu", dtype)
    assert half.dtype == dtype

    def all_tokens(encoder: Encoder) -> np.ndarray:
        vectors = np.concatenate(encoder.piece_vectors_many(texts, words), axis=1)
        assert vectors.dtype == np.float32
        return unit_rows(vectors)

    near, exact = all_tokens(half), all_tokens(minilm_encoder)
    assert (near * exact).sum(-1).min() >= least_cosine
    assert not np.array_equal(near, exact), "it ran in another dtype"
    change = np.abs(near @ near.mT - exact @ exact.mT)
    assert change.max() <= most_change


def test_half_precision_of_the_library_and_of_large_numbers(
    tiny: Bert, tiny_encoder: Encoder, folder: Path
) -> None:
    """The library's own model stays in float32; what float16 has no number for is refused."""
    half, text = load_encoder(tiny, "cpu", "bfloat16"), tokenize(tiny, "the cat sat")
    own, exact = (pooler_steps(encoder, text).own for encoder in (half, tiny_encoder))
    np.testing.assert_array_equal(own, exact)
    change_tensor(folder, "encoder.layer.0.output.LayerNorm.bias", lambda bias: bias + 70_000)
    large = load_bert(folder)
    with pytest.raises(ModelUnavailableError, match="run it in float32"):
        load_encoder(large, "cpu", "float16").hidden_states(tokenize(large, "the cat"))
