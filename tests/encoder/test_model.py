"""Hidden states of trained and of odd checkpoints, against transformers."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.forward import BATCH
from bertviz_core.encoder.library_modules import backward_pass, pooler_steps
from bertviz_core.encoder.model import GPU_BATCH_TOKENS
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.tokens import tokenize
from tests.data.damage import change_weights, old_names, remove_tensors

TEXTS = ["I love my pet python", "dog", "She is Zoe. " * 20, "", "the cat sat on the mat"]


@pytest.mark.parametrize("sentence", TEXTS)
@pytest.mark.parametrize("pair", [None, "a second sentence"])
def test_hidden_states_equal_transformers(
    minilm_encoder: Encoder, library, sentence: str, pair: str | None
) -> None:
    import torch

    text = tokenize(minilm_encoder.bert, sentence, pair)
    ours = minilm_encoder.hidden_states(text)
    with torch.no_grad():
        theirs = library(
            torch.tensor(text.input_ids)[None],
            token_type_ids=torch.tensor(text.token_type_ids)[None],
            output_hidden_states=True,
        )
    assert ours.shape == (7, len(text), 384)
    assert ours.dtype == np.float32
    assert not ours.flags.writeable
    for layer, expected in zip(ours, theirs.hidden_states, strict=True):
        assert np.abs(layer - expected[0].numpy()).max() < 1e-5
    pooled = pooler_steps(minilm_encoder, text).pooled
    assert np.abs(pooled - theirs.pooler_output[0].numpy()).max() < 1e-5
    assert np.abs(minilm_encoder.embedding_layer(text) - ours[0]).max() < 1e-6


def test_many_come_back_in_order_and_equal_the_single_ones(tiny_encoder: Encoder) -> None:
    words = ("cat", "dog", "mat", "king", "queen")
    texts = [
        tokenize(tiny_encoder.bert, f"{words[i % 5]} {'the ' * (i % 7)}") for i in range(BATCH + 5)
    ]
    many = tiny_encoder.hidden_states_many(texts)
    for text, states in zip(texts, many, strict=True):
        assert states.shape[1] == len(text)
        assert np.abs(states - tiny_encoder.hidden_states(text)).max() < 1e-5
    assert tiny_encoder.hidden_states_many([]) == []


def test_another_checkpoints_text_is_refused(minilm_encoder: Encoder, tiny: Bert) -> None:
    text = tokenize(tiny, "the cat")
    with pytest.raises(UserInputError):
        minilm_encoder.hidden_states(text)
    with pytest.raises(UserInputError):
        pooler_steps(minilm_encoder, text)


def test_old_tensor_names_and_foreign_heads(folder: Path, tiny_encoder: Encoder) -> None:
    head = {"cls.predictions.bias": np.zeros(40, np.float32)}
    change_weights(folder, lambda tensors: old_names(tensors) | head)
    old = load_encoder(load_bert(folder))
    ours, theirs = (
        encoder.hidden_states(tokenize(encoder.bert, "the cat sat on a mat"))
        for encoder in (old, tiny_encoder)
    )
    assert np.array_equal(ours, theirs)
    assert old.has_pooler


def test_a_checkpoint_without_pooler_has_states_and_gradients(folder: Path) -> None:
    """What the library makes up while it is loaded in inference mode could have no gradient."""
    remove_tensors(folder, "pooler.")
    encoder = load_encoder(load_bert(folder))
    text = tokenize(encoder.bert, "the cat sat")
    assert encoder.hidden_states(text).shape == (3, 5, 8)
    assert encoder.embedding_layer(text).shape == (5, 8)
    assert backward_pass(encoder, text, [1], [2]).word_rows.any()
    assert not encoder.has_pooler
    with pytest.raises(ModelUnavailableError):
        pooler_steps(encoder, text)


def test_a_gpu_whose_memory_is_full(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Half as many tokens run at once, the same vectors come out; the next time it is said."""
    import torch

    encoder = load_encoder(load_bert(tiny_folder), "cpu")
    texts = tokenize(encoder.bert, [f"the cat {'sat ' * (i % 5)}" for i in range(BATCH)])
    whole, states = encoder.hidden_states_many(texts), encoder._running.states
    encoder.batch_tokens = GPU_BATCH_TOKENS
    room = BATCH // 2

    def full(batch: dict[str, torch.Tensor], *picked: torch.Tensor) -> torch.Tensor:
        if len(batch["input_ids"]) > room:
            raise torch.cuda.OutOfMemoryError
        return states(batch, *picked)

    monkeypatch.setattr(encoder._running, "states", full)
    for own, expected in zip(encoder.hidden_states_many(texts), whole, strict=True):
        np.testing.assert_allclose(own, expected, atol=1e-6)
    assert encoder.batch_tokens == GPU_BATCH_TOKENS // 2
    assert [record.args for record in caplog.records] == [("cpu", encoder.batch_tokens)]
    room = 1
    with pytest.raises(ModelUnavailableError, match="too little memory left for 8,192 tokens"):
        encoder.hidden_states_many(texts)
