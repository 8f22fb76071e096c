"""`bert-explorer occurrences`: what it says, and what it returns to the shell."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.command import occurrences
from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.store import Occurrences
from tests.command.conftest import Run
from tests.corpus.small_job import LINES, rows


@pytest.fixture
def said(tiny: Bert, tmp_path: Path, command: Run) -> Run:
    """Runs the job of a tiny model."""
    how = ("--out", tmp_path / "out", "--model", tiny.checkpoint.folder)
    return lambda *given: command("occurrences", *given, *how)


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return str(path)


def test_words_and_lemmas_of_a_folder(said: Run, text: str, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt.gz").write_bytes(gzip.compress("\n\n".join(LINES).encode()))
    lines = [json.dumps({"text": "A king.\nMy queen sat.", "year": 1900 + i}) for i in range(5)]
    (folder / "b.jsonl").write_text("\n".join(lines) + "\nno json\n")
    (folder / "c.pdf").write_text("not text")
    code, printed, log = said(
        "cat", "snake", "royal=king,queen", "--corpus", str(folder), "--layers", "2,0,-1",
        "--part-mb", "0.0001",
    )  # fmt: skip
    assert code == 0
    assert "70 occurrences of 2 words from 5 of 5 parts, in " in printed
    assert "1 lines or rows hold no text, or are no JSON." in printed
    assert printed.endswith("Not found: snake.\n")
    assert "Words: 3. Files: 2, " in log
    assert "Carried along: year." in log
    assert "occurrences=70" in log  # the bar
    written = rows(tmp_path / "out")
    royal = [row for row in written if row["word"] == "royal"]
    assert [(row["sentence"], row["year"]) for row in royal[:2]] == [
        ("A king.", 1900), ("My queen sat.", 1900),
    ]  # fmt: skip
    assert {row["source"] for row in written} == {"a.txt.gz", "b.jsonl"}
    assert "layer_0" in written[0]
    assert "layer_1" not in written[0]


def test_every_option_reaches_the_job(said: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"body": "a cat", "year": 1, "who": "x"}')
    given = ("cat", "--corpus", str(path), "--text", "body", "--carry", "who")
    assert said(*given, "--pooling", "max", "--part-mb", "2")[0] == 0
    job = Occurrences.open(tmp_path / "out").job
    assert (job.text, job.carried) == ("body", (Carried("who", "string"),))
    assert (job.pooling, job.part_bytes, job.layers) == ("max", 2_000_000, (0, 1, 2))
    # The same command again goes on; another one is refused.
    assert said(*given, "--pooling", "max", "--part-mb", "2")[0] == 0
    code, _, log = said(*given, "--pooling", "mean", "--part-mb", "2")
    assert (code, "pooling is max, not mean" in log) == (1, True)


def test_words_of_standard_input(
    said: Run, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"cat\nroyal=king,queen\n")))
    assert said("-", "--corpus", text)[0] == 0
    assert Occurrences.open(tmp_path / "out").counts.keys() == {"cat", "royal"}


def test_what_is_wrong_is_a_sentence(said: Run, text: str, tmp_path: Path) -> None:
    unread = {
        "page.html": "<p>a cat</p>", "list.jsonl": '{"text": ["a", "cat"]}', "one.json": '{"a": 1}',
        "no_text.csv": "year,who\n1900,Ann\n", "cut.json": "[{", "empty.txt": "", "empty.jsonl": "",
    }  # fmt: skip
    for name, content in unread.items():
        (tmp_path / name).write_text(content)
    for given in (
        *(("cat", "--corpus", str(tmp_path / name)) for name in unread),
        ("cat", "--corpus", "gone.txt"),
        ("cat", "--corpus", "-"),
        ("cat", "--corpus", text, "--layers", "3"),
        ("cat", "--corpus", text, "--carry", "year"),
    ):
        code, printed, log = said(*given)
        assert (code, printed) == (1, "")
        assert log
    assert not (tmp_path / "out").exists()


def test_parts_that_are_set_aside_end_with_1(said: Run, text: str, tmp_path: Path) -> None:
    cut = tmp_path / "cut.txt.gz"
    cut.write_bytes(gzip.compress(bytes(range(256)) * 9)[:-30])
    code, printed, log = said("cat", "--corpus", text, str(cut))
    assert code == 1
    assert "60 occurrences of 1 words from 1 of 2 parts" in printed
    assert log.count("part-000001.parquet") == 4  # three attempts, and the report at the end
    assert "Not done: part-000001.parquet" in log


def test_it_is_stopped_by_ctrl_c(said: Run, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(occurrences, "run_job", stopped)
    code, _, log = said("cat", "--corpus", text)
    assert (code, "Stopped; the same command goes on from here." in log) == (130, True)
