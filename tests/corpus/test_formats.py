"""Files of each kind that is read, with the values that are in them."""

import bz2
import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.columns import choose_columns
from bertviz_core.corpus.reading.csv_rows import lines_of_table, table_of
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import read, texts


def test_a_json_array_is_read_as_its_lines(tmp_path: Path) -> None:
    rows = [{"text": f"caf\u00e9 {i}\nand more", "year": 1900 + i} for i in range(50)] + [7, {}]
    path = tmp_path / "a.json"
    path.write_text("\ufeff\n" + json.dumps(rows, indent=2), encoding="utf-8")
    for size in (100, 10_000):
        tally = Receipt()
        found = read(path, tally, carried=(Carried("year", "int64"),), part_bytes=size)
        assert [(text, own) for text, _, own in found] == [
            (text, (1900 + i,)) for i in range(50) for text in (f"café {i}", "and more")
        ]
        assert tally.unreadable == 2
    assert choose_columns(find_corpus([str(path)]), "text") == (Carried("year", "int64"),)
    path.write_text('{"text": "lines under this name, too"}\n')
    assert texts(read(path)) == ["lines under this name, too"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.json", "[{}", "begins as"),
        ("a.json", "[" * 2_000, "begins as"),
        ("a.json", "[1, 2]", "no column"),
        ("a.json", '["a bank"]', "no line .* one object"),
        ("a.jsonl", '\n{"text":\n"a"}\n{"text":\n"b"}', "no line .* one object"),
        (
            "a.json",
            '{"data": [\n{"text": "a"},\n{"text": "b"}\n]}',
            "“data” holds .* jq -c '.\"data\"\\[\\]' does",
        ),
        ("a.json", '{\n"my rows": [{}]}', "jq -c '.\"my rows\"\\[\\]' does"),
        ("a.json", '{"a": {}, "rows": [{}]}', "“a”, “rows” holds .* '.\"NAME\"\\[\\]'"),
        ("a.json", '{\n"text": "a bank",\n}', "no line .* one object"),
        ("a.json", '{"v": "1", "data": [{"text": "a"}]}', "--text: v; “data” holds a list"),
        ("a.json", '{"text": {"0": "a", "1": "b"}}', "“text” holds a list or an object"),
        ("a.jsonl", '{"tokens": ["a"]}\n{"tokens": []}', "“tokens” holds a list"),
        ("a.jsonl", '{" text ": "a"}', "--text: “ text ”"),
        ("a.csv", "a,b\n1,2\n", "no other column has text"),
        ("a.json", '{"data": [\n"bank"]}', "no column"),
        ("a.csv", "text,text,year\na,b,1\n", "no column “text” with text, or several"),
        ("a.csv", ",".join(f"c{n}" for n in range(3_000)) + "\n", "2,000 columns"),
    ],
)
def test_what_has_no_column_of_text_is_refused(
    tmp_path: Path, name: str, content: str, problem: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UserInputError, match=rf"{name} .*{problem}"):
        choose_columns(find_corpus([str(tmp_path / name)]), "text")


@pytest.mark.parametrize("end", ["", "\n"])
def test_rows_in_one_object_of_many_megabytes(end: str, tmp_path: Path) -> None:
    rows = f'{{"text": "a bank"}},{end}' * 250_000
    (tmp_path / "a.json").write_text(f'{{"data": [{end}{rows}{{}}]}}')
    with pytest.raises(UserInputError, match=r"no line .* “data”"):
        choose_columns(find_corpus([str(tmp_path / "a.json")]), "text")


@pytest.mark.parametrize(
    ("header", "row", "names"),
    [
        ('text;"size, weight, age"', "a bank, here;1", ["size, weight, age"]),
        ('text,"a;b;c"', '"a bank, here",1', ["a;b;c"]),
        ('"text"\t"a ""b"", c"', "a bank, here\t1", ['a "b", c']),
    ],
)
def test_signs_in_quoted_names_are_no_delimiters(
    header: str, row: str, names: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n")
    carried = choose_columns(find_corpus([str(tmp_path / "a.csv")]), "text")
    assert [column.name for column in carried] == names
    assert texts(read(tmp_path / "a.csv")) == ["a bank, here"]


def test_halves_of_surrogate_pairs_in_json_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"text": "a bank \\ud800", "k\\udc00y": "\\ud83d", "z": 1}\n'
    )
    carried = choose_columns(find_corpus([str(tmp_path / "a.jsonl")]), "text")
    assert carried == (Carried("k\ufffdy", "string"), Carried("z", "int64"))
    found = read(tmp_path / "a.jsonl", carried=carried)
    assert [(text, own) for text, _, own in found] == [("a bank \ufffd", ("\ufffd", 1))]


