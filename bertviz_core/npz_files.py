"""Arrays as a NumPy archive that says what each is; `numpy.load` opens it without pickles."""

import io
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.csv_files import Column

MAX_NAME = 60  # characters
ABOUT, MODEL = "about", "model"


def as_npz(arrays: Mapping[str, Any], model: str, about: Mapping[str, Any]) -> bytes:
    """Write arrays with a `model`, a text, and `about`, JSON that also describes each array."""
    written: dict[str, NDArray[Any]] = {}
    described: dict[str, Any] = {}
    for title, values in arrays.items():
        array = _array(values.values if isinstance(values, Column) else values)
        name = _name(title, written)
        written[name] = array
        described[name] = {
            "title": title,
            "shape": list(array.shape),
            "dtype": str(array.dtype),
        }
    written_about = json.dumps({**about, "arrays": described}, default=str)
    file = io.BytesIO()
    np.savez_compressed(
        file,
        allow_pickle=False,
        **{MODEL: np.array(model), ABOUT: np.array(written_about)},
        **written,
    )
    return file.getvalue()


def _array(values: Any) -> NDArray[Any]:
    """The values as an array, with NaN or "" for None."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufU":
        return values
    listed = list(values)
    if any(isinstance(value, str) for value in listed):
        return np.array(["" if value is None else str(value) for value in listed])
    if None in listed:
        return np.array([np.nan if value is None else value for value in listed], np.float64)
    return np.array(listed)


def _name(title: str, taken: Mapping[str, Any]) -> str:
    """A name for an array: what a title says in letters and digits, unlike those there are."""
    plain = re.sub(r"\W+", "_", title).strip("_")[:MAX_NAME] or "array"
    name, number = plain, 1
    while name in taken or name in (ABOUT, MODEL, "file", "allow_pickle"):
        number += 1
        name = f"{plain}_{number}"
    return name
