"""Arrays as NPZ: names, shapes and model inside, and nothing that runs when it is opened."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from bertviz_core.saved_files import Column, as_npz, as_parquet


def opened(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    assert str(arrays.pop("model")) == "a model"
    return arrays, json.loads(str(arrays.pop("about")))


def test_arrays_come_back_with_what_they_are() -> None:
    given = {
        "word": np.eye(2, 3, dtype=np.float32),
        "cosine to “snake”": Column([0.25, 1.0], 1),
        "token": ["cat", "##s\U0001f40d"],
        "rank": [1, None],
        "label": ["a", None],
        "counted": range(2),
    }
    arrays, about = opened(as_npz(given, "a model", {"page": "Tokens"}))
    assert about["page"] == "Tokens"
    assert [entry["title"] for entry in about["arrays"].values()] == list(given)
    assert about["arrays"]["word"] == {"title": "word", "shape": [2, 3], "dtype": "float32"}
    assert (arrays["word"] == given["word"]).all()
    assert arrays["cosine_to_snake"].tolist() == [0.25, 1.0]
    assert arrays["token"].tolist() == given["token"]
    assert np.isnan(arrays["rank"]).tolist() == [False, True]
    assert arrays["label"].tolist() == ["a", ""]
    assert arrays["counted"].tolist() == [0, 1]


VECTORS = np.random.default_rng(0).standard_normal((4, 3), np.float32) * np.float32(1e-9)
LABELS = ["a\tb\r\nc", 'he said "so"', "=1+1", " \u2028"]


def test_a_parquet_with_a_column_of_lists(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(as_parquet(VECTORS, {"label": LABELS, "year": [1900, None, 1902, None]}))
    frame = pd.read_parquet(path)
    assert list(frame) == ["label", "year", "vector"]
    assert np.array_equal(np.stack(frame["vector"].tolist()), VECTORS)
    assert frame["label"].tolist() == LABELS
    assert str(pq.read_schema(path).field("vector").type) == "fixed_size_list<element: float>[3]"


def test_names_that_are_alike_or_taken() -> None:
    titles = ["a b", "a/b", "about", "model", "file", "../..", "🐍", "x" * 500]
    arrays, about = opened(as_npz({title: [1] for title in titles}, "a model", {}))
    assert list(arrays) == [
        "a_b", "a_b_2", "about_2", "model_2", "file_2", "array", "array_2", "x" * 60,
    ]  # fmt: skip
    assert [entry["title"] for entry in about["arrays"].values()] == titles
