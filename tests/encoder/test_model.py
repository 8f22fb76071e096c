import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import BATCH, Encoder, load_encoder
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.tokens import tokenize

SENTENCES = ["I love my pet python", "dog", "She is Zoe. " * 20, "", "the cat sat on the mat"]


@pytest.fixture(scope="module")
def library(minilm: Bert):
    from transformers import BertModel

    return BertModel.from_pretrained(minilm.checkpoint.folder).eval()


def run_library(library, text):
    import torch

    with torch.no_grad():
        return library(
            torch.tensor(text.input_ids)[None],
            token_type_ids=torch.tensor(text.token_type_ids)[None],
            output_hidden_states=True,
        )


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("pair", [None, "a second sentence"])
def test_hidden_states_equal_transformers(
    minilm_encoder: Encoder, library, sentence: str, pair: str | None
) -> None:
    text = tokenize(minilm_encoder.bert, sentence, pair)
    ours = minilm_encoder.hidden_states(text)
    theirs = run_library(library, text)
    assert ours.shape == (7, len(text), 384)
    assert ours.dtype == np.float32
    assert not ours.flags.writeable
    for layer, expected in zip(ours, theirs.hidden_states, strict=True):
        assert np.abs(layer - expected[0].numpy()).max() < 1e-5
    pooled = minilm_encoder.pooled(text)
    assert np.abs(pooled - theirs.pooler_output[0].numpy()).max() < 1e-5
    assert np.abs(minilm_encoder.embedding_layer(text) - ours[0]).max() < 1e-6


def test_many_come_back_in_order_and_equal_the_single_ones(minilm_encoder: Encoder) -> None:
    texts = [
        tokenize(minilm_encoder.bert, f"sentence {'number ' * (i % 7)}{i}")
        for i in range(BATCH + 5)
    ]
    many = minilm_encoder.hidden_states_many(texts)
    for text, states in zip(texts, many, strict=True):
        assert states.shape[1] == len(text)
        assert np.abs(states - minilm_encoder.hidden_states(text)).max() < 1e-5


def test_none_gives_none(minilm_encoder: Encoder) -> None:
    assert minilm_encoder.hidden_states_many([]) == []


def test_threads_get_the_same_numbers(minilm_encoder: Encoder) -> None:
    texts = [tokenize(minilm_encoder.bert, sentence) for sentence in SENTENCES * 4]
    alone = [minilm_encoder.hidden_states(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(minilm_encoder.hidden_states, texts))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_another_checkpoints_text_is_refused(minilm_encoder: Encoder, tiny: Bert) -> None:
    with pytest.raises(UserInputError, match="tokenize it again"):
        minilm_encoder.hidden_states(tokenize(tiny, "the cat"))


def changed_copy(tiny_folder: Path, folder: Path, change) -> Bert:
    """The tiny checkpoint with its tensors passed through `change`."""
    shutil.copytree(tiny_folder, folder, dirs_exist_ok=True)
    weights = folder / "model.safetensors"
    save_file(change(load_file(weights)), weights, metadata={"format": "pt"})
    return load_bert(folder)


def test_old_tensor_names_and_foreign_heads(tiny_folder: Path, tmp_path: Path) -> None:
    def as_in_old_files(tensors):
        renamed = {
            "bert."
            + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): array
            for name, array in tensors.items()
        }
        return renamed | {"cls.predictions.bias": np.zeros(40, np.float32)}

    old = load_encoder(changed_copy(tiny_folder, tmp_path / "old", as_in_old_files))
    new = load_encoder(load_bert(tiny_folder))
    text = "the cat sat on a mat"
    assert np.array_equal(
        old.hidden_states(tokenize(old.bert, text)), new.hidden_states(tokenize(new.bert, text))
    )
    assert old.has_pooler


def test_a_checkpoint_without_pooler_has_states_and_says_so(
    tiny_folder: Path, tmp_path: Path
) -> None:
    bert = changed_copy(
        tiny_folder,
        tmp_path / "headless",
        lambda tensors: {k: v for k, v in tensors.items() if not k.startswith("pooler.")},
    )
    encoder = load_encoder(bert)
    text = tokenize(bert, "the cat")
    assert encoder.hidden_states(text).shape == (3, 4, 8)
    with pytest.raises(ModelUnavailableError, match=r"model\.safetensors of headless has no pool"):
        encoder.pooled(text)


def test_missing_encoder_weights_are_named(tiny_folder: Path, tmp_path: Path) -> None:
    missing = "encoder.layer.1.output.dense.bias"
    bert = changed_copy(
        tiny_folder,
        tmp_path / "holed",
        lambda tensors: {k: v for k, v in tensors.items() if k != missing},
    )
    with pytest.raises(ModelUnavailableError, match=f"lacks 1 tensors of the encoder, {missing}"):
        load_encoder(bert)


def test_encoder_weights_of_another_shape_are_refused(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "misshapen"
    shutil.copytree(tiny_folder, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 24}))
    with pytest.raises(ModelUnavailableError, match="encoder of misshapen cannot be loaded"):
        load_encoder(load_bert(folder))
