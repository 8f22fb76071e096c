"""A corpus cut into parts anywhere gives each of its passages once."""

import gzip
import io
import json
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Carried, CorpusFile, Kind, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.columns import choose_columns, fitting
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.corpus.reading.passages import blocks, passages
from bertviz_core.corpus.run import part_bytes_of, plan
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import read, texts
from tests.fuzz import examples


class Unpacked(io.BytesIO):
    """As a compressed file is read: forwards only."""

    def seekable(self) -> bool:
        return False


@given(
    text=st.text(st.sampled_from("aä猫  \r\n"), max_size=60), size=st.integers(1, 50),
    longest=st.sampled_from([4, 16, 999]), kind=st.sampled_from([io.BytesIO, Unpacked]),
)  # fmt: skip
@examples(300)
def test_blocks_side_by_side_are_the_file(
    text: str, size: int, longest: int, kind: type[io.BytesIO]
) -> None:
    """No byte is lost or read twice; a line is cut only where it is too long, a character never."""
    content = text.encode()
    ranges = pairwise([*range(0, len(content) or 1, size), None])
    found = [one for a, b in ranges for one in blocks(kind(content), a or 0, b, longest)]
    assert "".join(block.decode() for _, block in found) == text
    begins = np.cumsum([0, *(len(block) for _, block in found)])
    assert [at for at, _ in found] == begins[:-1].tolist()
    if longest > len(content):
        assert all(block.endswith(b"\n") for _, block in found[:-1])


@pytest.mark.parametrize(
    ("encoding", "end"),
    [("utf-8", "\r"), ("utf-8-sig", "\n"), ("utf-16", "\r\n"), ("utf-32", "\n"),
     ("utf-16-be", "\n"), ("cp1252", "\r"), ("cp1252", "\n")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz"])
def test_any_encoding_and_end_of_a_line(tmp_path: Path, encoding: str, end: str, name: str) -> None:
    """In parts of any size; a guess is said once, however many parts there are."""
    lines = [f"{number} café" for number in range(999)]
    written = [json.dumps({"text": line}, ensure_ascii=False) for line in lines]
    content = end.join(written if name == "a.jsonl" else lines).encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    for size in (500, 100_000):
        assert texts(read(tmp_path / name, part_bytes=size)) == lines
    log: list[str] = []
    find_corpus([str(tmp_path / name)], log.append)
    assert [one.count("guess") for one in log] == [1] * (encoding in ("cp1252", "utf-16-be"))


def test_a_file_that_is_not_text_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x89PNG\0\x01\x80" * 999)
    with pytest.raises(UserInputError, match=r"a\.txt is not text"):
        find_corpus([str(tmp_path)])


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"text": "one\\ntwo", "year": 1900, "who": "Ann"}\n\n'
        b'{"text": "caf\xe9 \\ud800", "year": "1901", "who": 7}\r\n'
        b'{"text": 3}\n[1]\nnot json\n{"year": 1}\n' + b"[" * 2_000 + b'\n{"text": "last"}'
    )
    carried = (Carried("year", "int64"), Carried("who", "string"))
    for size in (10, 10_000):
        tally = Receipt()
        found = read(path, tally, carried=carried, part_bytes=size)
        assert [(text, values) for text, _, values in found] == [
            ("one", (1900, "Ann")), ("two", (1900, "Ann")),
            ("caf\ufffd \ufffd", (1901, "7")), ("last", (None, None)),
        ]  # fmt: skip
        assert (tally.unreadable, tally.unfit, tally.bytes) == (5, 0, path.stat().st_size)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    tally = Receipt()
    assert texts(read(tmp_path / "b.jsonl.gz", tally, part_bytes=10)) == texts(found)
    assert tally.bytes == (tmp_path / "b.jsonl.gz").stat().st_size


