import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.senses import corpus as corpus_module
from bertviz_core.senses import find_occurrences, parquet, sense_vectors
from bertviz_core.senses.__main__ import main
from bertviz_core.senses.corpus import map_corpus, spread_evenly
from tests.headless import ROOT
from tests.waiting import wait_for

LINES = [f"the {'cat' if i % 3 else 'dog'} sat on a mat {'.' * (i % 7)}" for i in range(90)]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def rows(folder: Path) -> list[dict]:
    return [
        row for part in sorted(folder.glob("part-*")) for row in pq.read_table(part).to_pylist()
    ]


def test_the_parts_hold_what_the_page_would_compute(
    tiny_encoder: Encoder, text: Path, tmp_path: Path
) -> None:
    heard: list[tuple[int, int]] = []
    state = map_corpus(
        tiny_encoder, "Cat", text, tmp_path / "out", part_size=25,
        progress=lambda read, occurrences: heard.append((read, occurrences)),
    )  # fmt: skip
    assert (state.occurrences, state.parts, state.lines, state.done) == (60, (25, 25, 10), 90, True)
    assert heard[-1] == (text.stat().st_size, 60)
    assert heard == sorted(heard)
    expected = sense_vectors(tiny_encoder, find_occurrences(LINES, "cat").occurrences)
    written = rows(tmp_path / "out")
    assert [row["sentence"] for row in written] == [o.sentence for o in expected.occurrences]
    assert [row["line"] for row in written] == [o.line for o in expected.occurrences]
    vectors = np.float32([row["vectors"] for row in written]).reshape(60, 3, 8)
    assert np.abs(vectors - expected.vectors).max() < 1e-5
    about, sample, total = parquet.read(tmp_path / "out" / "sample.parquet", 2_000)
    assert (about.word, about.model, about.layers, about.hidden_size) == ("Cat", "tiny-bert", 3, 8)
    assert total == 60
    assert np.array_equal(sample.vectors, vectors)
    assert sample.occurrences == expected.occurrences
    with (tmp_path / "out" / "part-00000.parquet").open("rb") as file:
        _, found, total = parquet.read(file, 7)
    assert (len(found.occurrences), found.vectors.shape, total) == (7, (7, 3, 8), 25)
    assert not found.vectors.flags.writeable


def test_labels_marks_bom_and_long_lines(
    tiny_encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labelled.tsv"
    path.write_bytes(
        "\ufeffsense\tsentence\r\npet\tmy [cat] or a cat\r\n\r\n\tcat \udce4\nwild\tthe cat".encode(
            errors="surrogateescape"
        )
    )
    map_corpus(tiny_encoder, "cat", path, tmp_path / "out")
    found = [(r["line"], r["sense"], r["sentence"], r["start"]) for r in rows(tmp_path / "out")]
    assert found == [
        (2, "pet", "my cat or a cat", 3),
        (4, None, "cat \ufffd", 0),
        (5, "wild", "the cat", 4),
    ]
    monkeypatch.setattr(corpus_module, "LONGEST_LINE", 9)
    path.write_text("the cat\n" + "the cat " * 3)  # read as "the cat t", "he cat th", ...
    state = map_corpus(tiny_encoder, "cat", path, tmp_path / "cut")
    found = [(r["line"], r["sentence"]) for r in rows(tmp_path / "cut")]
    assert found == [(1, "the cat"), (2, "the cat t"), (2, "he cat th"), (2, "e cat")]
    assert state.lines == 2


def test_the_state_is_saved_where_a_word_is_rare(
    tiny_encoder: Encoder, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "STEP", 300)
    saved: list[int] = []
    save = corpus_module.save_state
    monkeypatch.setattr(
        corpus_module,
        "save_state",
        lambda folder, state: (saved.append(state.read), save(folder, state)),
    )
    state = map_corpus(tiny_encoder, "snake", text, tmp_path / "out")
    assert len(saved) > 5
    assert (state.occurrences, state.parts) == (0, ())
    assert not list((tmp_path / "out").glob("*.parquet"))


@pytest.mark.parametrize("at", ["write", "save_state", "write_tables"])
def test_broken_off_anywhere_it_goes_on_to_the_same_files(
    tiny_encoder: Encoder, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    map_corpus(tiny_encoder, "cat", text, tmp_path / "whole", part_size=7)
    owner = corpus_module if at == "save_state" else parquet
    real = getattr(owner, at)
    for allowed in range(4):
        calls = 0

        def broken(*args: object, allowed: int = allowed) -> None:
            nonlocal calls
            calls += 1
            if calls > allowed:
                raise KeyboardInterrupt
            real(*args)

        monkeypatch.setattr(owner, at, broken)
        if at == "write_tables" and allowed:
            monkeypatch.setattr(owner, at, real)
        else:
            with pytest.raises(KeyboardInterrupt):
                map_corpus(tiny_encoder, "cat", text, tmp_path / "broken", part_size=7)
        monkeypatch.setattr(owner, at, real)
    state = map_corpus(tiny_encoder, "cat", text, tmp_path / "broken", part_size=7)
    assert state.done
    whole = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert sorted(path.name for path in (tmp_path / "broken").iterdir()) == whole
    for name in whole:
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_killed_by_the_system_it_goes_on(tiny_folder: Path, tmp_path: Path) -> None:
    """A real process, ended without warning after its second part."""
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES * 30), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "bertviz_core.senses", "cat", str(path)),
        *("--out", str(tmp_path / "out"), "--model", str(tiny_folder), "--part", "100"),
    ]
    run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    state = tmp_path / "out" / "state.json"
    try:
        wait_for(lambda: state.exists() and len(json.loads(state.read_text())["parts"]) >= 2)
    finally:
        run.kill()
        run.wait()
    first = (tmp_path / "out" / "part-00000.parquet").stat().st_mtime_ns
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "1,800 occurrences of “cat” in 18 parts" in done.stdout
    assert "occurrences=1,800" in done.stderr  # the bar
    assert (tmp_path / "out" / "part-00000.parquet").stat().st_mtime_ns == first
    lines = [row["line"] for row in rows(tmp_path / "out")]
    assert lines == [i + 1 for i, line in enumerate(LINES * 30) if "cat" in line]


