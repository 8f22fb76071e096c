from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow.dataset import dataset

from bertviz_core.corpus.store import Occurrences, nearest, whole_number
from bertviz_core.corpus.stratified_sample import stratified_sample
from bertviz_core.errors import UserInputError
from tests.corpus.made import Row, write_parts

FIRST = [
    Row("bank", [1, 0, 0, 0], sentence="We sat on the bank."),
    Row("go", [0, 1, 0, 0], year=1960, sentence="We go on foot."),
    Row("bank", [0, 0, 1, 0], year=None, sentence="The bank is shut."),
]
SECOND = [
    Row("bank", [1, 1, 0, 0], source="new.txt", author="J. Doe"),
    Row("bank", [0, 0, 1, 1], source="new.txt", year=2000, author=None),
]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Two parts, of two row groups and of one."""
    return write_parts(tmp_path, FIRST, SECOND)


@pytest.fixture
def occurrences(written: Path) -> Occurrences:
    return Occurrences.open(written)


def test_rows_that_meet_a_condition(occurrences: Occurrences) -> None:
    rows = {
        "year<1950": [0, 3],
        "year <= 1900": [0, 3],
        "year>1960": [4],
        "year>=1960": [1, 4],
        "year==1960": [1],
        "year!=1900": [1, 4],  # an empty value meets none
        "year<1959.5": [0, 3],
        "year<99999999999999999999999": [0, 1, 3, 4],
        "author=Mary Smith": [0, 1, 2],
        "source=new.txt": [3, 4],
        "source=xt": [],
        "source!=new.txt": [0, 1, 2],
        "sentence=We go on foot.": [1],
    }
    for text, expected in rows.items():
        assert occurrences.rows(where=occurrences.condition(text)).tolist() == expected, text
    years = [occurrences.condition("year>=1900"), occurrences.condition("year<1999")]
    assert occurrences.rows(where=years).tolist() == [0, 1, 3]
    assert occurrences.rows(word="bank", where=years).tolist() == [0, 3]
    assert occurrences.rows(word="never").tolist() == []


def test_a_condition_and_its_opposite_leave_only_empty_values(occurrences: Occurrences) -> None:
    for text in ("year<1950", "year<=1900", "year=1900"):
        one = occurrences.condition(text)
        rows = [occurrences.rows(where=each) for each in (one, one.opposite)]
        assert sorted(np.concatenate(rows)) == [0, 1, 3, 4]
        assert one.opposite.opposite == one


@pytest.mark.parametrize(
    "text", ["yaer<1950", "layer_0<1", "year<old", "author=\udcff", "year", "<1950"]
)
def test_what_is_no_condition_is_refused(occurrences: Occurrences, text: str) -> None:
    with pytest.raises(UserInputError):
        occurrences.condition(text)


TEXTS: dict[str, tuple[list[str | None], dict[str, list[int]]]] = {
    "numbers": (
        ["900", "1400", " 880 ", None, "", "NA", "-44", "007"],
        {"author<1000": [0, 2, 6, 7], "author>=900": [0, 1], "author>-50.5": [0, 1, 2, 6, 7],
         "author=900": [0], "author!=900": [1, 2, 4, 5, 6, 7], "author<=7": [6, 7]},
    ),
    "dates": (
        ["1848-03", "1849", "1848-03-15", "", None, "0900-01-01", "1850-12-31T10:00:00"],
        {"author<1849": [0, 2, 5], "author<=1848": [0, 2, 5], "author>1848": [1, 6],
         "author>=1848-03-02": [1, 2, 6], "author=1848-03": [0], "author<=1848-03": [0, 2, 5]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_are_compared_as_numbers_or_dates(kind: str, tmp_path: Path) -> None:
    given, rows = TEXTS[kind]
    both = [[Row("bank", [1, 0, 0, 0], author=text) for text in part] for part in (given, [])]
    occurrences = Occurrences.open(write_parts(tmp_path, *both))
    for condition, expected in rows.items():
        found = occurrences.rows(where=occurrences.condition(condition)).tolist()
        assert (condition, found) == (condition, expected)
    with pytest.raises(UserInputError, match="holds"):
        occurrences.condition("author<c. 1850")


@pytest.mark.parametrize(
    ("given", "some"),
    [
        (["1850", "c. 1850", "[1848]", "1851-52", "x"], "“c. 1850”, “[1848]”, “1851-52”;"),
        (["1848-03", "900"], "“1848-03”, “900”;"),
        (["1848-13", None], "“1848-13”;"),
        (["3 March 1848", "y" * 500], "“3 March 1848”, “y"),
        (["1,850", "+5", "1e3"], "“1,850”, “+5”, “1e3”;"),
    ],
)
def test_other_texts_are_not_compared(given: list[str | None], some: str, tmp_path: Path) -> None:
    parts = [[Row("bank", [1, 0, 0, 0], author=text)] for text in given]
    occurrences = Occurrences.open(write_parts(tmp_path, [row for part in parts for row in part]))
    for sign in ("<", "<=", ">", ">="):
        with pytest.raises(UserInputError, match="--number author") as refused:
            occurrences.condition(f"author{sign}1900")
        assert some in str(refused.value)
        assert len(str(refused.value)) < 300
    assert occurrences.rows(where=occurrences.condition(f"author={given[0]}")).tolist() == [0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("c. 1850", 1850), ("[c1900]", 1900), ("1848-03", 1848), ("1851-52", 1851), ("1990s", 1990),
        ("1999/2000", 1999), ("?1849", 1849), ("44 BC", -44), ("c. 500-400 B.C.E.", -500),
        ("27 BC to AD 14", -27), ("AD 14", 14), ("-44", -44), ("ca. \u2212500", -500),
        ("May-1850", 1850), ("44 because", 44), ("1990, BC", 1990), ("٨٨٠", 880), ("007", 7),
        ("unknown", None), ("", None), (None, None), ("9" * 30, None), ("9" * 18, 10**18 - 1),
        ("1,850", 1850), ("1,850 BC", -1850), ("12,345,678 of 9", 12345678), ("1850,1851", 1850),
        ("1,85", 1), (",850", 850),
    ],
)  # fmt: skip
def test_the_first_whole_number_of_a_text(text: str | None, number: int | None) -> None:
    assert whole_number(text) == number


def test_columns_that_are_read_as_numbers(tmp_path: Path) -> None:
    texts = ["c. 1850", "n.d.", "44 BC", None]
    rows = [Row("bank", [i, 0, 0, 1], author=text, source="1850.txt")
            for i, text in enumerate(texts)]  # fmt: skip
    folder = write_parts(tmp_path, rows, [])
    occurrences = Occurrences.open(folder, numbers=["author", "source", "year"])
    assert [occurrences.kinds[name] for name in ("author", "source", "year")] == ["int64"] * 3
    assert occurrences.rows(where=occurrences.condition("author<1900")).tolist() == [0, 2]
    assert occurrences.rows(where=occurrences.condition("source=1850")).tolist() == [0, 1, 2, 3]
    table = occurrences.take(np.array([2, 0, 3]), ["author", "sentence"])
    assert table.column("author").to_pylist() == [-44, 1850, None]
    sample = stratified_sample(occurrences, "bank", "author")
    assert sample.groups == (("-44", 1, 1), ("1850", 1, 1), ("empty", 2, 2))
    for name in ("yaer", "layer_0"):
        with pytest.raises(UserInputError, match=name):
            Occurrences.open(folder, numbers=[name])


def test_reads_columns(occurrences: Occurrences) -> None:
    rows = occurrences.rows(where=occurrences.condition("year<1950"))
    table = occurrences.take(rows, ["word", "year"])
    assert table.to_pylist() == [
        {"word": "bank", "year": 1900, "row": 0},
        {"word": "bank", "year": 1900, "row": 3},
    ]
    assert occurrences.counts == {"bank": 4, "go": 1, "never": 0}
    nothing = occurrences.take(occurrences.rows(word="never"), ["word", "layer_2"])
    assert len(nothing) == 0
    assert nothing.column_names == ["word", "layer_2", "row"]


def test_takes_rows_in_any_order_and_several_times(occurrences: Occurrences) -> None:
    rows = np.array([4, 0, 4, 1])
    table = occurrences.take(rows, ["year"])
    assert table.column("row").to_pylist() == [4, 0, 4, 1]
    assert table.column("year").to_pylist() == [2000, 1900, 2000, 1960]
    np.testing.assert_array_equal(
        occurrences.vectors(2, rows),
        10 * np.array([SECOND[1].vector, FIRST[0].vector, SECOND[1].vector, FIRST[1].vector]),
    )
    assert occurrences.vectors(0, np.empty(0, np.int64)).shape == (0, 4)


def test_a_job_that_is_not_finished_opens(written: Path) -> None:
    (written / "parts/part-000000.parquet").unlink()
    occurrences = Occurrences.open(written)
    assert (len(occurrences), occurrences.parts_missing) == (2, 1)
    assert occurrences.take(np.arange(2), ["year"]).column("year").to_pylist() == [1900, 2000]
    (written / "parts/part-000001.parquet").write_bytes(b"cut short")  # the job writes it anew
    occurrences = Occurrences.open(written)
    assert (len(occurrences), occurrences.parts_missing) == (0, 2)
    assert occurrences.counts == {"bank": 0, "go": 0, "never": 0}
    assert occurrences.vectors(0, np.arange(0)).shape == (0, 4)


def test_a_damaged_page_is_no_answer(written: Path) -> None:
    path = written / "parts/part-000001.parquet"
    place = path.read_bytes().index(np.array(SECOND[0].vector, np.float32).tobytes())
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserInputError, match=r"part-000001\.parquet cannot be read; remove it"):
        Occurrences.open(written).vectors(0, np.arange(5))


def test_other_programs_open_the_parts_as_one_table(written: Path) -> None:
    assert pd.read_parquet(written / "parts")["year"].tolist()[:2] == [1900, 1960]
    found = dataset(written / "parts")
    assert (found.count_rows(), found.schema.names[-1]) == (5, "layer_2")
    assert sorted(path.name for path in written.iterdir()) == [
        "manifest.json", "parts", "running.lock",
    ]  # fmt: skip
    # Who names what other programs are given gets the folder around it.
    assert Occurrences.open(written / "parts").folder == written


# Cosines with (1, 0, 0, 0): 1, 0.6, 0.8, 0, -1, 0.6 and, without a direction, 0.
SEARCHED = [
    Row("bank", [2, 0, 0, 0]),
    Row("bank", [3, 4, 0, 0], year=1960),
    Row("go", [4, 0, 3, 0]),
    Row("go", [0, 0, 0, 5], year=None),
    Row("bank", [-1, 0, 0, 0]),
    Row("bank", [3, 0, 4, 0]),
    Row("bank", [0, 0, 0, 0]),
]
QUERY = np.array([10, 0, 0, 0], np.float32)


@pytest.fixture
def searched(tmp_path: Path) -> Occurrences:
    return Occurrences.open(write_parts(tmp_path, SEARCHED[:4], SEARCHED[4:], group=3))


@pytest.mark.parametrize("layer", [0, 2])
def test_cosines_by_hand(searched: Occurrences, layer: int) -> None:
    found = nearest(searched, QUERY, layer=layer, k=1_000)
    assert found.rows.tolist() == [0, 2, 1, 5, 3, 6, 4]  # equal ones in the order of their rows
    np.testing.assert_allclose(found.cosines, [1, 0.8, 0.6, 0.6, 0, 0, -1], atol=1e-7)
    assert nearest(searched, QUERY, layer=layer, k=4).rows.tolist() == [0, 2, 1, 5]
    assert found.among == 7
    assert found.rows.dtype == np.int64
    assert found.cosines.dtype == np.float32


def test_among_some(searched: Occurrences) -> None:
    later = searched.condition("year>1950")
    go = searched.condition("word=go")
    assert nearest(searched, QUERY, layer=0, where=go).rows.tolist() == [2, 3]
    assert nearest(searched, QUERY, layer=0, where=later).rows.tolist() == [1]
    nothing = nearest(searched, QUERY, layer=0, where=[go, later])
    assert (len(nothing.rows), len(nothing.cosines), nothing.among) == (0, 0, 0)


@pytest.mark.parametrize("vector", [[1] * 3, [[1] * 4]])
def test_what_cannot_be_searched(searched: Occurrences, vector: list[float]) -> None:
    with pytest.raises(UserInputError, match=r"expected is \(4,\)"):
        nearest(searched, np.array(vector, np.float32), layer=0)
