"""The weights of a checkpoint: what the headers of the files name, and tensors in float32."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors import SafetensorError, safe_open

from bertviz_core.arrays import Array, frozen, read_only
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.settings import OTHERS
from bertviz_core.errors import ModelUnavailableError, shortened

Shapes = Mapping[str, tuple[int, ...]]
# The parts of the model, by how names of their tensors begin.
GROUPS = {"embeddings": "embedding", "encoder": "encoder layers", "pooler": "pooler"}
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
_WORDS = "embeddings.word_embeddings.weight"
PLAIN = ("", "bert.")  # what transformers itself takes before the names of a model
_MERGE = "where it was trained, “model.merge_and_unload().save_pretrained('merged')”"
_OLD_NAMES = {"gamma": "weight", "beta": "bias"}


@dataclass(frozen=True)
class StoredTensor:
    """One tensor of the files."""

    file: Path
    stored_as: str  # its name in the file
    shape: tuple[int, ...]
    dtype: str  # the number type in the file, as safetensors writes it: "F32"
    prefix: str  # what stands before the names of the model; heads may lack it
    tied_to: str = ""  # the tensor of the file that it is, by the file's header; "" for itself

    @property
    def name(self) -> str:
        """As transformers calls it, without the prefix, gamma and beta."""
        start, dot, end = self.stored_as.removeprefix(self.prefix).rpartition(".")
        return f"{start}{dot}{_OLD_NAMES.get(end, end)}"

    @property
    def group(self) -> str:
        """The part of the model that it belongs to, one of `GROUPS`; "head" for a task's head."""
        return GROUPS.get(self.name.partition(".")[0], "head")

    @property
    def layer(self) -> int | None:
        """The layer of the encoder, from 0."""
        match = _LAYER.match(self.name)
        return int(match[1]) if match else None

    @property
    def count(self) -> int:
        return prod(self.shape)


def stored_tensors(checkpoint: Checkpoint) -> list[StoredTensor]:
    """All tensors of the files by name, from the headers: no weight is read."""
    tensors = []
    with _opened(checkpoint, "np") as files:
        names: list[tuple[Path, str, str]] = []
        for path, file in files.items():
            keys = {*file.keys()}
            tied = [(name, at) for name, at in (file.metadata() or {}).items() if at in keys]
            names += [(path, name, "") for name in keys]
            names += [(path, name, at) for name, at in tied if name not in keys]
        prefix = _prefix(checkpoint, [name for _, name, _ in names])
        for path, name, other in names:
            header = files[path].get_slice(other or name)
            shape = tuple(header.get_shape())
            tensors.append(StoredTensor(path, name, shape, header.get_dtype(), prefix, other))
    tensors.sort(key=lambda one: one.stored_as)
    for one, following in pairwise(tensors):
        if one.stored_as == following.stored_as:
            raise ModelUnavailableError(
                f"{one.file.name} and {following.file.name} of {checkpoint.name} both hold "
                f"{shortened(one.stored_as)}; expected each tensor in one file."
            )
    return tensors


def by_name(tensors: Iterable[StoredTensor]) -> dict[str, StoredTensor]:
    """The tensors of the model by transformers' names."""
    return {one.name: one for one in tensors if one.stored_as.startswith(one.prefix)}


def check_shapes(
    checkpoint: Checkpoint, tensors: Mapping[str, StoredTensor], shapes: Shapes
) -> None:
    """Refuse a file that lacks a tensor, or holds one of another shape than config.json says."""
    for name, shape in shapes.items():
        one = tensors.get(name)
        if one is None or one.shape != shape or one.dtype not in _DTYPES:
            content = f"{name} of shape {one.shape} in {one.dtype}" if one else f"no {name}"
            if any("lora_" in name for name in tensors):
                content += f", but an adapter of peft: {_MERGE} writes the two merged"
            raise ModelUnavailableError(
                f"{checkpoint.weights.name} of {checkpoint.name} holds {content}; "
                f"expected {shape} by config.json, in one of {', '.join(_DTYPES)}."
            )


def read_tensors(
    checkpoint: Checkpoint, shapes: Shapes, framework: Literal["np", "pt"] = "np"
) -> dict[str, Any]:
    """Read tensors of these names and shapes, in float32.

    Those in float32 are mapped from the file, for NumPy and for torch: the system keeps one copy
    for both, and for all processes. Others are widened into memory of their own.
    """
    tensors = by_name(stored_tensors(checkpoint))
    check_shapes(checkpoint, tensors, shapes)
    with _opened(checkpoint, framework) as files:

        def read(one: StoredTensor) -> Any:
            if framework == "np":
                return _mapped(one)  # safetensors 0.8.0 would copy, and has no bfloat16 for NumPy
            return files[one.file].get_tensor(one.tied_to or one.stored_as).float()

        return {name: read(tensors[name]) for name in shapes}


def _prefix(checkpoint: Checkpoint, names: Iterable[str]) -> str:
    """What stands before the name of the token table, and so before all names of the model."""
    every = {name.removesuffix(_WORDS) for name in names if f".{name}".endswith(f".{_WORDS}")}
    prefixes = {prefix for prefix in every if OTHERS.keys().isdisjoint(prefix.split("."))}
    prefix, *more = sorted(prefixes.intersection(PLAIN) or prefixes) or PLAIN
    if more and prefixes:
        tables = shortened(" and ".join(f"“{one}{_WORDS}”" for one in (prefix, *more)), 300)
        raise ModelUnavailableError(
            f"{checkpoint.weights.name} of {checkpoint.name} holds {tables}; expected one BERT."
        )
    return prefix


@contextmanager
def _opened(checkpoint: Checkpoint, framework: str) -> Iterator[dict[Path, Any]]:
    try:
        with ExitStack() as stack:
            yield {
                path: stack.enter_context(safe_open(path, framework=framework))
                for path in checkpoint.weights_files
            }
    except (SafetensorError, OSError, RuntimeError) as error:  # torch: no room to map or to widen
        raise ModelUnavailableError(
            f"{checkpoint.weights.name} of {checkpoint.name} cannot be read; expected a complete "
            "safetensors file, and room for it in memory."
        ) from error


def _mapped(one: StoredTensor) -> Array:
    with one.file.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        start, _ = json.loads(file.read(size))[one.tied_to or one.stored_as]["data_offsets"]
    values = np.memmap(one.file, _DTYPES[one.dtype], "r", 8 + size + start, one.shape)
    if one.dtype == "BF16":  # the upper half of a float32
        return frozen((values.astype(np.uint32) << 16).view(np.float32))
    return read_only(np.asarray(values, dtype=np.float32))
