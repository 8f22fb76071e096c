"""Files of each kind that is read, with the values that are in them."""

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.columns import choose_columns
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.errors import UserInputError
from tests.corpus.reading import read, texts


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


@pytest.mark.parametrize("content", ["[{}", "[" * 100_000, "[1, 2]", '{"data": [\n"bank"]}'])
def test_json_that_is_no_array_of_objects_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(UserInputError, match=r"a\.json (begins as|has no column)"):
        choose_columns(find_corpus([str(tmp_path / "a.json")]), "text")


CSV = [
    ("a, \"b\"\nc; d", "1900", "True"), ("", "1901", "False"), ("NA", "NA", ""),
    *((f"café {i}", str(i), "True") for i in range(200)),
]  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.xz"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables(tmp_path: Path, name: str, delimiter: str) -> None:
    """Written by the standard library: header, quotes, a line break in a cell, empty cells."""
    written = io.StringIO()
    rows = csv.writer(written, delimiter=delimiter)
    rows.writerows([("body", "year", "ok"), *CSV])
    content = written.getvalue().encode("utf-8-sig")
    path = tmp_path / name
    path.write_bytes(lzma.compress(content) if name.endswith("xz") else content)
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
    with pytest.raises(UserInputError, match="no column “text” with text, only body;"):
        choose_columns(files, "text")


def test_rows_of_csv_that_do_not_fit_the_header_are_counted(tmp_path: Path) -> None:
    content = "text,year\nA bank,1900\nThe bank, shut,1901\nshort\nOur bank,1902\n"
    (tmp_path / "a.csv").write_text(content)
    tally = Receipt()
    assert texts(read(tmp_path / "a.csv", tally, part_bytes=20)) == ["A bank", "Our bank"]
    assert tally.unreadable == 2
    (tmp_path / "a.csv").write_text(content + "\0" + "x" * 40_000_000)
    with pytest.raises(OSError, match="is damaged"):
        read(tmp_path / "a.csv")


CONLLU = """# sent_id = 1
# text = The bank was shut.
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tbank\tbank\tNOUN\t_\t_\t4\tnsubj\t_\t_

"""


def test_conllu_is_read_by_its_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU * 20)
    for size in (50, 100_000):
        found = read(path, part_bytes=size)
        assert texts(found) == ["The bank was shut."] * 20
        assert [offset for _, offset, _ in found[:2]] == [14, 14 + len(CONLLU)]
    assert choose_columns(find_corpus([str(path)]), "text") == ()
    path.write_text(CONLLU.replace("# text", "# other"))
    with pytest.raises(UserInputError, match="has no sentence, a line “# text = …”"):
        choose_columns(find_corpus([str(path)]), "text")


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_packed_text_is_opened(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    lines = [f"the bank {i}" for i in range(500)]
    content = "\n".join(lines).encode()
    path = tmp_path / f"a.txt.{suffix}"
    path.write_bytes(pack(content[:3_000]) + pack(content[3_000:]))  # as parallel packers write
    assert find_corpus([str(path)])[0].length == len(content)
    for size in (50, 100_000):
        assert texts(read(path, part_bytes=size)) == lines
    path.write_bytes(pack(content)[:-20])
    with pytest.raises(OSError, match=r"Truncated|is damaged"):
        read(path)
