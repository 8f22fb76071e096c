"""The command on a folder that `bert-explorer occurrences` has written with a tiny model."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.command.main import main
from bertviz_core.contextual import word_in_context
from bertviz_core.corpus.store import Occurrences
from bertviz_core.encoder import Encoder
from tests.command.conftest import Run

LINES = [
    {"text": "i love my pet python", "year": 1900, "author": "Mary Smith"},
    {"text": "coding in python!", "year": 1990, "author": "=1+1"},
    {"text": "python code in python", "year": 2000, "author": None},
    {"text": "my snake sat on the python", "year": None, "author": "J. Doe"},
    {"text": "the cat sat on the mat", "year": 1950, "author": "J. Doe"},
]
QUERY = "i love my pet [python]"


@pytest.fixture(scope="module")
def folder(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = tmp_path_factory.mktemp("corpus")
    corpus, folder = scratch / "lines.jsonl", scratch / "occurrences"
    corpus.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    arguments = ["python", "cat", "--corpus", str(corpus), "--out", str(folder)]
    assert main(["occurrences", *arguments, "--model", str(tiny_folder), "--layers", "0,2"]) == 0
    return folder


def test_prints_the_nearest(folder: Path, tiny_encoder: Encoder, command: Run) -> None:
    _, printed, _ = command("nearest", QUERY, "--in", folder, "--where", "word=python", "-k", "3")
    title, *lines = printed.splitlines()
    assert "“python” at layer 2 of tiny-bert, among 5 occurrences in" in title
    assert lines[0] == (
        "  1.000  i love my pet [python]  (lines.jsonl, year 1900, author Mary Smith)"
    )
    assert len(lines) == 3
    occurrences = Occurrences.open(folder)
    rows = occurrences.rows(word="python")
    query = word_in_context(tiny_encoder, QUERY).vectors[2]
    best = np.sort(cosine(occurrences.vectors(2, rows), query))[::-1][:3]
    assert [line.split()[0] for line in lines] == [f"{value:.3f}" for value in best]


def test_all_words_at_the_layer_asked_for(folder: Path, command: Run) -> None:
    asked = ("nearest", "cat", "--in", folder, "--layer", "-3")
    title, *lines = command(*asked)[1].splitlines()
    assert "“cat” at layer 0 of tiny-bert, among 6 occurrences" in title
    assert len(lines) == 6
    _, *lines = command(*asked, "--where", "year>=1950", "--where", "year<2000")[1].splitlines()
    assert sorted(line.split("  ")[2] for line in lines) == [
        "coding in [python]!", "the [cat] sat on the mat",
    ]  # fmt: skip


def test_each_line_of_standard_input_as_rows(
    folder: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(how: str) -> str:
        typed = f"{QUERY}\r\rthe [cat] sat\n".encode("utf-16")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        code, printed, _ = command("nearest", "-", "--in", folder, "-k", "6", "--format", how)
        assert code == 0
        return printed

    assert len(rows("table").splitlines()) == 14
    objects, cells = json.loads(rows("json")), [*csv.DictReader(io.StringIO(rows("csv")))]
    assert [one["query"] for one in objects] == [QUERY] * 6 + ["the [cat] sat"] * 6
    assert objects[0]["cosine"] == pytest.approx(1, abs=1e-6)
    assert (objects[0]["sentence"], objects[0]["year"]) == ("i love my pet python", 1900)
    assert [one.keys() for one in cells] == [one.keys() for one in objects]
    assert {one["author"] for one in objects} - {one["author"] or None for one in cells} == {"=1+1"}
    assert "'=1+1" in {one["author"] for one in cells}, "no formula for a spreadsheet"


def test_standard_input_that_is_no_text(
    folder: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content in (b"", b" \n", b"\x89PNG\0\x01"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        code, _, said = command("nearest", "-", "--in", folder)
        assert (code, said[:18]) == (1, "Standard input is ")


def test_a_reader_who_has_enough(folder: Path) -> None:
    """As `| head -1` leaves: no traceback, and the code of a broken pipe."""
    command = [sys.executable, "-m", "bertviz_core.command.main", "nearest", QUERY]
    process = subprocess.Popen([*command, "--in", str(folder)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        said = errors.read()
    assert (process.wait(), said) == (141, "")
