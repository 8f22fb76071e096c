"""Encoders that look like a BERT are refused, each with its reason, and the reason is true."""

from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open
from tokenizers import Tokenizer, models, pre_tokenizers

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.errors import ModelUnavailableError

SIZES: dict[str, dict[str, Any]] = {
    "DistilBert": {"dim": 8, "n_layers": 1, "n_heads": 2, "hidden_dim": 16},
    "Roberta": {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2},
    "ModernBert": {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    | {f"{name}_token_id": 0 for name in ("pad", "bos", "eos", "cls", "sep")},
}


def written(folder: Path, kind: str) -> set[str]:
    """A tiny checkpoint of a kind, as transformers saves it; the names of its tensors."""
    import transformers

    config = getattr(transformers, f"{kind}Config")(vocab_size=40, **SIZES[kind])
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    tokenizer = Tokenizer(models.WordPiece() if kind == "DistilBert" else models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    with safe_open(folder / WEIGHTS, "np") as file:
        return set(file.keys())


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
    assert any(held in name for name in names)
    assert not [name for name in names for table in lacking if table in name]
