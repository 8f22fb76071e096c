"""Parts of a job and tables made elsewhere: what is read, and what is refused in a sentence."""

import io
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core.corpus.job import Carried
from bertviz_core.errors import UserInputError
from bertviz_core.vector_files import Opened, bounds, read
from tests.data.vector_files import SENTENCES, SPANS, job_file, numbers, rows_of, table_file

VECTORS = numbers(8)
WORDS = ["bank", "go", "bank", "bank", "go", "bank", "bank", "bank"]
YEAR, AUTHOR, SENSE = (
    Carried("year", "int64"),
    Carried("author", "string"),
    Carried("sense", "string"),
)
LISTS = [row.tolist() for row in VECTORS[:4, 0]]
TABLE: dict[str, Any] = {"word": ["bank"] * 4, **rows_of(4), "layer_6": LISTS}


def opened(content: bytes, word: str | None = None, most: int = 2_000) -> Opened:
    return read(io.BytesIO(content), word, most)


@pytest.mark.parametrize("stored", ["float32", "float16"])
def test_a_part_of_a_job(stored: str) -> None:
    further = {YEAR: [1900, None, *range(1902, 1908)], AUTHOR: ["x" * 300] * 8}
    found = opened(job_file(VECTORS, WORDS, stored=stored, further=further))
    rows = [row for row, word in enumerate(WORDS) if word == "bank"]
    assert (found.word, found.model, found.pooling) == ("bank", "tiny-bert", "mean")
    assert (found.counts, found.total, found.layers) == ({"bank": 6, "go": 2}, 6, (0, 6))
    assert np.array_equal(found.found.vectors, VECTORS[rows].astype(stored).astype(np.float32))
    assert found.found.vectors.dtype == np.float32
    assert not found.found.vectors.flags.writeable
    assert [one.sentence for one in found.found.occurrences] == [SENTENCES[row % 4] for row in rows]
    assert [(one.start, one.end) for one in found.found.occurrences] == [
        SPANS[row % 4] for row in rows
    ]
    assert found.columns["year"] == (1900, 1902, 1903, 1905, 1906, 1907)
    assert found.columns["author"] == ("x" * 200,) * 6
    assert found.columns["source"] == ("a.txt",) * 6
    assert [one.line for one in found.found.occurrences] == [1, 2, 3, 4, 5, 6]  # by their offset
    assert found.as_computed == (stored == "float32")


def test_one_of_its_words_and_the_first_of_its_rows() -> None:
    content = job_file(VECTORS, WORDS, further={YEAR: range(8), SENSE: ["a", "", None, *"bcdef"]})
    found = opened(content, "go")
    assert (found.word, found.total) == ("go", 2)
    assert np.array_equal(found.found.vectors, VECTORS[[1, 4]])
    assert [one.sense for one in found.found.occurrences] == [None, "c"]
    assert "sense" not in found.columns
    assert opened(content, "never").word == "bank"
    few = opened(content, "bank", most=2)
    assert (few.total, few.columns["year"]) == (6, (0, 2))
    assert np.array_equal(few.found.vectors, VECTORS[[0, 2]])
    empty = opened(job_file(VECTORS[:0], []))
    assert (empty.word, empty.total, empty.found.vectors.shape) == ("", 0, (0, 2, 4))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_a_table_of_pandas(version: str, compression: str) -> None:
    kind = pd.Categorical(["a", "b", "a", "b"])
    table = pd.DataFrame(
        TABLE | {"layer_6": list(VECTORS[:4, 0]), "layer_12": list(VECTORS[:4, 1])}
    )
    table = table.assign(kind=kind, year=[1, 2, None, 4], good=[True, False, True, True])
    file = io.BytesIO()
    table.to_parquet(file, compression=compression, data_page_version=version)
    found = read(file, None, 2_000)
    assert (found.model, found.pooling, found.layers) == ("unknown", "unknown", (6, 12))
    assert np.array_equal(found.found.vectors, VECTORS[:4])
    assert found.columns == {
        "kind": ("a", "b", "a", "b"),
        "year": (1.0, 2.0, None, 4.0),
        "good": (True, False, True, True),
    }
    assert not found.as_computed


def test_the_same_sentence_is_the_same_line() -> None:
    twice = {name: [cells[row] for row in (0, 1, 0, 3)] for name, cells in TABLE.items()}
    lines = [one.line for one in opened(table_file(twice)).found.occurrences]
    assert lines == [1, 2, 1, 3]


