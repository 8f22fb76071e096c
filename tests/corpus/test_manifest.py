"""The manifest of a folder: another job is refused, and so is a second run at a time."""

import json
import shlex
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.command.main import main
from bertviz_core.corpus.job import Carried, Job, Model, Word
from bertviz_core.corpus.part_files import FORMAT, MANIFEST, begin
from bertviz_core.corpus.run import run
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import tiny_job


def test_two_runs_on_one_folder(job: Job, tmp_path: Path) -> None:
    with begin(tmp_path / "out", job):
        with pytest.raises(UserInputError, match="Another run is at work in"):
            run(job, tmp_path / "out", runner=lambda parts, heard: iter(()))
        assert Occurrences.open(tmp_path / "out").job == job  # readers need no lock
    with begin(tmp_path / "out", job):  # it is free again
        pass


def test_another_job_is_not_mixed_in(tiny: Bert, job: Job, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with begin(out, job):
        pass
    others = {
        "words": (Word("dog", ("dog",)),),
        "sha256": replace(job.model, sha256="0" * 64),
        "tokenizer": replace(job.model, tokenizer="0" * 64),
        "layers": (0, 1),
        "pooling": "max",
        "text": "body",
        "carried": (Carried("year", "int64"),),
        "part_bytes": 501,
    }
    fields = asdict(job).keys() - {"files", "model"}
    assert others.keys() == fields | {"sha256", "tokenizer"}
    for name, value in others.items():
        field = "model" if isinstance(value, Model) else name
        other = replace(job, **{field: value})  # type: ignore[arg-type]
        with pytest.raises(UserInputError, match=f"another job: {name.replace('_', ' ')} is "):
            begin(out, other).__enter__()
    text.write_text("cat")
    with pytest.raises(UserInputError, match="another job: files is "):
        begin(out, tiny_job(tiny, [text])).__enter__()


@pytest.mark.parametrize(
    "manifest",
    [None, "", "[]", '{"format": 3}', '{"format": 3, "job": {}}', '{"format": 2}', "[" * 2_000,
     {"words": 1}, {"model": None}, {"layers": [0, "2"]}, {"pooling": "mode"}, {"part_bytes": "1"},
     {"files": [{"path": "a", "size": 10**30, "length": 1}]}],
)  # fmt: skip
def test_a_manifest_that_is_none(
    job: Job, tmp_path: Path, manifest: str | dict[str, object] | None
) -> None:
    if manifest is None:
        (tmp_path / "parts").mkdir()
        (tmp_path / "parts/part-000000.parquet").write_text("x")
    else:
        if isinstance(manifest, dict):
            manifest = json.dumps({"format": FORMAT, "job": asdict(job) | manifest})
        (tmp_path / MANIFEST).write_text(manifest)
    with pytest.raises(UserInputError):
        Occurrences.open(tmp_path)
    with pytest.raises(UserInputError):
        begin(tmp_path, job).__enter__()


@pytest.mark.parametrize("name", ["_manifest.json", MANIFEST])
def test_a_folder_of_another_version_names_the_command_that_makes_it_anew(
    tiny: Bert, text: Path, tmp_path: Path, name: str
) -> None:
    """As 1.0.0 left it, or a later version may; the command is run as it stands."""
    words = ("cat", "a pet=cat,dog")
    job = tiny_job(tiny, [text], words, layers=(0, 2), pooling="max", part_bytes=1_000_000)
    old = asdict(job)
    del old["model"]["tokenizer"]
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / name).write_text(json.dumps({"format": 3, "job": old}))
    (folder / "part-000000.parquet").write_text("x")
    before = sorted(folder.iterdir())
    for open_it in (Occurrences.open, lambda folder: begin(folder, job).__enter__()):
        with pytest.raises(UserInputError, match="another version of this project") as refused:
            open_it(folder)
    assert sorted(folder.iterdir()) == before
    command = shlex.split(str(refused.value).partition("folder: ")[2])
    assert command[:4] == ["bert-explorer", "occurrences", "cat", "a pet=cat,dog"]
    assert main(command[1:]) == 0
    assert Occurrences.open(tmp_path / "old-anew").job == job


def test_the_command_names_the_folder_of_many_files(job: Job, tmp_path: Path) -> None:
    files = [replace(job.files[0], path=f"s3://bucket/texts/{n}.txt") for n in range(30)]
    content = {"format": 4, "job": asdict(replace(job, files=tuple(files)))}
    (tmp_path / "_manifest.json").write_text(json.dumps(content))
    with pytest.raises(UserInputError, match="--corpus s3://bucket/texts --layers"):
        Occurrences.open(tmp_path)


def test_a_folder_that_cannot_be_made(job: Job, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserInputError, match="Not a directory"):
        begin(tmp_path / "file" / "run", job).__enter__()
