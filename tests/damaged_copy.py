"""A copy of the tiny checkpoint that a test changes or damages."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS
from bertviz_core.errors import ModelUnavailableError

Tensors = dict[str, Any]


def change_settings(folder: Path, **changes: object) -> None:
    settings = json.loads((folder / SETTINGS).read_text())
    (folder / SETTINGS).write_text(json.dumps(settings | changes))


def change_weights(folder: Path, change: Callable[[Tensors], Tensors]) -> None:
    save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS)


def failure(folder: Path) -> str:
    with pytest.raises(ModelUnavailableError) as caught:
        load_bert(folder)
    message = str(caught.value)
    assert "mine" in message
    assert message.endswith(".")
    return message