def test_columns_of_one_name(tmp_path: Path) -> None:
    """Of text they are refused, in any kind of table; others are left out."""
    values = [pa.array(["a"]), pa.array(["b"]), pa.array([1]), pa.array([2]), pa.array([3])]
    table = pa.Table.from_arrays(values, ["text", "body", "year", "year", "page"])
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("text,body,year,year,page\na,b,1,2,3\n")
    for name in ("a.parquet", "a.csv"):
        files = find_corpus([str(tmp_path / name)])
        assert [one.name for one in choose_columns(files, "text")] == ["body", "page"]
    pq.write_table(table.rename_columns(["body", "body", "x", "y", "z"]), tmp_path / "a.parquet")
    with pytest.raises(UserInputError, match="no column “body” with text, or several"):
        choose_columns(find_corpus([str(tmp_path / "a.parquet")]), "body")


@pytest.mark.parametrize("end", [", ", "\n"])
def test_a_row_of_csv_is_bounded(tmp_path: Path, end: str) -> None:
    never_closed = 'text,year\n"' + f"never closed{end}" * 50_000
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(never_closed.encode()))
    with pytest.raises(UserInputError, match=r"a\.csv\.gz is damaged: .* over 250,000 bytes"):
        read(tmp_path / "a.csv.gz")


@pytest.mark.parametrize(("suffix", "module"), [("gz", gzip), ("bz2", bz2)])
def test_packed_files(tmp_path: Path, suffix: str, module: Any) -> None:
    """Of several members, one after the other; one that is cut or no archive is refused."""
    first, second = (module.compress(line) for line in (b"one line\n" * 200_000, b"another\n"))
    packed = tmp_path / f"a.txt.{suffix}"
    packed.write_bytes(first + second)
    assert len(read(packed)) == 200_001
    for damaged in (first + second[:-3], first + b"garbage"):
        packed.write_bytes(damaged)
        with pytest.raises(OSError, match=r"Truncated|failed"):
            read(packed)


CSV = [
    ("a, \"b\"\nc; d", "1900", "True"), ("", "1901", "False"), ("NA", "NA", ""),
    *((f"café {i}", str(i), "True") for i in range(200)),
]  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables(tmp_path: Path, name: str, delimiter: str) -> None:
    """Written by the standard library: header, quotes, a line break in a cell, empty cells."""
    written = io.StringIO()
    rows = csv.writer(written, delimiter=delimiter)
    rows.writerows([("body", "year", "ok"), *CSV])
    content = written.getvalue().encode("utf-8-sig")
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    files = find_corpus([str(path)])
    assert files[0].length == len(CSV)
    carried = choose_columns(files, "body")
    assert carried == (Carried("year", "int64"), Carried("ok", "bool"))
    for size in (100, 100_000):
        tally = Receipt()
        found = read(path, tally, text="body", carried=carried, part_bytes=size)
        assert found[:4] == [
            ('a, "b"', 0, (1900, True)), ("c; d", 0, (1900, True)), ("", 1, (1901, False)),
            ("NA", 2, (None, None)),
        ]  # fmt: skip
        assert found[4:] == [(f"café {i}", i + 3, (i, True)) for i in range(200)]
        assert (tally.unreadable, tally.unfit) == (0, 1)
    with pytest.raises(UserInputError, match=r"no column “text” with text,.* --text: body"):
        choose_columns(files, "text")


def test_rows_of_csv_that_do_not_fit_the_header_are_counted(tmp_path: Path) -> None:
    content = "text,year\nA bank,1900\nThe bank, shut,1901\nshort\nOur bank,1902\n"
    (tmp_path / "a.csv").write_text(content)
    tally = Receipt()
    assert texts(read(tmp_path / "a.csv", tally, part_bytes=20)) == ["A bank", "Our bank"]
    assert tally.unreadable == 2
    whole = [number for number in range(60_000) if number % 7 and number > 300]
    lines = ["short"] * 60_000  # of many blocks; a blank line is no row
    for number in whole:
        lines[number] = f"The {number}th bank,1900\n"
    (tmp_path / "a.csv").write_text("text,year\n" + "\n".join(lines))
    tally = Receipt()
    rows = read(tmp_path / "a.csv", tally, part_bytes=300_000)
    assert rows == [(f"The {number}th bank", number, ()) for number in whole]
    assert tally.unreadable == 60_000 - len(whole)
    (tmp_path / "a.csv").write_text(content + "\0" + "x" * 600_000)
    with pytest.raises(UserInputError, match="is damaged"):
        read(tmp_path / "a.csv")


