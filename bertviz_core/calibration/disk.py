"""Calibrations on disk, beside the hub cache, so that a machine measures a model only once.

One file a model: `bertviz/calibration-<key>.npz` in the folder that also holds the hub cache
(`~/.cache/huggingface/bertviz` unless `HF_HOME` or `HF_HUB_CACHE` say otherwise). The key is
made from the model's files, the sentences and the way of measuring, so a file is never out of date.
It may be deleted at any time.
"""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import frozen
from bertviz_core.calibration import cosines, run
from bertviz_core.calibration.cosines import Calibration
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    WEIGHTS,
    hub_cache,
)

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

FORMAT = 1  # raise it when the way of measuring changes in more than its constants
_ARRAYS = ("quantiles", "centred_quantiles", "anisotropy", "centred_anisotropy", "means")
_COUNTS = ("sentences", "vectors", "pairs")
MOST_BYTES = 50_000_000  # unpacked; the file of bert-large has 300 kB


def cache_folder() -> Path:
    """Where calibrations are kept: the folder `bertviz` beside the hub cache."""
    return hub_cache().parent / "bertviz"


def cache_file(bert: "Bert") -> Path:
    """The file of a model's calibration, present or not."""
    return cache_folder() / f"calibration-{_key(bert)[:32]}.npz"


def saved_calibration(bert: "Bert") -> Calibration | None:
    """Read a model's calibration from disk; no torch is needed.

    Returns:
        The calibration; None if there is none, or if the file is damaged or not ours.
    """
    try:
        with np.load(cache_file(bert), allow_pickle=False) as file:
            if sum(part.file_size for part in file.zip.infolist()) > MOST_BYTES:
                return None
            if str(file["key"]) != _key(bert):
                return None
            arrays: dict[str, Any] = {name: frozen(file[name]) for name in _ARRAYS}
            counts: dict[str, Any] = {name: int(file[name]) for name in _COUNTS}
    except Exception:  # a damaged file fails in zipfile, zlib, tokenize or anywhere in NumPy
        return None
    return Calibration(bert.name, **counts, **arrays) if _fits(bert, arrays) else None


def save_calibration(bert: "Bert", calibration: Calibration) -> bool:
    """Write a model's calibration to disk, whole or not at all.

    Returns:
        Whether it was written. A folder that cannot be written to is no error: the next process
        measures again. That of a weights file which has changed since is not written.
    """
    if not bert.is_current():
        return False
    path = cache_file(bert)
    values: dict[str, Any] = {name: getattr(calibration, name) for name in (*_ARRAYS, *_COUNTS)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}-", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, key=np.array(_key(bert)), **values)
            os.replace(part, path)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError:
        return False
    return True


def _fits(bert: "Bert", arrays: dict[str, Any]) -> bool:
    layers = bert.num_hidden_layers + 1
    shapes = {
        "quantiles": (layers, cosines.QUANTILES),
        "centred_quantiles": (layers, cosines.QUANTILES),
        "anisotropy": (layers,),
        "centred_anisotropy": (layers,),
        "means": (layers, bert.hidden_size),
    }
    return all(
        arrays[name].shape == shape and bool(np.isfinite(arrays[name]).all())
        for name, shape in shapes.items()
    ) and all(bool((np.diff(arrays[name]) >= 0).all()) for name in _ARRAYS[:2])


def _key(bert: "Bert") -> str:
    """Hex digest of the model, the sentences and the way of measuring."""
    method = (
        *(FORMAT, cosines.QUANTILES, cosines.PARTNERS),
        *(run.BATCH, run.LONGEST, run.OCCURRENCES, run.SEED),
    )
    parts = (repr(method), _model(bert), *run.calibration_sentences())
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()


def _model(bert: "Bert") -> str:
    """Name the exact weights: a commit of the hub, or files by path, size and time."""
    checkpoint = bert.checkpoint
    if checkpoint.repo_id and checkpoint.revision:
        return f"{checkpoint.repo_id}@{checkpoint.revision}"
    parts = [str(checkpoint.folder.resolve())]
    for name in (WEIGHTS, SETTINGS, *VOCABULARIES, *TOKENIZER_OPTIONS):
        path = checkpoint.folder / name
        if path.is_file():
            stat = path.stat()
            parts.append(f"{name} {stat.st_size} {stat.st_mtime_ns}")
    return " ".join(parts)
