"""Changes to a copy of the tiny checkpoint, and what is said of one that cannot be used."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS
from bertviz_core.errors import ModelUnavailableError

Tensors = dict[str, Any]

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
SEGMENTS = "embeddings.token_type_embeddings.weight"


def change_json(path: Path, **changes: Any) -> None:
    values = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(values | changes))


def change_settings(folder: Path, **changes: Any) -> None:
    change_json(folder / SETTINGS, **changes)


def change_weights(folder: Path, change: Callable[[Tensors], Tensors]) -> None:
    save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS, metadata={"format": "pt"})


def change_tensor(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    change_weights(folder, lambda ts: ts | {name: np.ascontiguousarray(change(ts[name]))})


def remove_tensors(folder: Path, start: str) -> None:
    """Take out all whose names begin with `start`."""
    change_weights(folder, lambda ts: {n: t for n, t in ts.items() if not n.startswith(start)})


def gamma_beta(tensors: Tensors) -> Tensors:
    """What files of the first BERT call the two tensors of LayerNorm."""

    def old(name: str) -> str:
        return name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")

    return {old(name): tensor for name, tensor in tensors.items()}


def old_names(tensors: Tensors) -> Tensors:
    """As files of the first BERT name them."""
    return {f"bert.{name}": tensor for name, tensor in gamma_beta(tensors).items()}


def half_precision(tensors: Tensors) -> Tensors:
    return {name: tensor.astype(np.float16) for name, tensor in tensors.items()}


def failure(folder: Path, named: str) -> None:
    """Who opens it reads a sentence with the model and what is at fault."""
    with pytest.raises(ModelUnavailableError, match=named) as caught:
        load_bert(folder)
    assert "mine" in str(caught.value)
