"""Parquet files of a few kilobytes that say they are gigabytes, or say what is not so."""

import io
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import LONGEST_LABEL, LONGEST_SENTENCE
from bertviz_core.vector_files import bounds, read
from bertviz_core.vector_files.pages import unpacked
from tests.data.hostile_uploads import parquet_file, with_less_said
from tests.data.vector_files import rows_of, table_file
from tests.fresh_process import printed_by
from tests.fuzz import CALLS, answers

LONG = "a bank " * 285_000  # 2 MB
LONGER = "a bank " * 5_000_000  # 35 MB
BILLION = 2**40
COLUMN = pq.ParquetFile(io.BytesIO(parquet_file())).metadata.row_group(0).column(0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"layers": 65}, "65 layers of 4 numbers; up to 64 of 8,192"),
        ({"hidden_size": 8_193}, "of 8,193 numbers"),
        ({"says": {"hidden_size": BILLION}}, "of 1,099,511,627,776 numbers"),
        ({"says": {"layers": BILLION}}, "1,099,511,627,776 layers"),
        ({"says": {"layers": float("inf")}}, "expected line, sense"),
        ({"says": {"layers": 0}}, "says that its vectors have 0 layers"),
        ({"says": {"layers": 3}}, "expected line, sense"),
        ({"says": {"layers": None}}, "expected line, sense"),
        ({"rows": 2, "sentence": LONGER}, "35 MB of it text; up to"),
        ({"rows": 2, "sense": LONGER}, "35 MB of it text; up to"),
        ({"rows": 1_100_000, "layers": 1, "hidden_size": 1, "value": 0.0}, "up to 1,000,000 rows"),
        ({"sentence": LONG, "span": (0, LONGEST_SENTENCE + 1)}, "whose word has more than 2,000"),
        ({"span": (3, 9)}, "whose word is not in its sentence"),
        ({"span": (-1, 3)}, "whose word is not in its sentence"),
        ({"value": float("nan")}, "not finite"),
        ({"value": 1e30}, "beyond ±1,000,000"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_such_a_file_is_refused_in_a_sentence(content: dict, said: str) -> None:
    file = parquet_file(**content)
    begun = time.process_time()
    with pytest.raises(UserInputError, match=said):
        # What the page asks for, or all rows where there are more.
        read(io.BytesIO(file), None, max(2_000, content.get("rows", 0)))
    assert time.process_time() - begun < 2


def test_little_memory_and_time_for_what_is_packed_small(tmp_path: Path) -> None:
    """Each in a process of its own, which has imported all it needs."""
    files = {
        "sentence": (parquet_file(rows=100, sentence=LONG), 100),
        "sense": (parquet_file(rows=100, sense=LONG), 100),
        "rows": (parquet_file(rows=2_000, layers=64, hidden_size=8_192 // 32, value=0.5), 200),
        "layers": (parquet_file(rows=50, layers=64, hidden_size=8_192, value=0.5), 200),
    }
    for name, (content, peak) in files.items():
        assert len(content) < 1_500_000
        (tmp_path / f"{name} {peak}").write_bytes(content)
    printed = printed_by(f"""
import os, resource, time
from pathlib import Path
import pyarrow.compute, pyarrow.parquet
from bertviz_core.errors import UserInputError
from bertviz_core.vector_files import read

for path in Path({str(tmp_path)!r}).iterdir():
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        continue
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    try:
        with path.open("rb") as file:
            read(file, None, 2_000)
    except UserInputError:
        pass
    taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3
    print(path.name, taken, time.process_time() - begun, flush=True)
    os._exit(0)
""")
    assert len(printed.splitlines()) == len(files)
    for line in printed.splitlines():
        name, peak, taken, seconds = line.split()
        assert float(taken) < float(peak), name  # MB
        assert float(seconds) < 5, name


def test_what_is_read_is_cut_to_what_fits() -> None:
    """A long sentence around the word, a long label at its end, and the rows by their bytes."""
    file = parquet_file(rows=5, sentence=LONG, sense=LONG, span=(702, 706))
    opened = read(io.BytesIO(file), None, 3)
    found = opened.found
    assert (len(found.occurrences), found.vectors.shape, opened.total) == (3, (3, 2, 4), 5)
    for occurrence in found.occurrences:
        assert (occurrence.word, occurrence.sense) == ("bank", LONG[:LONGEST_LABEL])
        assert 1_500 < len(occurrence.sentence) <= LONGEST_SENTENCE
    file = parquet_file(rows=200, layers=64, hidden_size=2_048, value=0.5)
    opened = read(io.BytesIO(file), None, 2_000)
    fitting = bounds.LARGEST // (4 * 64 * 2_048)
    assert (len(opened.found.occurrences), opened.total) == (fitting, 200)
    assert np.all(opened.found.vectors == 0.5)
    opened = read(io.BytesIO(parquet_file(rows=0)), None, 2_000)
    found = opened.found
    assert (found.occurrences, found.vectors.shape, opened.total) == ((), (0, 2, 4), 0)


@pytest.mark.parametrize("content", [{"sentence": LONGER}, {"sense": LONGER}])
def test_a_file_that_says_less_than_it_holds(content: dict) -> None:
    file = with_less_said(parquet_file(**content, layers=13, hidden_size=64))
    assert len(file) < 100_000
    with answers(), pytest.raises(UserInputError, match="larger inside than it says"):
        read(io.BytesIO(file), None, 2_000)


def test_the_pages_of_a_file_of_ours_are_as_large_as_it_says() -> None:
    content = parquet_file(rows=3_000, layers=13, hidden_size=64)
    part = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0)
    for column in map(part.column, range(part.num_columns)):
        size = unpacked(io.BytesIO(content), column).size
        assert 0.9 * column.total_uncompressed_size - 100 < size <= column.total_uncompressed_size


@given(content=st.binary(max_size=100))
@CALLS
def test_any_page_header(content: bytes) -> None:
    with answers(), suppress(ValueError):
        found = unpacked(io.BytesIO(bytes(4) + content * 20), COLUMN)
        assert min(found.size, found.values) >= 0


def with_long_lists(rows: dict, lists: dict[str, int]) -> bytes:
    """A table whose second vector is a long list of zeros, packed into a few bytes.

    Args:
        rows: Its other columns, of three rows.
        lists: How long that list is, by column.
    """
    count = max(lists.values())
    flat = pa.array(np.zeros(count + 8, np.float32))
    ends = {
        name: pa.array([0, 4, 4 + length, 8 + length], pa.int32()) for name, length in lists.items()
    }
    columns = {name: pa.ListArray.from_arrays(end, flat) for name, end in ends.items()}
    return table_file(rows | columns, compression="zstd")


def test_a_list_that_is_longer_than_the_others() -> None:
    """A thousand million zeros take a few bytes: what counts is how many values a page holds."""
    rows = {"word": ["bank"] * 3, **rows_of(3)}
    file = with_long_lists(rows, {"layer_0": 4_000_000})
    assert len(file) < 20_000
    with answers(), pytest.raises(UserInputError, match=r"1,333,336 numbers; up to 64 of 8,192"):
        read(io.BytesIO(file), None, 2_000)
    file = with_long_lists(rows, {"layer_0": 4, "layer_1": 4_000_000})
    with (
        answers(),
        pytest.raises(UserInputError, match="4,000,008 values in the column layer_1; expected 12"),
    ):
        read(io.BytesIO(file), None, 2_000)
    file = with_long_lists(rows, {"layer_0": 4, "layer_1": 5})
    with pytest.raises(UserInputError, match="13 values in the column layer_1; expected 12"):
        read(io.BytesIO(file), None, 2_000)


def test_such_a_list_in_a_file_that_says_it_is_of_a_fixed_size() -> None:
    honest = pq.read_metadata(io.BytesIO(parquet_file())).metadata
    lists = pa.ListArray.from_arrays(pa.array([0, 4_000_000, 4_000_008], pa.int32()),
                                     pa.array(np.zeros(4_000_008, np.float32)))  # fmt: skip
    names = {
        "line": [1] * 2,
        "sense": pa.nulls(2, pa.string()),
        "sentence": ["a bank"] * 2,
        "start": pa.array([2] * 2, pa.int32()),
        "end": pa.array([6] * 2, pa.int32()),
    }
    file = io.BytesIO()
    table = pa.table(names | {"vectors": lists})
    with pq.ParquetWriter(file, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(honest)
    assert len(file.getvalue()) < 20_000
    with answers(), pytest.raises(UserInputError, match="4,000,008 values in the column vectors"):
        read(file, None, 2_000)
