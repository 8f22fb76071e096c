"""NumPy archives of vectors: what is read, and what is refused in a sentence."""

import io
import struct
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.errors import UserInputError
from bertviz_core.senses import MAX_OCCURRENCES, vector_files
from bertviz_core.senses.vector_files import VectorFile, read
from tests.data.vector_files import SENTENCES, npz_file, numbers, rows_of
from tests.fuzz import FILES, Damage, answers, damage, examples

VECTORS = numbers(4)
ARRAYS: dict[str, Any] = {"vectors": VECTORS, **rows_of(4)}


def changed(**arrays: Any) -> bytes:
    """The archive with other arrays; None leaves one out."""
    kept = {name: array for name, array in (ARRAYS | arrays).items() if array is not None}
    return npz_file(**kept)


@pytest.mark.parametrize("packed", [False, True])
def test_all_that_it_may_hold(packed: bool) -> None:
    content = npz_file(
        packed,
        **ARRAYS | {"vectors": np.asfortranarray(VECTORS)},
        layers=[3, 9],
        word=["bank", "go", "bank", "bank"],
        sense=["river", "", "money", "money"],
        model="mine",
        pooling="first",
        year=[1900, 1901, 1902, 1903],
        author=["a", "b", "c", "d"],
        share=[0.5, 1, np.nan, 2],
    )
    found = read(io.BytesIO(content), None, 2_000)
    assert (found.word, found.model, found.pooling) == ("bank", "mine", "first")
    assert (found.counts, found.layers) == ({"bank": 3, "go": 1}, (3, 9))
    assert np.array_equal(found.found.vectors, VECTORS[[0, 2, 3]])
    assert [one.sense for one in found.found.occurrences] == ["river", "money", "money"]
    assert [one.sentence for one in found.found.occurrences] == [
        SENTENCES[row] for row in (0, 2, 3)
    ]
    assert found.columns == {
        "year": (1900, 1902, 1903),
        "author": ("a", "c", "d"),
        "share": (0.5, None, 2.0),
    }
    assert not found.as_computed
    assert read(io.BytesIO(content), "go", 2_000).columns["year"] == (1901,)


def test_as_little_as_it_needs() -> None:
    found = read(io.BytesIO(changed(vectors=VECTORS[:, 0].astype(np.float64))), None, 3)
    assert (found.word, found.total, found.layers) == ("bank", 4, (0,))
    assert np.array_equal(found.found.vectors, VECTORS[:3, :1])
    assert (found.model, found.pooling, found.columns) == ("unknown", "unknown", {})
    for word in ("light", ["light"] * 4):
        assert read(io.BytesIO(changed(word=word)), "bank", 9).counts == {"light": 4}
    nothing = {name: np.array(array)[:0] for name, array in ARRAYS.items()}
    empty = read(io.BytesIO(npz_file(**nothing)), None, 9)
    assert (empty.total, empty.found.vectors.shape) == (0, (0, 2, 4))


def test_vectors_with_labels_alone() -> None:
    """Labels that repeat are classes; else they only name the points."""
    labels = ["king", "queen\t=1", "", "a "]
    found = read(
        io.BytesIO(npz_file(vectors=VECTORS[:, 0], labels=labels, year=[1, 2, 3, 4])), None, 9
    )
    assert (found.word, found.total, found.layers) == ("these vectors", 4, (0,))
    assert [one.word for one in found.found.occurrences] == ["king", "queen\t=1", "–", "a "]
    assert {one.sense for one in found.found.occurrences} == {None}
    assert found.columns == {"year": (1, 2, 3, 4)}
    assert np.array_equal(found.found.vectors[:, 0], VECTORS[:, 0])
    classes = read(io.BytesIO(npz_file(vectors=VECTORS, labels=[7, 7, 1, 1])), None, 9)
    assert [one.sense for one in classes.found.occurrences] == ["7", "7", "1", "1"]
    given = read(
        io.BytesIO(npz_file(vectors=VECTORS, labels=[7, 7, 1, 1], sense=[*"aabc"])), None, 9
    )
    assert [one.sense for one in given.found.occurrences] == [*"aabc"]


