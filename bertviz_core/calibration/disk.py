"""Percentile scales on disk, beside the hub cache, so that a machine measures a model only once."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from bertviz_core.arrays import frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration import percentiles, run, scales
from bertviz_core.calibration.percentiles import Calibration
from bertviz_core.calibration.scales import Scales, kinds
from bertviz_core.checkpoints.checkpoint import kept_folder
from bertviz_core.disk_cache import read_arrays, write_arrays

FORMAT = 3  # raise it when the way of measuring changes in more than its constants
# Of each scale; in the file, those of all scales are one array of each name.
_OF_COSINES = ("quantiles", "anisotropy", "errors")
_ARRAYS = (*_OF_COSINES, *(f"centred_{name}" for name in _OF_COSINES))
_COUNTS = ("vectors", "pairs")


def cache_file(bert: Bert) -> Path:
    """The file of a model's calibration, present or not."""
    return kept_folder() / f"calibration-{_key(bert)[:32]}.npz"


def saved_calibration(bert: Bert) -> Scales | None:
    """Read a model's percentile scales from disk, if they are there; no torch is needed."""
    file = read_arrays(cache_file(bert), _key(bert))
    if file is None:
        return None
    sentences, every, found = int(file["sentences"]), list(kinds()), {}
    for row, number in enumerate(file["kinds"].tolist()):
        own: dict[str, Any] = {name: frozen(file[name][row]) for name in _ARRAYS}
        own |= {name: int(file[name][row]) for name in _COUNTS}
        found[every[number]] = Calibration(sentences, kind=every[number].kind, **own)
    return Scales(bert.name, sentences, frozen(file["means"]), found)


def save_calibration(bert: Bert, calibration: Scales) -> bool:
    """Whether a model's scales were written to disk; not those of weights that have changed."""
    if not bert.is_current():
        return False
    own, every = calibration.words, list(kinds())
    values: dict[str, Any] = {
        name: np.array([getattr(scale, name) for scale in own.values()])
        for name in (*_ARRAYS, *_COUNTS)
    }
    values["kinds"] = np.array([every.index(pair) for pair in own], dtype=np.int64)
    values |= {"sentences": np.array(calibration.sentences), "means": calibration.means}
    return write_arrays(cache_file(bert), _key(bert), values)


def _key(bert: Bert) -> str:
    """Hex digest of the model, the sentences and the way of measuring: no file is out of date."""
    method = (
        *(FORMAT, percentiles.PERCENTS.tolist(), percentiles.ERRORS_AT),
        *(run.BATCH, run.LONGEST),
        *(run.MOST_WORDS, run.SEED, sorted(run.function_words()), scales.LEAST_WORDS),
    )
    parts = (repr(method), bert.checkpoint.fingerprint(), *run.calibration_sentences())
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()
