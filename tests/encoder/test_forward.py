"""The forward pass written out, against the library's, and what it says of files it cannot run."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.batches import batch_tensors
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import tokenize
from tests.data.damage import change_settings, change_weights, half_precision

TEXTS = ["the cat sat on a mat", "cat", "the mat", ""]


def changed(folder: Path, **settings: Any) -> Encoder:
    change_settings(folder, **settings)
    return load_encoder(load_bert(folder))


def assert_equals_the_library(encoder: Encoder) -> None:
    """All texts as one padded batch here, one by one there."""
    import torch

    texts = [tokenize(encoder.bert, text) for text in TEXTS]
    for text, ours in zip(texts, encoder.hidden_states_many(texts), strict=True):
        with torch.no_grad():
            theirs = encoder.model(
                torch.tensor(text.input_ids)[None], output_hidden_states=True
            ).hidden_states
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, torch.stack(theirs)[:, 0].numpy(), atol=1e-5)


def library_attention(folder: Path, **batch: Any) -> np.ndarray:
    """The library's own: (layers, texts, heads, tokens, tokens)."""
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        return torch.stack(model(**batch, output_attentions=True).attentions).numpy()


@pytest.mark.parametrize(
    ("text", "pair"),
    [("I love my pet python", None), ("My awesomesauce", "tastes of pepper!"), ("", None)],
)
def test_attention_equals_the_library(minilm_encoder: Encoder, text: str, pair: str | None) -> None:
    bert = minilm_encoder.bert
    tokenized = tokenize(bert, text, pair)
    every = list(range(len(tokenized)))
    theirs = library_attention(bert.checkpoint.folder, **batch_tensors([tokenized]))[:, 0]
    ours = minilm_encoder.attention(tokenized, every)
    assert ours.dtype == np.float32
    assert ours.shape == theirs.shape == (6, 12, len(every), len(every))
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    some = every[1:3]
    np.testing.assert_allclose(
        minilm_encoder.attention(tokenized, some), ours[:, :, some], atol=1e-6
    )
    assert np.ptp(ours, axis=(0, 1)).max() > 0.05, "heads differ"


@pytest.mark.parametrize("heads", [1, 8])
def test_attention_in_a_padded_batch(folder: Path, heads: int) -> None:
    import torch

    encoder = changed(folder, num_attention_heads=heads)
    batch = batch_tensors([tokenize(encoder.bert, text) for text in TEXTS])
    theirs = library_attention(folder, **batch)
    with torch.inference_mode():
        ours = torch.stack(encoder.layers.attention(batch, range(theirs.shape[-1]))).numpy()
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
        *({"hidden_act": "gelu"}, {"hidden_act": "gelu_new"}, {"hidden_act": "relu"}),
        *({"hidden_act": "silu"}, {"num_attention_heads": 1}, {"num_attention_heads": 8}),
        {"layer_norm_eps": 0.1},
    ],
)
def test_settings_count(folder: Path, tiny_encoder: Encoder, settings: dict[str, Any]) -> None:
    encoder = changed(folder, **settings)
    assert_equals_the_library(encoder)
    text = tokenize(encoder.bert, TEXTS[0])
    before = tiny_encoder.hidden_states(tokenize(tiny_encoder.bert, TEXTS[0]))
    difference = np.abs(encoder.hidden_states(text) - before).max()
    assert difference > 1e-5 or settings == {"hidden_act": "gelu"}  # which it has


def test_a_file_of_16_bit_numbers(folder: Path) -> None:
    change_weights(folder, half_precision)
    assert_equals_the_library(changed(folder))


@pytest.mark.parametrize(
    "settings",
    [
        *({"is_decoder": True}, {"hidden_act": "prelu"}, {"hidden_act": "none"}),
        {"intermediate_size": 24},
    ],
)
def test_what_cannot_be_run_names_the_file(folder: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(
        ModelUnavailableError, match=r"model\.safetensors.* mine|mine .*model\.safetensors"
    ):
        changed(folder, **settings)


def test_the_library_has_the_same_tensors(tiny_encoder: Encoder) -> None:
    for name, parameter in tiny_encoder.model.named_parameters():
        assert parameter.data_ptr() == tiny_encoder._parameters[name].data_ptr()
        assert parameter.requires_grad


def test_the_library_is_loaded_once_for_all_threads(tiny_folder: Path) -> None:
    encoder = load_encoder(load_bert(tiny_folder))
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: encoder.model, range(4)))
    assert all(model is models[0] for model in models)
    assert not models[0].training
