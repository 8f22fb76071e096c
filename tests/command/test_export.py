"""`bert-explorer export`: a file that the page takes, and what it says of it."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertviz_core.command import export
from bertviz_core.command.main import main
from bertviz_core.senses.vector_files import read
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
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "out.npz"
    assert main(["export", str(folder), "--word", "bank", "--out", str(out)]) == 0
    assert "100 of 100 occurrences of “bank”, all of them, in " in capsys.readouterr().out
    monkeypatch.setattr(export, "MAX_VECTOR_BYTES", 80 * 2 * 4 * 4)
    given = ["export", str(folder), "--word", "bank", "--by", "year", "--out", str(out)]
    assert main(given) == 0
    found = read(io.BytesIO(out.read_bytes()), None, 2_000)
    printed = capsys.readouterr().out
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


def test_what_cannot_be_exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrongs = [["--most", "2001"], ["--most", "0"], ["--word", "cat"], ["--by", "age"]]
    for wrong in [*wrongs, ["--layer", "99"], ["--out", str(folder / "x.csv")]]:
        given = ["export", str(folder), "--word", "bank", "--out", str(folder / "x.npz"), *wrong]
        assert main(given) == 1
        assert capsys.readouterr().err
    for name in ("x.tsv", "x.csv", "x", "x.npz.gz"):  # no archive is written under another's name
        assert main(["export", str(folder), "--word", "bank", "--out", str(folder / name)]) == 1
        assert f"{name} ends in neither" in capsys.readouterr().err
    assert not [*folder.glob("x*")]