def test_quotes_of_tsv(tmp_path: Path) -> None:
    """They are signs, unless each of them opens or closes a cell, or is doubled in such a one."""
    path = tmp_path / "a.tsv"
    for cells, expected in (
        (['"a ""bank"""', "a bank"], ['a "bank"', "a bank"]),
        (['"a bank"', 'a "bank'], ['"a bank"', 'a "bank']),
        (['"a bank', 'a bank"'], ['"a bank', 'a bank"']),
        (['a "bank"', ""], ['a "bank"', ""]),
    ):
        path.write_text("text\tid, of it\n" + "".join(f"{cell}\t1\r\n" for cell in cells))
        tally = Receipt()
        assert texts(read(path, tally, carried=(Carried("id, of it", "int64"),))) == expected
        assert (tally.unreadable, tally.unfit) == (0, 0)


@pytest.mark.parametrize(
    ("encoding", "suffix"), [("utf-8", ""), ("utf-8-sig", ".gz"), ("utf-16", ".gz")]
)
@pytest.mark.parametrize(
    ("first", "begins_as", "last", "read_as", "said"),
    [
        ('"a ""bank"""', 'a "bank"', '"a bank"', "a bank", 0),  # the 4 MB end within a cell
        ("a bank", "a bank", '"a bank', '"a bank', 0),  # what comes after them decides nothing
        ('a "bank" is', 'a "bank" is', '"a bank"', '"a bank"', 1),
    ],
)
def test_quotes_of_tsv_are_decided_once(
    first: str,
    begins_as: str,
    last: str,
    read_as: str,
    said: int,
    encoding: str,
    suffix: str,
    tmp_path: Path,
) -> None:
    cell = '"' + "x" * 9_990 + '"' if first[0] == '"' else "x" * 9_990
    lines = ['"text"\t"n"' if first[0] == '"' else "text\tn", f"{first}\t0"]
    lines += [f"{cell}\t1"] * 450 + [f"{last}\t2", "end\t3"]
    content = "\n".join(lines).encode(encoding)
    path = tmp_path / f"A.TSV{suffix}"
    path.write_bytes(gzip.compress(content) if suffix else content)
    log: list[str] = []
    (file,) = find_corpus([str(path)], log.append)
    assert (file.quote, len(log)) == ('"' if first[0] == '"' else "", said)
    found = read(path, part_bytes=1_000_000)
    assert (found[0][0], [text for text, _, _ in found[-2:]]) == (begins_as, [read_as, "end"])
    assert len({row for _, row, _ in found}) == 453


def test_a_table_of_a_visitor_costs_little() -> None:
    """A cell that is never closed, and rows that fit no header; both are answered at once."""
    open_cell = io.BytesIO(b'text\n"' + b"a" * 600_000)
    with pytest.raises(UserInputError, match="never closed"):
        list(lines_of_table(open_cell, "a.tsv", 0))
    # Told by how much of the file was read: Arrow's thread still reads when the error comes, and
    # Python before 3.12.9 crashes where tracemalloc is stopped beside such a thread (gh-128679).
    unfit = io.BytesIO(b"text,x\n" + b"l\n" * 20_000_000)
    with pytest.raises(UserInputError, match="more or fewer cells"):
        list(lines_of_table(unfit, "a.csv", 0))
    assert unfit.tell() < 20_000_000
    table = io.BytesIO(b"Text,x\nthe bat,1\na bat, then\nthe,bat,flew\n")
    assert list(lines_of_table(table, "a.csv", 0)) == ["the bat", "a bat", None]


def test_a_number_that_begins_with_0_is_text(tmp_path: Path) -> None:
    rows = "a,007,0.5,1900,12345678901234567890,+49,0x10\nb,12,-.5,NA,2,30,17\n"
    (tmp_path / "a.csv").write_text(f"text,id,share,year,long,phone,hex\n{rows}")
    carried = choose_columns(find_corpus([str(tmp_path)]), "text")
    kinds = [(one.name, one.kind) for one in carried]
    kinds_of = {"id": "string", "share": "double", "year": "int64", "long": "string"}
    assert kinds == [*kinds_of.items(), ("phone", "string"), ("hex", "string")]
    (_, _, values), _ = read(tmp_path / "a.csv", carried=carried)
    assert values == ("007", 0.5, 1900, "12345678901234567890", "+49", "0x10")


def test_a_table_as_lines() -> None:
    def lines(*rows: str, name: str = "a.tsv", columns: tuple[int, ...]) -> list[str | None]:
        return list(lines_of_table(io.BytesIO("\n".join(rows).encode()), name, *columns))

    rows = ("id\ttext", '1\ta "bank', "short", "2\tb")
    assert lines(*rows, columns=(1,)) == ['a "bank', None, "b"]
    assert lines(*rows, columns=(0, 1)) == ["sense\tsentence", 'a "bank\t1', None, "b\t2"]
    labelled = lines("Sense,sense,text", 'x,money,"a\n\tbank"', name="A.CSV", columns=(2, 1))
    assert labelled == ["sense\tsentence", "money\ta bank"]


