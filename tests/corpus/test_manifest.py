"""The manifest of a folder: another job is refused, and so is a second run at a time."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Carried, Job, Word
from bertviz_core.corpus.manifest import MANIFEST, begin, read
from bertviz_core.corpus.run import run
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import shortest_job, tiny_job
from tests.fuzz import FILES, Damage, damage


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("a cat\na dog\n" * 100)
    return path


def test_two_runs_on_one_folder(job: Job, tmp_path: Path) -> None:
    with begin(tmp_path / "out", job):
        with pytest.raises(UserInputError, match="Another run is at work in"):
            run(job, tmp_path / "out", runner=lambda parts, heard: iter(()))
        assert read(tmp_path / "out") == job  # readers need no lock
    with begin(tmp_path / "out", job):  # it is free again
        pass


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"words": (Word("dog", ("dog",)),)}, "with the words cat, not the words dog; choose"),
        ({"layers": (0, 1)}, "with layers 0, 2, not layers 0, 1"),
        ({"pooling": "max"}, "with pooling mean, not pooling max"),
        ({"dtype": "bfloat16"}, "with dtype float32, not dtype bfloat16"),
        ({"stored": "float16"}, "with stored float32, not stored float16"),
        ({"part_bytes": 501}, "with part bytes 500, not part bytes 501"),
        ({"split": "sentences"}, "split lines, not split sentences"),
        ({"carried": (Carried("year", "int64"),)}, r"columns none, not .* columns year \(int64\)"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_another_job_is_not_mixed_in(
    job: Job, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with begin(tmp_path, job) as versions:
        assert versions == ()
    with pytest.raises(UserInputError, match=message), begin(tmp_path, replace(job, **changes)):
        pass


def test_another_model_or_corpus_is_not_mixed_in(
    tiny: Bert, job: Job, text: Path, tmp_path: Path
) -> None:
    with begin(tmp_path / "out", job):
        pass
    other = replace(job, model=replace(job.model, sha256="0" * 64))
    with (
        pytest.raises(UserInputError, match=r"not the model .* \(SHA-256 000000000000…\)"),
        begin(tmp_path / "out", other),
    ):
        pass
    text.write_text("cat")
    with (
        pytest.raises(UserInputError, match=r"and 1,200 bytes from .*, not .* and 3 bytes"),
        begin(tmp_path / "out", tiny_job(tiny, [text])),
    ):
        pass


def test_other_versions_are_said(job: Job, tmp_path: Path) -> None:
    with begin(tmp_path, job):
        pass
    told = json.loads((tmp_path / MANIFEST).read_text())
    assert {"python", "torch", "numpy", "pyarrow"} <= told["versions"].keys()
    told["versions"]["torch"] = "1.0"
    (tmp_path / MANIFEST).write_text(json.dumps(told))
    log: list[str] = []
    run(job, tmp_path, runner=lambda parts, heard: iter(()), log=log.append)
    assert len(log) == 1  # the parts that were not done stand in the summary
    assert "other versions: torch 1.0 then, " in log[0]


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "holds parts without manifest.json; choose another"),
        ("", "cannot be read: expected a JSON object"),
        ("[]", "cannot be read: expected a JSON object"),
        ('{"format": 2}', "has the format 2"),
        ('{"format": 1, "job": {}}', "is damaged: it describes no job"),
        ('{"format": 1}', "is damaged"),
        ("[" * 100_000, "cannot be read: expected a JSON object"),
    ],
)
def test_a_manifest_that_is_none(
    job: Job, tmp_path: Path, manifest: str | None, message: str
) -> None:
    if manifest is None:
        (tmp_path / "part-000000.parquet").write_text("x")
    else:
        (tmp_path / MANIFEST).write_text(manifest)
        with pytest.raises(UserInputError, match=message):
            read(tmp_path)
    with pytest.raises(UserInputError, match=message), begin(tmp_path, job):
        pass


def test_a_folder_that_cannot_be_made(job: Job, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserInputError, match=r"no manifest\.json; name a folder"):
        read(tmp_path / "gone")
    with (
        pytest.raises(UserInputError, match=r"cannot be written to \(Not a directory\)"),
        begin(tmp_path / "file" / "run", job),
    ):
        pass


@given(changes=damage())
@FILES
def test_any_damage_to_the_manifest_is_a_sentence_or_harmless(
    tiny: Bert, tmp_path_factory: pytest.TempPathFactory, changes: Damage
) -> None:
    folder = tmp_path_factory.getbasetemp() / "manifest"
    job = shortest_job(tiny, folder)
    (folder / MANIFEST).unlink(missing_ok=True)
    with begin(folder, job):
        pass
    (folder / MANIFEST).write_bytes(changes((folder / MANIFEST).read_bytes()))
    try:
        with begin(folder, job):
            pass
    except UserInputError:
        return
    assert read(folder) == job
