"""Files of the kinds that people have, with what each must give; see tests/data/cases/README.md."""

import json
from pathlib import Path

import pytest

from bertviz_core.command.main import main
from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.columns import choose_columns
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.corpus.reading.words import Search, read_words
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import read, texts

CASES = Path(__file__).parents[1] / "data" / "cases"


def occurrences_in(lines: list[str], word: str = "bank") -> int:
    search = Search(read_words([word]))
    return sum(1 for line in lines for _ in search.find(line))


def test_tsv_without_quotes() -> None:
    carried = (Carried("date", "int64"), Carried("identifier", "string"))
    rows = read(CASES / "uses.tsv", text="context", carried=carried)
    assert [occurrences_in([sentence]) for sentence, _, _ in rows] == [1] * 10
    names = ["a1", "b1", "b2", "b3", "b4", "c1", "d1", "d2", "d3", "d4"]
    dates = [1840, 1810, 1820, 1830, 1840, 1990, 1991, 1992, 1993, 1994]
    assert [values for _, _, values in rows] == list(zip(dates, names, strict=True))
    tally = Receipt()
    assert [text[:5] for text in texts(read(CASES / "sts.tsv", tally, text="sentence1"))] == [
        'The "', '"The ', "A ban", "The b"
    ]  # fmt: skip
    assert tally.unreadable == 0


@pytest.mark.parametrize(
    ("name", "sentences", "columns"),
    [
        ("comma_header.tsv", 2, ["label (river, money, other)"]),
        ("blankhdr.csv", 1, ["year"]),
    ],
)
def test_names_of_columns(name: str, sentences: int, columns: list[str]) -> None:
    carried = choose_columns(find_corpus([str(CASES / name)]), "text")
    assert [column.name for column in carried] == columns
    assert len(read(CASES / name)) == sentences


def test_conllu() -> None:
    assert texts(read(CASES / "a.conllu")) == [
        "The bank was shut.", "Her bank was open.", "His bank was far.", "My bank failed."
    ]  # fmt: skip


def test_words_between_underscores() -> None:
    assert occurrences_in(texts(read(CASES / "gut.txt"))) == 5


@pytest.mark.parametrize("name", ["wic.txt", "wlp.txt"])
def test_a_table_named_txt_is_asked_about(name: str, tiny_folder: Path, tmp_path: Path) -> None:
    corpus = ["--corpus", str(CASES / name), "--model", str(tiny_folder)]
    assert main(["occurrences", "bank", *corpus, "--out", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [("wrapped.json", "“data”"), ("pretty.json", "one object"), ("toks.jsonl", "list")],
)
def test_json_of_another_shape_is_said_as_that(name: str, reason: str) -> None:
    with pytest.raises(UserInputError, match=reason) as refused:
        choose_columns(find_corpus([str(CASES / name)]), "text")
    assert "there is none" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "condition", "sizes", "empty", "apart"),
    [
        ("dates.csv", "year<1900", (12, 12), 0, 5.971),
        ("medieval.csv", "year<1000", (10, 10), 1, None),
        ("years.jsonl", "year<1000", (6, 6), 0, None),
    ],
)
def test_years_that_are_text(
    name: str, condition: str, sizes: tuple[int, int], empty: int, apart: float | None,
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    corpus = ["--corpus", str(CASES / name), "--layers", "6"]
    assert main(["occurrences", "bank", *corpus, "--out", str(tmp_path)]) == 0
    shift = ["shift", "bank", "--in", str(tmp_path), "--by", condition]
    if name != "years.jsonl":  # where each value is a number
        assert main(shift) == 1
    capsys.readouterr()
    assert main([*shift, "--number", "year"]) == 0
    printed = capsys.readouterr().out
    for size in sizes:
        assert f": {size} occurrences" in printed
    assert (f"neither group: {empty}" in printed) == bool(empty)
    assert main([*shift, "--number", "year", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert apart is None or row["between / within"] == pytest.approx(apart, abs=5e-4)


YEARS = {  # header, row, and what is said of it
    "semicolons.csv": ("text;year\n", "the bank {};{}\n", ""),
    "signs.tsv": ("text\tyear\n", 'the "bank" {}\t{}\n', "without quotes"),
    "cells.tsv": ("text\tyear\n", '"the ""bank"" {}"\t"{}"\n', ""),
    "lines.jsonl": ("", '{{"text": "the bank {}", "year": "{}"}}\n', ""),
}


@pytest.mark.parametrize("name", YEARS)
@pytest.mark.parametrize(
    ("years", "condition", "refused", "sizes", "numbers"),
    [
        (["1848-03", "1849", "1850-12-31", "1901", "1902-01", "1903"], "year<1900", False, (3, 3),
         "from 1848 to 1903; none in 0 of 6"),
        (["44 BC", "30 BCE", "c. 10 B.C.", "AD 14", "[c20]", "?", "37"], "year<0", True, (3, 3),
         "from -44 to 37; none in 1 of 7"),
        (["0880", "900", "901.5", "1400", "1401", "1402", ""], "year<1000", False, (3, 3),
         "from 880 to 1402; none in 1 of 7"),
        (["900", "c. 880", "907?", "1990s", "19901", "1,401", "2001"], "year<1000", True, (3, 4),
         "from 880 to 19901; none in 0 of 7"),
    ],
)  # fmt: skip
def test_years_of_other_kinds(
    years: list[str], condition: str, refused: bool, sizes: tuple[int, int], numbers: str,
    name: str, tiny_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    header, row, log = YEARS[name]
    rows = [row.format(number, year) for number, year in enumerate(years)]
    corpus, out = tmp_path / name, str(tmp_path / "out")
    corpus.write_text(header + "".join(rows), encoding="utf-8")
    model = ["--model", str(tiny_folder), "--layers", "0"]
    assert main(["occurrences", "bank", "--corpus", str(corpus), *model, "--out", out]) == 0
    assert log in capsys.readouterr().err
    shift = ["shift", "bank", "--in", out, "--by", condition]
    assert main(shift) == refused
    printed = capsys.readouterr()
    if refused:
        assert "--number year" in printed.err
    else:
        assert all(f": {size} occurrences" in printed.out for size in sizes)
    assert main([*shift, "--number", "year"]) == 0
    printed = capsys.readouterr()
    assert all(f": {size} occurrences" in printed.out for size in sizes)
    assert numbers in printed.err
    export = ["export", out, "--word", "bank", "--by", "year", "--number", "year"]
    assert main([*export, "--out", str(tmp_path / "a.npz")]) == 0
    assert numbers in capsys.readouterr().err
    nearest = ["nearest", "a [bank]", "--in", out, "--where", condition, "--number", "year"]
    assert main([*nearest, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == sizes[0]
