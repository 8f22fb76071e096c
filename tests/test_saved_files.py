"""CSV that no spreadsheet runs, NPZ and Parquet that hold what they are, and names of files."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from bertviz_core.saved_files import Column, as_csv, as_npz, as_parquet
from bertviz_core.showable import MAX_NAME, file_name
from tests.hostile import HOSTILE

LINK = 'HYPERLINK("http://example.org","a")'
VECTORS = np.random.default_rng(0).standard_normal((4, 3), np.float32) * np.float32(1e-9)
LABELS = ["a\tb\r\nc", 'he said "so"', "=1+1", " \u2028"]
SENTENCES = [
    *HOSTILE, "\u202eمرحبا بالعالم، هذه جملة\u2069", "a/b\\c:d*e?f|g", "../../etc/passwd", "CON",
    ".hidden", "🐍🐍", "a\ud800b", "word " * 600, "我" * 600, "नमस्ते दुनिया", "\x00",
    "e\u0301" * 300,
]  # fmt: skip


def rows(written: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(written.decode("utf-8-sig"), newline="")))


def opened(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    assert str(arrays.pop("model")) == "a model"
    return arrays, json.loads(str(arrays.pop("about")))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "'=", "''@"])
def test_no_text_of_a_csv_is_a_formula(start: str) -> None:
    text = f"{start}{LINK}"
    for cells in ([text, start], np.array([text, start]), np.array([text, start], "O")):
        assert rows(as_csv({text: cells, "value": [-1.5, 2.0]})) == [
            [f"'{text}", "value"], [f"'{text}", "-1.5"], [f"'{start}", "2.0"],
        ]  # fmt: skip


@pytest.mark.parametrize("split", [";", "\t", "\n", "\r\n"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff0b", ' "='])
def test_no_part_of_a_cell_is_a_formula(split: str, sign: str) -> None:
    written = as_csv({"text": [f"bank{split}{sign}1+1"]})
    assert rows(written)[1] == [f"bank{split}'{sign}1+1"]


def test_all_else_stands_in_a_csv_as_it_is() -> None:
    columns = {
        "text": ["a=b", "'tis", ""],
        "number": np.float32([-0.5, 1e-7, 3]),
        "count": [-1, None, 2],
        "change": [0.25, None, -1],
        "row": range(-1, 2),
        "cosine": Column([-0.25, 0.5, 1.0], 1),
        "mixed": ["-", -3, 0.5],
    }
    assert as_csv(columns, {"model": "=m", "layer": 5}).decode("utf-8-sig").splitlines() == [
        "text,number,count,change,row,cosine,mixed,model,layer",
        "a=b,-0.5,-1,0.25,-1,-0.25,'-,'=m,5",
        "'tis,1e-07,,,0,0.5,-3,'=m,5",
        ",3.0,2,-1.0,1,1.0,0.5,'=m,5",
    ]


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


def test_names_of_arrays_that_are_alike_or_taken() -> None:
    titles = ["a b", "a/b", "about", "model", "file", "../..", "🐍", "x" * 500]
    arrays, about = opened(as_npz({title: [1] for title in titles}, "a model", {}))
    assert list(arrays) == [
        "a_b", "a_b_2", "about_2", "model_2", "file_2", "array", "array_2", "x" * 60,
    ]  # fmt: skip
    assert [entry["title"] for entry in about["arrays"].values()] == titles


def test_a_parquet_with_a_column_of_lists(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(as_parquet(VECTORS, {"label": LABELS, "year": [1900, None, 1902, None]}))
    frame = pd.read_parquet(path)
    assert list(frame) == ["label", "year", "vector"]
    assert np.array_equal(np.stack(frame["vector"].tolist()), VECTORS)
    assert frame["label"].tolist() == LABELS
    assert str(pq.read_schema(path).field("vector").type) == "fixed_size_list<element: float>[3]"


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda text: ascii(text[:20]))
def test_a_file_is_named_by_what_it_shows(sentence: str) -> None:
    shown, made = ("Word in Context", "curves", "all-MiniLM-L6-v2"), {"layer": 6}
    name = file_name(*shown, made=made, sentence=sentence)
    assert name.startswith("Word-in-Context_curves_all-MiniLM-L6-v2_layer-6")
    assert len(name.encode("utf-8")) <= MAX_NAME
    assert not re.search(r"[/\\:*?\"'<>|\s\x00-\x1f\u200b-\u206f\U0001F300-\U0001FAFF]", name)
    assert name[-1] not in ".-_ "


def test_parts_of_a_name_that_are_blank_or_long() -> None:
    assert file_name("tokens", "", made={}, sentence="  \n ") == "tokens"
    name = file_name("p", "m" * 300, made={"word": "w" * 3000, "corpus": "../x"}, sentence="A b.")
    assert name == f"p_{'m' * 48}_word-{'w' * 43}_corpus-x_a-b"
