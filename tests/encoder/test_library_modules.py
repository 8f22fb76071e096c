"""The pooler by hand, against the model's own."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.library_modules import (
    MAX_TOKENS,
    BackwardPass,
    backward_pass,
    pooler_steps,
)
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.data.damage import change_tensor


def test_a_trained_bias_is_noticed(folder: Path) -> None:
    change_tensor(folder, "pooler.dense.bias", lambda bias: np.eye(8, dtype=np.float32)[0])
    bert = load_bert(folder)
    assert not pooler_steps(load_encoder(bert), tokenize(bert, "the cat")).zero_bias


@pytest.mark.parametrize("sentence", ["Sinan loves a beautiful day", "", "dog " * 600])
def test_each_step_from_the_files_weights(minilm_encoder: Encoder, sentence: str) -> None:
    bert = minilm_encoder.bert
    text = tokenize(bert, sentence)
    steps = pooler_steps(minilm_encoder, text)
    assert steps.difference == 0
    np.testing.assert_allclose(steps.cls, minilm_encoder.hidden_states(text)[-1, 0], atol=1e-5)
    weights = load_file(bert.checkpoint.weights)
    dense = weights["pooler.dense.weight"].astype(np.float64) @ steps.cls
    dense += weights["pooler.dense.bias"]
    np.testing.assert_allclose(steps.dense, dense, atol=1e-6)
    np.testing.assert_allclose(steps.output, np.tanh(dense), atol=1e-6)
    lengths = np.linalg.norm(steps.cls) * np.linalg.norm(steps.output)
    assert steps.cosine == pytest.approx(float(steps.cls @ steps.output / lengths), abs=1e-5)
    assert (steps.pooled.dtype, steps.pooled.shape) == (np.float32, (384,))
    assert steps.zero_bias == (not weights["pooler.dense.bias"].any())


MARKED = "The [king] spoke to the [awesomesauce queen]"


def pulled(encoder: Encoder, marked: str, text_pair: str | None = None) -> BackwardPass:
    pair = read_word_pair(encoder.bert, marked, text_pair)
    return backward_pass(encoder, pair.text, pair.first_positions, pair.second_positions)


@pytest.mark.parametrize("text_pair", [None, "She is Zoe"])
def test_gradients_equal_those_of_backward(
    minilm_encoder: Encoder, library, text_pair: str | None
) -> None:
    import torch

    pair = read_word_pair(minilm_encoder.bert, MARKED, text_pair)
    library.zero_grad()
    states = library(
        torch.tensor(pair.text.input_ids)[None],
        token_type_ids=torch.tensor(pair.text.token_type_ids)[None],
    ).last_hidden_state[0]
    first, second = (
        states[list(places)].mean(dim=0) for places in (pair.first_positions, pair.second_positions)
    )
    loss = 1 - torch.cosine_similarity(first, second, dim=0)
    loss.backward()
    found = pulled(minilm_encoder, MARKED, text_pair)
    assert found.cosine == pytest.approx(1 - loss.item(), abs=1e-6)
    for rows, table in (
        (found.word_rows, "word_embeddings"),
        (found.position_rows, "position_embeddings"),
        (found.token_type_rows, "token_type_embeddings"),
    ):
        gradient = getattr(library.embeddings, table).weight.grad.double().norm(dim=1).numpy()
        np.testing.assert_allclose(rows, gradient, rtol=1e-4, atol=1e-8)
    assert set(np.flatnonzero(found.word_rows)) == set(pair.text.input_ids)
    padded = pulled(minilm_encoder, "a [dog] [PAD] a [cat]")
    assert padded.position_rows[3] > padded.word_rows[0] == 0, "no row of [PAD] is trained"


def test_within_inference_mode_and_beside_other_threads(minilm_encoder: Encoder) -> None:
    import torch

    text = tokenize(minilm_encoder.bert, "I love my pet python")
    before = {name: p.detach().clone() for name, p in minilm_encoder.model.named_parameters()}
    alone, states = pulled(minilm_encoder, MARKED), minilm_encoder.hidden_states(text)
    with torch.inference_mode():
        np.testing.assert_array_equal(pulled(minilm_encoder, MARKED).word_rows, alone.word_rows)
    with ThreadPoolExecutor(3) as pool:
        forward = [pool.submit(minilm_encoder.hidden_states, text) for _ in range(6)]
        backward = [pool.submit(pulled, minilm_encoder, MARKED) for _ in range(2)]
    assert all(np.array_equal(run.result(), states) for run in forward)
    for run in backward:
        np.testing.assert_allclose(run.result().word_rows, alone.word_rows, rtol=1e-6)
    for name, parameter in minilm_encoder.model.named_parameters():
        assert parameter.grad is None
        assert bool((parameter == before[name]).all()), "the shared model stays as it was"


def test_refuses(minilm_encoder: Encoder, tiny: Bert) -> None:
    bert = minilm_encoder.bert
    for text in (tokenize(bert, "word " * MAX_TOKENS), tokenize(tiny, "a cat")):
        with pytest.raises(UserInputError):
            backward_pass(minilm_encoder, text, [1], [2])
