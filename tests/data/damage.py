"""Changes to a copy of the tiny checkpoint, and the two lists that hostile copies stand in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

Generator = Callable[[Path], None]
REFUSED: dict[str, tuple[Generator, str]] = {}
OPENED: dict[str, Generator] = {}

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
SEGMENTS = "embeddings.token_type_embeddings.weight"


def refused(message: str) -> Callable[[Generator], Generator]:
    """Register a checkpoint that cannot be used; `message` is a part of the sentence."""

    def register(generator: Generator) -> Generator:
        REFUSED[generator.__name__] = generator, message
        return generator

    return register


def opened(generator: Generator) -> Generator:
    """Register a checkpoint that works."""
    OPENED[generator.__name__] = generator
    return generator


def change_json(path: Path, **changes: Any) -> None:
    values = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(values | changes))


def change_tensor(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors[name] = np.ascontiguousarray(change(tensors[name]))
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def add_rows(folder: Path, count: int) -> None:
    """Make the token table longer than the vocabulary."""
    change_tensor(folder, WORDS, lambda words: np.concatenate([words, words[-count:]]))
    rows = len(load_file(folder / "model.safetensors")[WORDS])
    change_json(folder / "config.json", vocab_size=rows)


def positions(folder: Path, count: int) -> None:
    change_tensor(folder, POSITIONS, lambda table: table[:count])
    change_json(folder / "config.json", max_position_embeddings=count)


def one_number(folder: Path, name: str, value: float) -> None:
    def put(array: Any) -> Any:
        array.flat[-1] = value
        return array

    change_tensor(folder, name, put)