def test_another_run_is_not_mixed_in(tiny_encoder: Encoder, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def refused(message: str, word: str = "cat", **options: Any) -> None:
        with pytest.raises(UserInputError, match=message):
            map_corpus(tiny_encoder, word, text, out, **options)

    done = map_corpus(tiny_encoder, "cat", text, out)
    assert map_corpus(tiny_encoder, "cat", text, out) == done
    refused("a run with word cat, not dog; choose another", "dog")
    refused("a run with pooling mean, not max", pooling="max")
    refused("too small", part_size=0)
    text.write_text("cat")
    refused(r"a run with size \d+, not 3")
    (out / "state.json").unlink()
    refused(r"holds parts without state\.json")


def test_the_command_says_what_is_wrong(
    text: Path, tiny_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(word: str, file: Path, *options: str) -> tuple[int, str, str]:
        code = main([word, str(file), "--out", str(tmp_path / "out"), *options])
        said = capsys.readouterr()
        return code, said.out, said.err

    tiny = ("--model", str(tiny_folder))
    assert "gone.txt cannot be read" in run("cat", tmp_path / "gone.txt", *tiny)[2]
    assert "neither a folder nor one of the models" in run("cat", text, "--model", "gpt-2")[2]
    code, said, _ = run("snake", text, *tiny)
    assert (code, "does not occur in the 90 lines" in said) == (0, True)
    assert run(" ", text, *tiny)[0] == 1


@pytest.mark.parametrize(("total", "most"), [(0, 3), (2, 3), (3, 3), (10, 3), (7, 5)])
def test_spread_evenly(total: int, most: int) -> None:
    places = spread_evenly(total, most)
    assert len(set(places)) == len(places) == min(total, most)
    gaps = np.diff([*places, total])
    assert not places or places[0] == 0
    assert not len(gaps) or gaps.max() - gaps.min() <= 1


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(UserInputError, match="no Parquet file that can be read"):
        parquet.read(path, 10)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(UserInputError, match="holds the columns a; expected line, sense"):
        parquet.read(path, 10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": 99}, "whose word is not in its sentence"),
        ({"start": None}, "whose word is not in its sentence"),
        ({"vectors": None}, "missing"),
    ],
)
def test_broken_rows_are_refused(tmp_path: Path, change: dict, message: str) -> None:
    about = parquet.About("cat", "m", "mean", 2, 2)
    row = {"line": 1, "sense": None, "sentence": "a cat", "start": 2, "end": 5}
    row |= {"vectors": [0.0] * 4}
    path = tmp_path / "x.parquet"
    parquet.write_tables(
        path, about, [pa.Table.from_pylist([row, row | change], schema=parquet.schema(about))]
    )
    with pytest.raises(UserInputError, match=message):
        parquet.read(path, 10)


def test_the_sample_is_no_larger_than_the_page_takes(
    tiny_encoder: Encoder, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "SAMPLE_BYTES", 7 * 4 * 3 * 8)
    map_corpus(tiny_encoder, "cat", text, tmp_path / "out", part_size=25)
    _, found, total = parquet.read(tmp_path / "out" / "sample.parquet", 2_000)
    assert (len(found.occurrences), total) == (7, 7)
    assert found.occurrences[-1].line > 60
