"""Encoders that look like a BERT are refused, each with its reason, and the reason is true."""

import json
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open
from tokenizers import Tokenizer, models, pre_tokenizers

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.errors import ModelUnavailableError

SIZES: dict[str, Any] = {
    **{"vocab_size": 40, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2},
    **{"intermediate_size": 16, "max_position_embeddings": 16, "pad_token_id": 0},
    **{"bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2},
}
SIZES_OF_DISTILBERT = {"vocab_size": 40, "dim": 8, "n_layers": 1, "n_heads": 2, "hidden_dim": 16}
VOCABULARY = "[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\ndog\n"


def written(folder: Path, kind: str) -> set[str]:
    """A tiny checkpoint of a kind, as transformers saves it; the names of its tensors."""
    import transformers

    sizes = SIZES_OF_DISTILBERT if kind == "DistilBert" else SIZES
    config = getattr(transformers, f"{kind}Config")(**sizes)
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    if kind == "DistilBert":
        (folder / "vocab.txt").write_text(VOCABULARY)
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
        tokenizer.save(str(folder / "tokenizer.json"))
    with safe_open(folder / WEIGHTS, "np") as file:
        return set(file.keys())


def has(names: set[str], table: str) -> bool:
    return any(table in name for name in names)


# The reason; then a part of some tensor's name that is there, and parts that are not.
@pytest.mark.parametrize(
    ("kind", "reason", "held", "lacking"),
    [
        ("DistilBert", "no segment table and no pooler", "position", ("token_type", "pooler")),
        ("Roberta", "byte-level pieces", "token_type", ()),
        ("ModernBert", "no position table", "tok_embeddings", ("position", "token_type")),
    ],
)
def test_refused(
    kind: str, reason: str, held: str, lacking: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    names = written(folder, kind)
    with pytest.raises(ModelUnavailableError, match=reason) as error:
        load_bert(folder)
    assert f"model_type as “{kind.lower()}”; expected “bert”" in str(error.value)
    assert has(names, held)
    assert not [table for table in lacking if has(names, table)]
    if kind == "Roberta":
        pieces = json.loads((folder / "tokenizer.json").read_text())
        assert pieces["pre_tokenizer"]["type"] == "ByteLevel"
