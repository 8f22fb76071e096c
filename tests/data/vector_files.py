"""Files of occurrences and vectors as visitors bring them; tests make them."""

import io
from typing import Any

import numpy as np

SENTENCES = ("We sat on the bank.", "A bank of mud.", "The bank lent money.", "Banks of the Rhine.")
SPANS = ((14, 18), (2, 6), (4, 8), (0, 5))


def numbers(rows: int, layers: int = 2, hidden_size: int = 4) -> np.ndarray:
    """Vectors at random, float32 (rows, layers, hidden_size)."""
    return np.random.default_rng(0).standard_normal((rows, layers, hidden_size), np.float32)


def rows_of(count: int) -> dict[str, list[Any]]:
    """Sentences, and where the word stands in them."""
    spans = [SPANS[row % 4] for row in range(count)]
    return {
        "sentence": [SENTENCES[row % 4] for row in range(count)],
        "start": [start for start, _ in spans],
        "end": [end for _, end in spans],
    }


def npz_file(packed: bool = False, **arrays: Any) -> bytes:
    """A NumPy archive."""
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()