def changed(**columns: Any) -> bytes:
    """The table with other columns; None leaves one out."""
    kept = {name: cells for name, cells in (TABLE | columns).items() if cells is not None}
    return table_file(kept)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (changed(start=None), "holds the columns word, sentence, end, layer_6; expected word"),
        (changed(layer_6=None), "expected word, sentence, start, end and vectors as layer_0"),
        (changed(layer_6=None, layer_06=LISTS), "expected word, sentence, start, end and vectors"),
        (changed(layer_6=[1.0] * 4), "layer_6 holds double; expected lists of decimal numbers"),
        (changed(layer_6=[[1, 2]] * 4), "layer_6 holds list.*expected lists of decimal numbers"),
        (changed(start=["0"] * 4), "start holds string; expected whole numbers"),
        (changed(sentence=[1] * 4), "sentence holds int64; expected text"),
        (
            changed(at=pa.array([0] * 4, pa.timestamp("s"))),
            "at holds timestamp.*expected text",
        ),
        (changed(layer_6=[[1.0, 2], [1.0, 2], [1.0], [1.0, 2, 3]]), "have other than 2 numbers"),
        (
            changed(layer_6=[[1.0, 2], None, [1.0, 2], [2.0, 1]]),
            "are missing, or not of one length",
        ),
        (changed(layer_6=[[1.0, None]] * 4), "are missing, or have other than 2 numbers"),
        (changed(layer_6=[[1.0, float("nan")]] * 4), "missing or not finite"),
        (changed(layer_6=[[1.0, 1e300]] * 4), "beyond ±1,000,000"),
        (changed(layer_7=[[1.0]] * 4), "have other than 4 numbers"),
        (changed(end=[99] * 4), "whose word is not in its sentence"),
        (changed(start=[-1] * 4), "whose word is not in its sentence"),
        (changed(start=[None, 1, 2, 3]), "whose word is not in its sentence"),
        (changed(sentence=[None, "a", "b", "c"]), "whose word is not in its sentence"),
        (changed(word=["bank", None, "bank", "bank"]), "a row without a word"),
        (changed(**{f"column {i}": [0] * 4 for i in range(41)}), "41 further columns; up to 40"),
        (changed(layer_6=pa.array([[]] * 4, pa.list_(pa.float32()))), "have other than 1 numbers"),
        (table_file({"a": [1]}), "holds the columns a; expected word"),
        (table_file({}), "holds the columns none; expected word"),
        (b"PAR1", "no Parquet file that can be read, and no NPZ"),
        (b"", "no Parquet file that can be read, and no NPZ"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_said(content: bytes, said: str) -> None:
    with pytest.raises(UserInputError, match=said):
        opened(content)


def test_infinite_numbers_of_a_float16_are_refused() -> None:
    vectors = VECTORS.copy()
    vectors[3, 1, 2] = np.inf
    with pytest.raises(UserInputError, match="not finite"):
        opened(job_file(vectors, stored="float16"))


def test_a_part_that_says_what_it_does_not_hold() -> None:
    table = pq.read_table(io.BytesIO(job_file(VECTORS)))
    told = (table.schema.metadata or {})[b"bertviz_occurrences"]
    for old, new in (
        (b"[0, 6]", b"[0, 7]"),
        (b'"hidden_size": 4', b'"hidden_size": 5'),
        (b"{", b""),
    ):
        lie = told.replace(old, new)
        assert lie != told
        file = io.BytesIO()
        pq.write_table(table.replace_schema_metadata({b"bertviz_occurrences": lie}), file)
        with pytest.raises(UserInputError, match="other layers or sizes of its vectors"):
            read(file, None, 2_000)


def test_two_columns_of_one_name() -> None:
    arrays = [pa.array(cells) for cells in TABLE.values()]
    table = pa.Table.from_arrays([*arrays, pa.array([1] * 4)], names=[*TABLE, "word"])
    file = io.BytesIO()
    pq.write_table(table, file)
    with pytest.raises(UserInputError, match="two columns of one name"):
        read(file, None, 2_000)


def test_only_as_many_rows_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "LARGEST", 3 * 2 * 4 * 4)  # three occurrences
    found = opened(job_file(VECTORS, WORDS))
    assert (len(found.found.occurrences), found.total) == (3, 6)


def test_only_the_row_groups_of_the_word_are_read() -> None:
    """Of a part of a gigabyte, a rare word's rows are a few row groups."""
    words = ["bank"] * 300 + ["go"]
    content = job_file(np.full((301, 2, 4), np.nan, np.float32), words, group=100)
    with pytest.raises(UserInputError, match="not finite"):
        opened(content, "bank")
    vectors = np.full((301, 2, 4), np.nan, np.float32)
    vectors[300:] = 1
    assert opened(job_file(vectors, words, group=100), "go").total == 1
