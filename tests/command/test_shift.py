import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bertviz_core.corpus.shift import LOW_P
from tests.command.conftest import Run
from tests.corpus.made import JOB, Row, write_part, write_parts

RANDOM = np.random.default_rng(4)
OLD = (RANDOM.normal(size=(12, 4)) * 0.2 + [1, 0.4, 0.4, 0]).astype(np.float32)
NEW = (RANDOM.normal(size=(14, 4)) * 0.2 + [0.4, 1, 0.4, 0]).astype(np.float32)
NEW[:4] += np.float32([0.6, -0.6, 0, 0])  # the old use goes on


def rows(vectors: np.ndarray, year: int, what: str) -> list[Row]:
    return [
        Row("bank", vector.tolist(), year=year, sentence=f"On {what} bank {n}.",
            start=len(what) + 4, end=len(what) + 8)
        for n, vector in enumerate(vectors)
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    new = [*rows(NEW, 1980, "a new"), Row("bank", [1, 1, 1, 1], year=None)]
    return write_parts(tmp_path, rows(OLD, 1900, "the old"), new)


def test_what_is_printed(folder: Path, command: Run) -> None:
    code, told, _ = command("shift", "bank", "--in", folder, "--by", "year<1950")
    assert code == 0
    assert "year<1950: 12 occurrences; 12 different sentences" in told
    assert "year>=1950: 14 occurrences; 14 different sentences" in told
    assert "Occurrences in neither group: 1" in told
    assert "drawn" not in told
    assert "not finished" not in told
    for layer in (0, 2):
        line = re.search(rf"^ +{layer}  .*$", told, re.MULTILINE)
        assert line is not None
        numbers = [float(each) for each in re.findall(r"\d\.\d{3}", line[0])]
        assert numbers[0] > 1.2, "first, the number to compare between words"
        assert numbers[1] == pytest.approx(cdist(OLD, NEW, "cosine").mean(), abs=6e-4)
        value, low, high, _, chance, p = numbers[1:]
        assert low < value < high
        assert value > chance
        assert p <= 0.002
    assert LOW_P in told
    assert "Lowest p of 2 layers" in told
    *_, old, new = told.split("\n\n")
    assert len(re.findall(r"On the old \[bank\] \d+\.  \(old.txt, year 1900, ", old)) == 5
    changed = re.findall(r"On a new \[bank\] (\d+)\.", new)
    assert len(changed) == 5
    assert all(int(number) >= 4 for number in changed)


def test_the_measures_as_rows(folder: Path, command: Run) -> None:
    by = ("--by", "year=1900", "--by", "year=1980")
    code, printed, _ = command("shift", "bank", "--in", folder, *by, "--format", "json")
    assert code == 0
    rows = json.loads(printed)
    assert [(row["word"], row["layer"]) for row in rows] == [("bank", 0), ("bank", 2)]
    expected = pytest.approx(cdist(OLD, NEW, "cosine").mean(), abs=1e-6)
    assert rows[0]["average pairwise distance"] == expected


def test_a_terminal_runs_nothing_of_the_corpus(folder: Path, command: Run) -> None:
    for number, author in enumerate(("\x1b[31mAnn", "\x1b[32mBob")):
        texts = rows(OLD, 1900, "\x1b[33mbad")
        write_part(folder, JOB, number, [replace(row, author=author) for row in texts])
    code, told, _ = command("shift", "bank", "--in", folder, "--by", "author=\x1b[31mAnn")
    assert code == 0
    assert "author=\ufffd[31mAnn" in told
    assert "\x1b" not in told
    code, _, said = command("shift", "bank", "--in", folder, "--by", "\x1b[31mauthor=1")
    assert (code, "no column “\ufffd[31mauthor”" in said) == (1, True)
