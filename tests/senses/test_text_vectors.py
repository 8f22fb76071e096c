"""Texts and vectors in any notation, and what is said of those that cannot be read."""

import io
import json
import tracemalloc
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.senses.text_vectors import MAX_JSON, MAX_TEXT, TextVectors, text_vectors
from tests.data.vector_files import npz_file

ROW = np.random.default_rng(0).standard_normal(384).astype(np.float32)
NUMBERS: list[float] = ROW.tolist()
JSON = json.dumps(NUMBERS)
BLANKS = " ".join(map(str, NUMBERS))
TEXTS = ["one", "two"]
ROWS = np.stack([ROW, -ROW])
WITH_TEXT = {"text": "one", "vector": NUMBERS}


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def read(bert: Bert, brought: str | bytes, text: str = "typed") -> TextVectors:
    return text_vectors(brought.encode() if isinstance(brought, str) else brought, text, bert)


WRITTEN = {
    "JSON": JSON,
    "nested": f"[{JSON}]",
    "of one service": json.dumps({"data": [{"index": 0, "embedding": NUMBERS}], "usage": {"n": 5}}),
    "of another": json.dumps({"embedding": {"values": NUMBERS}}),
    "of a third": json.dumps({"id": "a", "embeddings": {"float": [NUMBERS]}}),
    "dict": str({"embedding": NUMBERS}),
    "of a store": f"'{JSON}'",
    "blanks": BLANKS,
    "tabs": BLANKS.replace(" ", "\t"),
    "lines": BLANKS.replace(" ", "\r\n"),
    "commas": BLANKS.replace(" ", ","),
    "semicolons": BLANKS.replace(" ", ";"),
    "minus signs": BLANKS.replace("-", "\N{MINUS SIGN}"),
    "torch": f"tensor({JSON}, device='cuda:0', dtype=torch.float16)",
    "repr": repr([*ROW]),
    "JavaScript": f"Float32Array(384) {JSON}",
    "TensorFlow": f"tf.Tensor([{JSON}], shape=(1, 384), dtype=float32)",
    "double": repr([*ROW.astype(np.float64)]).replace("np.float64", "numpy.float64"),
}


@pytest.mark.parametrize("notation", WRITTEN)
def test_a_pasted_vector(notation: str, minilm: Bert) -> None:
    found = read(minilm, WRITTEN[notation])
    assert (found.texts, found.total, found.vectors.shape) == (("typed",), 1, (1, 384))
    np.testing.assert_allclose(found.vectors[0], ROW, rtol=1e-6)


def test_as_numpy_prints_it(minilm: Bert) -> None:
    with np.printoptions(threshold=400):
        for printed in (str(ROW), repr(ROW), str(ROW[None]), f"x = {ROW!r}"):
            np.testing.assert_allclose(read(minilm, printed).vectors[0], ROW, atol=1e-7)
    for printed in (str(np.tile(ROW, 4)), "0.1, 0.2, …, 0.3", "tensor([ 0.1, ..., 0.2])"):
        with pytest.raises(UserInputError, match=r"print\(vector.tolist"):
            read(minilm, printed)


PAIRS: dict[str, bytes | str] = {
    "NPZ": npz_file(any=TEXTS, name=ROWS, ids=[1, 2], model="MiniLM"),
    "packed": npz_file(True, t=TEXTS, v=ROWS.astype(np.float64)),
    "a list": json.dumps([WITH_TEXT, {"sentence": "two", "embedding": (-ROW).tolist()}]),
    "lines": "\n".join(
        json.dumps({"text": t, "vector": v.tolist()}) for t, v in zip(TEXTS, ROWS, strict=True)
    ),
    "two lists": json.dumps({"texts": TEXTS, "vectors": ROWS.tolist()}),
    "rows of a store": json.dumps(
        [
            {"content": t, "embedding": json.dumps(v.tolist())}
            for t, v in zip(TEXTS, ROWS, strict=True)
        ]
    ),
    "service": json.dumps({"texts": TEXTS, "embeddings": {"float": ROWS.tolist()}}),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_texts_with_their_vectors(kind: str, minilm: Bert) -> None:
    found = read(minilm, PAIRS[kind], text="")
    assert (found.texts, found.total) == (("one", "two"), 2)
    np.testing.assert_array_equal(found.vectors, ROWS.astype(np.float64))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.uint8])
