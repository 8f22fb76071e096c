"""The commands and files of docs/corpus.md, as they stand there, on the corpus that ships."""

import re
import shlex
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from bertviz_core.command.main import EXAMPLES, main, parser
from bertviz_core.corpus.store import Occurrences
from bertviz_core.saved_files import as_tsv
from bertviz_core.senses.vector_files import read
from scripts.write_docs import reference
from tests.headless import ROOT

DOCS, FILES = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("corpus", "files")
)


def commands() -> list[list[str]]:
    """Their words, without the first one."""
    block = next(
        found for found in re.findall(r"```\n(.*?)```", DOCS, re.DOTALL) if "--in" in found
    )
    return [shlex.split(line)[1:] for line in block.splitlines()]


def test_the_reference_is_that_of_the_parser() -> None:
    text = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
    assert reference() in text, "make links"
    named = {name for name, *_ in map(str.split, sum(EXAMPLES.values(), ()))}
    assert named == set(EXAMPLES)


@pytest.mark.parametrize("examples", EXAMPLES.values(), ids=EXAMPLES)
def test_the_examples_are_understood(examples: tuple[str, ...]) -> None:
    for example in examples:
        options, further = parser().parse_known_args(shlex.split(example))
        assert options.subcommand == example.split()[0]
        assert not further or options.subcommand == "run"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "occurrences a --corpus x --out y --layers 0,a",
            "invalid layer_list value: '0,a'",
        ),
        (
            "occurrences a --corpus x --out y --pooling all",
            "invalid choice: 'all' (choose",
        ),
        ("occurrences a", "required: --corpus, --out"),
        ("nearest x --in y -k ten", "-k: invalid int value: 'ten'"),
        ("shift a --in b --by c --foo", "unrecognized arguments: --foo"),
    ],
)
def test_a_wrong_argument_is_said_in_one_line(
    given: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given.split())
    assert ended.value.code == 2
    first, second = capsys.readouterr().err.splitlines()
    assert said in first
    assert second == f"bert-explorer {given.split()[0]} --help says what it takes."


def test_the_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bertviz_core").symlink_to(ROOT / "bertviz_core")
    monkeypatch.chdir(tmp_path)
    occurrences, nearest, shift, export = commands()
    assert main(occurrences) == 0
    assert main(occurrences) == 0  # nothing is left to do
    found = Occurrences.open(tmp_path / "found")
    assert len(pd.read_parquet("found")) == len(found)
    lines = (ROOT / "bertviz_core/data/corpus/two_periods.jsonl").read_text().splitlines()
    assert len(lines) == 48
    assert sum(found.counts.values()) == len(re.findall(r"\b(mouse|cell)\b", "\n".join(lines)))
    capsys.readouterr()
    assert main(nearest) == 0
    years = [int(year) for year in re.findall(r"year (\d+)\)", capsys.readouterr().out)]
    assert len(years) == 5
    assert all(year > 1950 for year in years)
    assert main(shift) == 0
    by_layer = dict(re.findall(r"(?m)^ +(\d+) .* ([\d.]+)$", capsys.readouterr().out))
    assert float(by_layer["0"]) > 0.05 > float(by_layer["6"])
    assert main(export) == 0
    printed = capsys.readouterr().out
    assert "20 of 27 occurrences of “mouse”, a sample stratified by year, in mouse.npz." in printed
    with open("mouse.npz", "rb") as file:  # as the page opens it
        sample = read(file, None, 2_000)
    assert (sample.word, sample.total, sample.layers) == ("mouse", 20, (0, 3, 6))
    assert (sample.model, sample.pooling) == ("all-MiniLM-L6-v2", "mean")
    rows = found.rows(word="mouse")
    table = found.take(rows, ["sentence", "year"]).to_pylist()
    own = {one["sentence"]: (one["year"], one["row"]) for one in table}
    for place, one in enumerate(sample.found.occurrences):
        year, row = own[one.sentence]
        assert (one.word.lower(), sample.columns["year"][place]) == ("mouse", year)
        expected = [found.vectors(layer, np.array([row]))[0] for layer in sample.layers]
        assert np.array_equal(sample.found.vectors[place], expected)


def test_an_archive_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with ZipFile(BytesIO(as_tsv(np.eye(3, 4, dtype="f4"), {"label": [*"abc"]}))) as files:
        files.extractall()
    programs = re.findall(r"```python\n(.*?)```", DOCS + FILES, re.DOTALL)
    found = []
    for program in (one for one in programs if "np.savez" in one):
        exec(program, {})
        with open("own.npz", "rb") as file:
            own = read(file, None, 2_000)
        found.append((own.word, own.total, own.layers, own.found.occurrences[0].word))
    assert found == [
        ("these vectors", 3, (0,), "king"),
        ("bank", 2, (0, 3, 6), "bank"),
        ("these vectors", 3, (0,), "a"),
    ]
