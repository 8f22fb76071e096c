"""The pooler by hand, against the model's own."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.tokens import tokenize


@pytest.mark.parametrize("sentence", ["Sinan loves a beautiful day", "", "dog " * 600])
def test_equals_the_models_own(minilm_encoder: Encoder, sentence: str) -> None:
    text = tokenize(minilm_encoder.bert, sentence)
    steps = pooler_steps(minilm_encoder, text)
    assert steps.equal
    assert steps.difference == 0
    # Two runs of a long text differ by rounding.
    np.testing.assert_allclose(steps.own, minilm_encoder.pooled(text), atol=1e-5)
    np.testing.assert_allclose(steps.cls, minilm_encoder.hidden_states(text)[-1, 0], atol=1e-5)


def test_each_step_from_the_files_weights(minilm_encoder: Encoder) -> None:
    bert = minilm_encoder.bert
    steps = pooler_steps(minilm_encoder, tokenize(bert, "I am Sinan"))
    weights = load_file(bert.checkpoint.weights)
    dense = weights["pooler.dense.weight"].astype(np.float64) @ steps.cls
    dense += weights["pooler.dense.bias"]
    np.testing.assert_allclose(steps.dense, dense, atol=1e-6)
    np.testing.assert_allclose(steps.output, np.tanh(dense), atol=1e-6)
    lengths = np.linalg.norm(steps.cls) * np.linalg.norm(steps.output)
    assert steps.cosine == pytest.approx(float(steps.cls @ steps.output / lengths), abs=1e-5)
    for array in (steps.cls, steps.dense, steps.output, steps.own):
        assert array.dtype == np.float32
        assert array.shape == (384,)
        assert not array.flags.writeable


def test_an_untrained_bias_is_noticed(
    minilm_encoder: Encoder, tiny_folder: Path, tmp_path: Path
) -> None:
    bert = minilm_encoder.bert
    assert not load_file(bert.checkpoint.weights)["pooler.dense.bias"].any()
    assert pooler_steps(minilm_encoder, tokenize(bert, "dog")).zero_bias
    folder = tmp_path / "biased"
    shutil.copytree(tiny_folder, folder)
    weights = folder / "model.safetensors"
    biased = load_file(weights) | {"pooler.dense.bias": np.eye(8, dtype=np.float32)[0]}
    save_file(biased, weights, metadata={"format": "pt"})
    tiny = load_bert(folder)
    assert not pooler_steps(load_encoder(tiny), tokenize(tiny, "the cat")).zero_bias


def test_without_a_pooler_it_is_a_sentence(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "headless"
    shutil.copytree(tiny_folder, folder)
    weights = folder / "model.safetensors"
    kept = {k: v for k, v in load_file(weights).items() if not k.startswith("pooler.")}
    save_file(kept, weights, metadata={"format": "pt"})
    bert = load_bert(folder)
    with pytest.raises(ModelUnavailableError, match="of headless has no pooler"):
        pooler_steps(load_encoder(bert), tokenize(bert, "the cat"))


def test_another_checkpoints_text(minilm_encoder: Encoder, tiny: Bert) -> None:
    with pytest.raises(UserInputError, match="tokenize it again"):
        pooler_steps(minilm_encoder, tokenize(tiny, "the cat"))