def test_one_vector_in_any_type(kind: type, minilm: Bert) -> None:
    row = (10 * np.abs(ROW)).astype(kind)
    for content in (npy(row), npy(row[None]), npz_file(v=row), npz_file(v=row[None], id=[7])):
        found = read(minilm, content)
        assert found.texts == ("typed",)
        np.testing.assert_array_equal(found.vectors[0], row.astype(np.float64))


def test_the_first_500(minilm: Bert) -> None:
    many = npz_file(text=[f"text {n}" for n in range(600)], rows=np.tile(ROW, (600, 1)))
    found = read(minilm, many)
    assert (len(found.texts), found.vectors.shape, found.total) == (500, (500, 384), 600)
    assert found.texts[-1] == "text 499"
    long = json.dumps({"text": "a " * 50_000, "vector": NUMBERS})
    assert len(read(minilm, long).texts[0]) == MAX_TEXT


REFUSED: Mapping[str, str | bytes] = {
    "Numbers found: 0; a vector of all-MiniLM-L6-v2 has 384": "",
    "Numbers found: 1; ": "I have 3 cats",
    "Numbers found: 768; .* choose the model": json.dumps(NUMBERS * 2),
    "Numbers found: 768; .* has 384": BLANKS.replace(".", ",").replace(" ", ";"),
    "Numbers found: 2; ": "[NaN, Infinity]",
    r"perhaps|base64\?.*encoding_format=.float": json.dumps({"data": [{"embedding": "aGVsbG8="}]}),
    r"without its text \(2 in all\)": npy(ROWS),
    "Texts: 1; vectors: 2": json.dumps({"texts": ["a"], "vectors": ROWS.tolist()}),
    "Texts: 1; vectors: 1": json.dumps({"text": 5, "vector": NUMBERS}),
    r"without its text \(2": json.dumps([WITH_TEXT, {"vector": NUMBERS}]),
    "Numbers found: 3; ": json.dumps({"texts": TEXTS, "vectors": [NUMBERS, NUMBERS[:3]]}),
    r"Arrays: a \(2,\), b \(2,\), v \(2, 384\)": npz_file(a=TEXTS, b=TEXTS, v=ROWS),
    r"Arrays: a \(1,\), v \(2, 384\)": npz_file(a=["a"], v=ROWS),
    r"Arrays: vector \(1, 1, 384\)": npy(ROW[None, None]),
    "Python objects": npy(np.array([ROW, None], dtype=object)),
    "The array a holds Python objects": npz_file(a=np.array(["a", None], dtype=object), v=ROWS),
    "damaged": npy(ROW).replace(b"(384,)", b"(9**9,)"),
    "The NPZ file is damaged": npz_file(v=ROWS)[:-9],
    "have to be unpacked": npz_file(True, v=np.zeros((50_000, 384), np.float32)),
    "is not text": bytes(range(256)) * 9,
    "not JSON, NPY or NPZ": b"hello 0.1 " * 100_000,
    "up to 8 MB": b"[1," * MAX_JSON,
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_read(said: str, minilm: Bert) -> None:
    with pytest.raises(UserInputError, match=said):
        read(minilm, REFUSED[said])


def test_a_vector_without_a_text_needs_one(minilm: Bert) -> None:
    with pytest.raises(UserInputError, match="Type the sentence"):
        read(minilm, JSON, text=" ")
    assert read(minilm, json.dumps({"text": "", "vector": NUMBERS}), text="").texts == ("",)


@pytest.mark.parametrize("content", [b"[" * 400_000, b"[" + b"{}," * 300_000 + b"{}]"])
def test_json_that_is_large_inside(content: bytes, minilm: Bert) -> None:
    tracemalloc.start()
    with pytest.raises(UserInputError):
        read(minilm, content)
    assert tracemalloc.get_traced_memory()[1] < 40 * len(content)
    tracemalloc.stop()


@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_is_read_or_refused_in_a_sentence(content: bytes, minilm: Bert) -> None:
    with pytest.raises(UserInputError):
        read(minilm, content)