REFUSED = [
    *(changed(vectors=vectors) for vectors in (None, VECTORS[0, 0], VECTORS[:3])),
    *(changed(vectors=np.ones(shape)) for shape in ((4, 65, 2), (4, 0, 2))),
    *(changed(vectors=np.full((4, 1, 2), number)) for number in (1, np.nan, 1e9)),
    *(changed(sentence=np.array(texts)) for texts in ([b"a"] * 4, np.array([*"abcd"], object))),
    *(changed(start=[1.5] * 4), changed(end=[99] * 4)),
    *(changed(layers=layers) for layers in ([6, 0], [0, 0], [-1, 0], [0])),
    *(changed(year=[1, 2]), changed(year=np.ones(4, complex)), changed(model=["a", "b"])),
    changed(vectors=np.zeros((1_000_001, 1), np.float16)),
    changed(note=np.array(["x" * 2_100_000] * 4)),
    changed(**{f"column {i}": [0] * 4 for i in range(41)}),
    changed(**{f"c{i:03}" * 30: [0] * 4 for i in range(200)}),
    *(changed() + b"x", changed()[:-30], b"PK\x03\x04"),
]


@pytest.mark.parametrize("content", REFUSED, ids=lambda value: "")
def test_what_does_not_fit_is_refused(content: bytes) -> None:
    with answers(), pytest.raises(UserInputError):
        read(io.BytesIO(content), None, 2_000)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("name", ["sentence", "word", "sense", "year", "labels", "model"])
def test_codes_that_are_no_characters_are_replaced(name: str, order: str) -> None:
    codes = np.array([[0x110000, 65], [0xD800, 66], [67, 0xDFFF], [2**32 - 1, 68]], f"{order}u4")
    text = codes.view(f"{order}U2")[:, 0]
    arrays = {"vectors": VECTORS, "labels": ["a"] * 4} if name == "labels" else ARRAYS
    arrays |= {"start": [0] * 4, "end": [2] * 4} if name == "sentence" else {}
    value = text[:1].reshape(()) if name == "model" else text
    found = read(io.BytesIO(npz_file(**arrays | {name: value})), None, 9)
    shown = {
        "sentence": (words := {one.word for one in found.found.occurrences}), "labels": words,
        "sense": {one.sense for one in found.found.occurrences}, "word": {*found.counts},
        "year": {*found.columns.get("year", ())}, "model": {found.model},
    }[name]  # fmt: skip
    assert shown == (
        {"\ufffdA"} if name == "model" else {"\ufffdA", "\ufffdB", "C\ufffd", "\ufffdD"}
    )


def test_numbers_that_only_numpy_has_become_numbers_of_python() -> None:
    big = {
        "long": np.array([1e4000, 2, 3, 4], np.longdouble),
        "whole": np.uint64([2**64 - 1, 1, 2, 3]),
    }
    found = read(io.BytesIO(changed(vectors=VECTORS.astype(np.longdouble), **big)), None, 9)
    assert found.columns == {"long": (np.inf, 2.0, 3.0, 4.0), "whole": (2.0**64, 1.0, 2.0, 3.0)}
    assert {type(cell) for cells in found.columns.values() for cell in cells} == {float}
    assert np.array_equal(found.found.vectors, VECTORS)


def test_long_text_is_cut() -> None:
    x = "x" * 1_000_000
    found = read(io.BytesIO(changed(word=x, model=x, sense=[x] * 4, note=[x] * 4)), None, 9)
    (sense,) = {one.sense for one in found.found.occurrences}
    assert {found.word, *found.counts, found.model, sense, *found.columns["note"]} == {"x" * 200}
    labelled = read(io.BytesIO(npz_file(vectors=VECTORS, labels=[x] * 4)), None, 9)
    assert {one.sentence for one in labelled.found.occurrences} == {"x" * 2_000}


