"""Percentile scales on disk, beside the hub cache, so that a machine measures a model only once.

One file a model: `bertviz/calibration-<key>.npz` in the folder that also holds the hub cache
(`~/.cache/huggingface/bertviz` unless `HF_HOME` or `HF_HUB_CACHE` say otherwise). The key is
made from the model's files, the sentences and the way of measuring, so a file is never out of date.
It may be deleted at any time.
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration import percentiles, run, scales, words
from bertviz_core.calibration.percentiles import Calibration
from bertviz_core.calibration.scales import Pair, Scales, kinds
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    WEIGHTS,
    kept_folder,
)
from bertviz_core.checkpoints.kept import read_arrays, write_arrays

FORMAT = 3  # raise it when the way of measuring changes in more than its constants
# Of each scale; they stand below each other, in one array of each name.
_ARRAYS = (
    *("quantiles", "centred_quantiles", "anisotropy", "centred_anisotropy"),
    *("errors", "centred_errors"),
)
_COUNTS = ("vectors", "pairs")
MOST_BYTES = 50_000_000  # unpacked; the file of bert-large has 2 MB


def cache_file(bert: Bert) -> Path:
    """The file of a model's calibration, present or not."""
    return _file(_key(bert))


def _file(key: str) -> Path:
    return kept_folder() / f"calibration-{key[:32]}.npz"


def saved_calibration(bert: Bert) -> Scales | None:
    """Read a model's percentile scales from disk; no torch is needed.

    Returns:
        The scales; None if there are none, or if the file is damaged or not ours.
    """
    key = _key(bert)
    file = read_arrays(_file(key), key, most_bytes=MOST_BYTES)
    if file is None:
        return None
    try:
        arrays: dict[str, Any] = {name: frozen(file[name]) for name in (*_ARRAYS, "means")}
        counts: dict[str, Any] = {name: file[name].astype(np.int64) for name in _COUNTS}
        numbers = file["kinds"].astype(np.int64)
        sentences = int(file["sentences"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if not _fits(bert, arrays, counts, numbers):
        return None
    every = list(kinds())
    found = {}
    for row, pair in enumerate(every[number] for number in numbers):
        own: dict[str, Any] = {array: arrays[array][row] for array in _ARRAYS}
        own |= {count: int(counts[count][row]) for count in _COUNTS}
        found[pair] = Calibration(bert.name, sentences, kind=pair.kind, **own)
    return Scales(bert.name, sentences, arrays["means"], found)


def save_calibration(bert: Bert, calibration: Scales) -> bool:
    """Write a model's percentile scales to disk, whole or not at all; return whether it did.

    If the folder cannot be written to, the next process measures again. Scales of weights that have
    changed since are not written.
    """
    if not bert.is_current():
        return False
    key = _key(bert)
    return write_arrays(_file(key), key, _values(bert, calibration))


def _values(bert: Bert, calibration: Scales) -> dict[str, Any]:
    """What the file holds, by name."""
    own = calibration.words
    every: list[Pair] = list(kinds())
    shapes = _shapes(bert, len(own)) | {name: (len(own),) for name in _COUNTS}
    rows = {
        name: np.array([getattr(scale, name) for scale in own.values()]).reshape(shapes[name])
        for name in (*_ARRAYS, *_COUNTS)
    }
    return rows | {
        "kinds": np.array([every.index(pair) for pair in own], dtype=np.int64),
        "sentences": np.array(calibration.sentences),
        "means": calibration.means,
    }


def _fits(
    bert: Bert, arrays: dict[str, Any], counts: dict[str, Any], numbers: NDArray[np.int64]
) -> bool:
    many, shapes = len(numbers), _shapes(bert, len(numbers))
    return (
        all(
            arrays[name].shape == shape and bool(np.isfinite(arrays[name]).all())
            for name, shape in shapes.items()
        )
        and all(bool((np.diff(arrays[name]) >= 0).all()) for name in _ARRAYS[:2])
        and all(counts[name].shape == (many,) for name in _COUNTS)
        and bool(((numbers >= 0) & (numbers < len(list(kinds())))).all())
        and len(set(numbers.tolist())) == len(numbers)
    )


def _shapes(bert: Bert, many: int) -> dict[str, tuple[int, ...]]:
    """Of each array of a file that holds so many scales."""
    layers = bert.num_hidden_layers + 1
    percents, errors = len(percentiles.PERCENTS), len(percentiles.ERRORS_AT)
    return {
        "quantiles": (many, layers, percents),
        "centred_quantiles": (many, layers, percents),
        "anisotropy": (many, layers),
        "centred_anisotropy": (many, layers),
        "errors": (many, layers, errors),
        "centred_errors": (many, layers, errors),
        "means": (layers, bert.hidden_size),
    }


def _key(bert: Bert) -> str:
    """Hex digest of the model, the sentences and the way of measuring."""
    method = (
        *(FORMAT, percentiles.PERCENTS.tolist(), percentiles.ERRORS_AT),
        *(run.BATCH, run.LONGEST),
        *(words.MOST_WORDS, words.SEED, sorted(words.function_words()), scales.LEAST_WORDS),
    )
    parts = (repr(method), _model(bert), *run.calibration_sentences())
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()


def _model(bert: Bert) -> str:
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
