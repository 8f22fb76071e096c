"""`bert-explorer export`: a file that the page takes, and what it says of it."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertviz_core.command import export
from bertviz_core.command.main import main
from bertviz_core.senses.vector_files import read
from tests.command.conftest import Run
from tests.corpus.made import Row, write_parts

CHANCE = np.random.default_rng(0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        Row("bank", CHANCE.normal(size=4).tolist(), year=1900 if n < 90 else None, author=None)
        for n in range(100)
    ]
    return write_parts(tmp_path, rows)


def test_a_file_that_would_be_too_large_is_a_smaller_sample(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: Run
) -> None:
    out = folder / "out.npz"
    given = ("export", folder, "--word", "bank", "--out", out)
    code, printed, _ = command(*given)
    assert (code, "100 of 100 occurrences of “bank”, all of them, in " in printed) == (0, True)
    monkeypatch.setattr(export, "MAX_VECTOR_BYTES", 80 * 2 * 4 * 4)
    code, printed, _ = command(*given, "--by", "year")
    found = read(io.BytesIO(out.read_bytes()), None, 2_000)
    assert "80 of 100 occurrences of “bank”, a sample stratified by year" in printed
    assert "year empty: 10 of 10" in printed
    assert found.columns["year"].count(1900) == 70


def test_a_layer_for_other_programs(folder: Path, tmp_path: Path) -> None:
    given = ["export", str(folder), "--word", "bank", "--out"]
    npz, last, first = (str(tmp_path / name) for name in ("a.npz", "b.parquet", "c.PARQUET"))
    for out in ([npz], [last], [first, "--layer", "0"]):
        assert main([*given, *out]) == 0
    with np.load(npz) as archive:
        vectors, sentences = archive["vectors"], archive["sentence"].tolist()
    for path, layer in ((last, -1), (first, 0)):
        table = pd.read_parquet(path)
        assert np.array_equal(np.stack(table["vector"].tolist()), vectors[:, layer])
        assert table["sentence"].tolist() == sentences
        assert table["year"].notna().sum() == 90


def test_what_cannot_be_exported(folder: Path, command: Run) -> None:
    wrongs = [["--most", "2001"], ["--most", "0"], ["--word", "cat"], ["--by", "age"]]
    # No archive is written under another's name.
    names = [["--out", folder / name] for name in ("x.tsv", "x.csv", "x", "x.npz.gz")]
    for wrong in [*wrongs, ["--layer", "99"], *names]:
        given = ("export", folder, "--word", "bank", "--out", folder / "x.npz", *wrong)
        code, _, said = command(*given)
        assert (code, said != "") == (1, True)
        assert wrong not in names or f"{wrong[1]} ends in neither" in said
    assert not [*folder.glob("x*")]
