"""Fixtures: a tiny random BERT in a temporary folder, and the embedded, trained one."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

# Set before huggingface_hub is imported anywhere: no test may reach a hub, except by the
# stand-in server that test_download.py starts on this machine.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_XET"] = "1"

import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.catalog import EMBEDDED

if TYPE_CHECKING:
    from bertviz_core.encoder import Encoder

TINY_VOCABULARY = (
    *("[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("the", "cat", "dog", "sat", "on", "a", "mat", "python", "snake", "code", "king", "queen"),
    *("man", "woman", "i", "love", "my", "pet", "coding", "in", "##s", "##ing", "##un"),
    *("!", ".", ",", "[", "]", "##an", "sin", "an", "b", "##b"),
)


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of 2 layers x 8 dimensions x 16 positions with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("checkpoints") / "tiny-bert"
    folder.mkdir()
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(TINY_VOCABULARY),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(TINY_VOCABULARY) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"do_lower_case": True, "tokenizer_class": "BertTokenizer"}), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Bert:
    return load_bert(tiny_folder)


@pytest.fixture(scope="session")
def minilm() -> Bert:
    """The embedded model: all-MiniLM-L6-v2, trained, 6 layers x 384."""
    return load_bert(EMBEDDED)


@pytest.fixture(scope="session")
def minilm_encoder(minilm: Bert) -> "Encoder":
    from bertviz_core.encoder import load_encoder

    return load_encoder(minilm)