WORDS = [f"{word}\t{word.lower()}\tn" for word in ("The", "bank", "was", "shut")]
WIC = ["bank\tN\t3-1\tWe sat on the bank .\tShut ."] * 3


@pytest.mark.parametrize(
    "lines",
    [
        ["Some lines have", "no tab\tand some"],
        ["\tIndented the first.", "\tIndented the second."],
        ["one\ttab", "two\ttabs\there"],
        ["sense\tsentence", "money\tA bank."],  # as docs/files.md has labels
        ["<not a tag> but text", "#hashtags are", "  blanks  around"],
        [],
    ],
)
def test_lines_that_are_no_table(lines: list[str], tmp_path: Path) -> None:
    assert table_of(lines, "a.txt") is None
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    assert lines == ["sense\tsentence", "money\tA bank."] or find_corpus([str(tmp_path)])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(("end", "cut"), [("\n", 0), ("\r\n", 0), ("\r", 0), ("\n", 12)])
@pytest.mark.parametrize("name", ["a.txt", "A.TEXT", "a.txt.gz"])
def test_the_command_asks_about_a_table_named_txt(
    name: str, end: str, cut: int, encoding: str, tmp_path: Path
) -> None:
    content = end.join(["<s>", *WIC * 9, "</s>", ""])
    content = content[: len(content) - cut].encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(UserInputError, match=rf"{name} is a table, .*\(4\).* --text"):
        find_corpus([str(tmp_path)])


@pytest.mark.parametrize(
    ("lines", "column", "texts"),
    [
        (["<s>", *WIC, "</s>"], 3, ["We sat on the bank ."] * 3),
        (["<s id='1 2'>", "# a b", "", *WORDS, "</s>", "@@17"], 1, ["the", "bank", "was", "shut"]),
        (["1\tThe bank .", "2\tA bank ."], 1, ["The bank .", "A bank ."]),  # as of Leipzig
        (["bank\t\t", "x\t\ta b"], 2, ["", "a b"]),
    ],
)
def test_all_lines_of_a_table_named_txt_are_its_rows(
    lines: list[str], column: int, texts: list[str]
) -> None:
    table = table_of(lines, "a.txt")
    assert table is not None
    assert list(lines_of_table(*table, column)) == texts


CONLLU = """# sent_id = 1
# text = The bank was shut.
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tbank\tbank\tNOUN\t_\t_\t4\tnsubj\t_\t_

"""


SENTENCES = """# newdoc
# text_en = Not this one.
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t_\t_\t_\t_
2\tle\tle\tDET\t_\t_\t_\t_\t_\t_
3\tpain\tpain\tNOUN\t_\t_\t_\t_\t_\tGloss=bread|SpaceAfter=No
3.1\tmis\tmis\tVERB\t_\t_\t_\t_\t_\t_
4\t!\t!\tPUNCT\t_\t_\t_\t_\t_\t_

#\ttext\t=  Déjà = vu.
1\tDéjà\t_

# sent_id = 3
1\t_\t_\tDET\t_
2\t_\t_\tNOUN\t_

# a comment alone

# text =
1\t10 000\t_
2\tbank_s\t_
\t
1 rows with blanks for tabs

# text = One.
# text = Two.
1\tlast\t_"""  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 60, 100_000])
def test_each_sentence_of_conllu_is_read_once(size: int, end: str, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    content = (
        SENTENCES.encode() if end == "\r" else SENTENCES.replace("\n", end).encode("utf-8-sig")
    )
    path.write_bytes(content.replace(b"\n", b"\r") if end == "\r" else content)
    tally = Receipt()
    found = read(path, tally, part_bytes=size)
    assert texts(found) == ["Du pain!", "Déjà = vu.", "10 000 bank_s", "One.", "Two."]
    assert tally.unreadable == 2
    lines = [content[at:].partition(b"\n")[0].strip() for _, at, _ in found[1:]]
    text_lines = [line.strip().encode() for line in SENTENCES.split("\n") if "text" in line]
    assert lines == [one for one in text_lines if b"text_en" not in one]


def test_conllu_is_read_by_its_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU * 20)
    for size in (50, 100_000):
        found = read(path, part_bytes=size)
        assert texts(found) == ["The bank was shut."] * 20
        assert [offset for _, offset, _ in found[:2]] == [14, 14 + len(CONLLU)]
    assert choose_columns(find_corpus([str(path)]), "text") == ()
