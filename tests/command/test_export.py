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


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_vectors_of_length_1_without_those_of_zeros(
    tmp_path: Path, command: Run, form: str
) -> None:
    vectors = [[3, 4, 0, 0], [0, 0, 0, 0], [0, 0, 1e-30, 0], [-2, 0, 0, 0]]
    folder = write_parts(tmp_path, [Row("bank", one, year=n) for n, one in enumerate(vectors)], [])
    out = tmp_path / f"out.{form}"
    for options, wanted in (
        ([], [[3, 4, 0, 0], [0, 0, 1e-30, 0], [-2, 0, 0, 0]]),
        (["--unit"], [[0.6, 0.8, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0]]),
    ):
        given = ("export", folder, "--word", "bank", "--layer", "0", "--out", out, *options)
        code, printed, _ = command(*given)
        assert (code, "4 of 4 occurrences" in printed) == (0, True)
        assert "  Of these left out, since a vector of zeros has no direction: 1\n" in printed
        table = np.load(out) if form == "npz" else pd.read_parquet(out)
        assert [*table["year"]] == [0, 2, 3]
        found = table["vectors"][:, 0] if form == "npz" else np.stack(table["vector"].tolist())
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


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