@pytest.mark.parametrize(
    ("unit", "pieces"),
    [
        ("word ", ["word " * 50]), ("\u732b", ["\u732b" * 250]),
        (f"{'a ' * 80}end. ", [f"{'a ' * 80}end. "]), ("猫が好き。", ["猫が好き。" * 50]),
    ],
)  # fmt: skip
def test_where_a_long_line_is_cut(tmp_path: Path, unit: str, pieces: list[str]) -> None:
    """At the end of a sentence or else of a word; where there is neither, after 250 characters."""
    (tmp_path / "a.txt").write_text(unit * (20_000 // len(unit)), encoding="utf-8")
    found = [text for text, _, _ in read(tmp_path / "a.txt")]
    assert found[: len(pieces)] == pieces
    assert "".join(found) == unit * (20_000 // len(unit))
    (tmp_path / "a.txt").write_text(unit * (9_999 // len(unit)), encoding="utf-8")
    assert len(read(tmp_path / "a.txt")) == 1  # a long paragraph is whole


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({
        "body": pa.array(["one", None, "two\nthree", "four"]).dictionary_encode(),
        "when": [date(1900, 1, 2), None, date(1950, 1, 1), None],
        "price": [Decimal("1.5")] * 4,
        "tags": [["a"]] * 4,
    })  # fmt: skip
    pq.write_table(table, path, row_group_size=3)
    files = find_corpus([str(path)])
    carried = choose_columns(files, "body")
    assert carried == (Carried("when", "string"), Carried("price", "double"))
    tally = Receipt()
    assert read(path, tally, text="body", carried=carried) == [
        ("one", 0, ("1900-01-02", 1.5)), ("two", 2, ("1950-01-01", 1.5)),
        ("three", 2, ("1950-01-01", 1.5)), ("four", 3, (None, 1.5)),
    ]  # fmt: skip
    assert (tally.unreadable, tally.unfit) == (1, 0)
    assert tally.bytes == path.stat().st_size
    with pytest.raises(UserInputError, match="has no column “text” with the text"):
        read(path)


def test_which_columns_are_carried_along(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [
        {"text": "a", "year": 1900, "score": 1, "ok": True, "tags": [], "row": 1, "layer_2": 1},
        {"text": "b", "year": None, "score": 1.5, "ok": False, "mixed": 3, "source": "x"},
        {"mixed": "three"},
    ]
    path.write_text("no json\n" + "\n".join(map(json.dumps, rows)))
    files = find_corpus([str(path)])
    carried = choose_columns(files, "text")
    kinds: dict[str, Kind] = {"year": "int64", "score": "double", "ok": "bool", "mixed": "string"}
    assert {column.name: column.kind for column in carried} == kinds
    assert choose_columns(files, "text", ["ok"]) == (Carried("ok", "bool"),)
    assert choose_columns(files, "text", []) == ()
    for wanted in ("tags", "source", "gone"):
        with pytest.raises(UserInputError):
            choose_columns(files, "text", [wanted])
    with pytest.raises(UserInputError, match="--text: text, mixed, source"):
        choose_columns(files, "body")


def test_values_that_fit() -> None:
    for value, kind, expected in (
        (None, "bool", None), (True, "bool", True), (3, "double", 3.0), (3.0, "int64", 3),
        ("1", "int64", 1), ("1.5", "double", 1.5), ("True", "bool", True), (Decimal(2), "int64", 2),
        ("x" * 2_000, "string", "x" * 2_000), (True, "string", "True"),
        (2**63 - 1, "int64", 2**63 - 1),
    ):  # fmt: skip
        got = fitting(value, kind)
        assert (got, type(got)) == (expected, type(expected))
    for value, kind in (
        ("one", "int64"), ("1.5", "int64"), ("\ud800", "double"), (1, "bool"), (1.5, "int64"),
        (2**63, "int64"), (True, "int64"),
        (float("nan"), "int64"), (float("inf"), "int64"), (True, "double"), (10**400, "double"),
        ([1], "string"), (b"x", "string"), ("x" * 2_001, "string"),
    ):  # fmt: skip
        with pytest.raises((ValueError, OverflowError)):
            fitting(value, kind)


@pytest.mark.parametrize(
    ("megabytes", "expected"), [(0, 256_000), (1, 256_000), (64, 1_000_000), (10**5, 8_000_000)]
)
def test_a_corpus_is_cut_by_its_size(megabytes: int, expected: int) -> None:
    size = megabytes * 10**6
    assert part_bytes_of([CorpusFile("a.txt", size, size)]) == expected


def test_a_compressed_file_is_cut_and_read_once(minilm: Bert, tmp_path: Path) -> None:
    lines = [f"{number} at the bank" for number in range(300_000)]
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), 1))
    job = plan([Word("bank", ("bank",))], [str(path)], minilm)
    assert sum(1 for _ in job.parts()) == 3
    each = (passages(job, part, Receipt()) for part in job.parts())
    assert [one.text.strip() for some in each for one in some] == lines