def archive(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as written:
        for name, content in entries.items():
            written.writestr(name, content)
    return file.getvalue()


def array_bytes(shape: tuple[int, ...], kind: str, content: bytes) -> bytes:
    """An array whose header says any shape and type."""
    file = io.BytesIO()
    header = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + content


LIES = [
    ("is damaged", "vectors", array_bytes((2**40, 2**40), "<f4", b"")),
    ("is damaged", "vectors", array_bytes((-4, -4), "<f4", bytes(64))),
    ("Python objects", "vectors", array_bytes((4, 4), "|O", bytes(128))),
    ("is damaged", "vectors", b"\x93NUMPY\x01\x00\xff\xff{"),
    ("is damaged", "vectors", b"\x93NUMPY\x01\x00\x06\x00[[[[[\n"),  # fails in tokenize
    ("65 MB", "vectors", array_bytes((65_000_000,), "|u1", bytes(65_000_000))),
]


@pytest.mark.parametrize(("said", "name", "array"), LIES)
def test_an_archive_that_lies(said: str, name: str, array: bytes) -> None:
    content = archive({f"{name}.npy": array})
    assert len(content) < 300_000
    with answers(), pytest.raises(UserInputError, match=said):
        read(io.BytesIO(content), None, 2_000)


OBJECTS: dict[str, Any] = {
    "text": pd.Series(["a", "b", "a", "b"]),
    "text with None": pd.Series(["a", None, "a", "b"], dtype=object),
    "numbers and text": pd.Series([1, "b", 2.5, None]),
    "categories": pd.Series(["a", None, "a", "b"], dtype="category"),
    "whole numbers with none": pd.Series([1, 2, None, 2], dtype="Int64"),
    "truth with None": [True, None, False, True],
    "arrow": pa.chunked_array([["a", None, "a", "b"]]),
}


@pytest.mark.parametrize("name", ["labels", "sense", "year"])
@pytest.mark.parametrize("kind", OBJECTS)
def test_python_objects_are_said_with_the_call_that_mends_them(name: str, kind: str) -> None:
    given = {"vectors": VECTORS, "labels": list("abab"), name: np.asarray(OBJECTS[kind], object)}
    with pytest.raises(UserInputError, match=f"array {name} holds Python objects") as refused:
        read(io.BytesIO(npz_file(**given)), None, 2_000)
    call = str(refused.value).partition(f"{name}=")[2].removesuffix(".")
    mended = eval(call, {"pd": pd, "np": np, name: OBJECTS[kind]})
    opened = read(io.BytesIO(npz_file(**given | {name: mended})), None, 2_000)
    assert len(opened.found.occurrences) == 4


def test_vectors_in_a_column_of_pandas() -> None:
    column = pd.Series(list(VECTORS[:, 0]))
    with pytest.raises(UserInputError, match=r"vectors=np\.stack\(vectors\)"):
        read(io.BytesIO(npz_file(vectors=column, labels=list("abab"))), None, 2_000)
    assert (
        read(io.BytesIO(npz_file(vectors=np.stack(column), labels=list("abab"))), None, 9).total
        == 4
    )


def test_a_header_among_the_labels_is_asked_about() -> None:
    with pytest.raises(UserInputError, match="first entry a header"):
        read(io.BytesIO(npz_file(vectors=VECTORS, labels=["word", *"abab"])), None, 2_000)


def test_an_archive_packed_as_numpy_never_packs() -> None:
    packed = {"vectors.npy": array_bytes((1,), "<f4", bytes(4))}
    for content in (archive(packed, zipfile.ZIP_LZMA), archive({"../vectors": b""})):
        with pytest.raises(UserInputError, match=r"np\.savez"):
            read(io.BytesIO(content), None, 2_000)


def test_an_entry_that_unpacks_to_more_than_it_says() -> None:
    """Python reads no more of an entry than the list at the end says."""
    content = bytearray(npz_file(True, **ARRAYS | {"vectors": np.zeros((4, 64, 80), np.float32)}))
    true = 4 * 64 * 80 * 4 + 128
    for place in range(len(content) - 4):
        if struct.unpack_from("<I", content, place)[0] == true:
            struct.pack_into("<I", content, place, 128 + 64)
    with answers(), pytest.raises(UserInputError, match="is damaged"):
        read(io.BytesIO(bytes(content)), None, 2_000)


def test_only_as_many_rows_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "MAX_VECTOR_BYTES", 3 * 2 * 4 * 4)  # three occurrences
    found = read(io.BytesIO(changed()), None, 2_000)
    assert (len(found.found.occurrences), found.total) == (3, 4)


def check(opened: VectorFile) -> None:
    found = opened.found
    assert found.vectors.shape[1] == len(opened.layers)
    assert len(found.vectors) == len(found.occurrences) <= opened.total
    assert all(one.word for one in found.occurrences)
    assert all(len(cells) == len(found.vectors) for cells in opened.columns.values())
    assert np.isfinite(found.vectors).all()


@pytest.mark.parametrize("packed", [False, True])
@given(change=damage(), rows=st.integers(0, 3))
@FILES
def test_a_damaged_file(packed: bool, change: Damage, rows: int) -> None:
    kinds = {"sentence": "U20", "start": "i8", "end": "i8"}  # also where there is no row
    arrays = {name: np.array(cells, kinds[name]) for name, cells in rows_of(rows).items()}
    made = npz_file(packed, vectors=numbers(rows), year=np.arange(rows), **arrays)
    with answers():
        check(read(io.BytesIO(change(made)), None, MAX_OCCURRENCES))


@given(content=st.binary(max_size=200))
@examples(150)
def test_any_bytes(content: bytes) -> None:
    for file in (content, b"PK\x03\x04" + content):
        with answers():
            check(read(io.BytesIO(file), None, MAX_OCCURRENCES))
