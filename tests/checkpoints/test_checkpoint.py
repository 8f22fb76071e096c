import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    WEIGHTS,
    default_model,
    locate,
    locate_offered,
    snapshot_folder,
    why_unavailable,
)
from bertviz_core.errors import ModelUnavailableError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB_MODEL = OfferedModel(
    "tiny", repo_id="someone/tiny", cached_as=("tiny-old-name",), revision=COMMIT
)
NOT_YET = "tiny is not on this machine yet."


pytestmark = pytest.mark.usefixtures("hub_cache")


@pytest.fixture
def cached(tiny_folder: Path) -> Path:
    """The model in an empty hub cache."""
    return Path(shutil.copytree(tiny_folder, snapshot_folder("someone/tiny", COMMIT)))


def test_the_embedded_package() -> None:
    found = locate(EMBEDDED)
    assert (found.name, found.source) == (EMBEDDED, "package")
    assert found.repo_id == "sentence-transformers/all-MiniLM-L6-v2"
    assert found.weights.stat().st_size == 90_868_376


def test_a_folder(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_folder)
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={tiny_folder}")
    for given, name in ((tiny_folder, "tiny-bert"), (str(tiny_folder), "tiny-bert"),
                        (".", "tiny-bert"), ("mine", "mine")):  # fmt: skip
        found = locate(given)
        assert (found.name, found.source) == (name, "folder")
        assert found.folder.resolve() == tiny_folder
        assert (found.repo_id, found.revision) == (None, None)


@pytest.mark.parametrize("repo_folder", ["models--someone--tiny", "models--tiny-old-name"])
def test_the_hub_cache_under_the_new_and_the_legacy_name(
    tiny_folder: Path, hub_cache: Path, repo_folder: str
) -> None:
    assert why_unavailable(HUB_MODEL) == NOT_YET
    shutil.copytree(tiny_folder, hub_cache / repo_folder / "snapshots" / ("f" * 40))
    assert why_unavailable(HUB_MODEL) == NOT_YET  # another commit
    folder = shutil.copytree(tiny_folder, hub_cache / repo_folder / "snapshots" / COMMIT)
    found = locate_offered(HUB_MODEL)
    assert (found.source, found.folder, found.revision) == ("cache", folder, COMMIT)
    assert found.repo_id == "someone/tiny"
    assert why_unavailable(HUB_MODEL) is None


@pytest.mark.parametrize("missing", [SETTINGS, WEIGHTS, "vocab.txt"])
def test_a_half_filled_cache_counts_as_missing(cached: Path, missing: str) -> None:
    (cached / missing).unlink()
    assert why_unavailable(HUB_MODEL) == NOT_YET
    (cached / missing).symlink_to("../../blobs/lost")
    assert why_unavailable(HUB_MODEL) == NOT_YET


def test_weights_of_another_size(cached: Path) -> None:
    size = (cached / WEIGHTS).stat().st_size
    assert locate_offered(replace(HUB_MODEL, weights_bytes=size)).source == "cache"
    reason = why_unavailable(replace(HUB_MODEL, weights_bytes=size + 1))
    assert f"has {size:,} bytes; expected {size + 1:,}" in str(reason)


def test_neither_a_name_nor_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="bert-base-uncased"):  # what there is
        locate("bert-of-nowhere")
    for model in (
        OfferedModel("mine", folder=tmp_path / "nothing"),
        OfferedModel("mine", package="no_such_package"),
    ):
        reason = why_unavailable(model)
        assert reason
        assert str(tmp_path) not in reason


def test_all_that_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    wanted = "no config.json, no model.safetensors, no tokenizer.json or vocab.txt; expected a comp"
    with pytest.raises(ModelUnavailableError, match=wanted) as caught:
        locate(tmp_path / "empty")
    assert "safetensors only" not in str(caught.value)
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelUnavailableError, match="Weights are read from safetensors only"):
        locate(folder)


def test_the_model_to_start_with(tiny_folder: Path) -> None:
    here = {"BERTVIZ_MODELS": f"bert-base-uncased={tiny_folder}"}
    assert default_model({}) == default_model({"BERTVIZ_MODEL": "  "}) == EMBEDDED
    assert default_model(here) == "bert-base-uncased"
    assert default_model(here | {"BERTVIZ_MODEL": " bert-large-uncased "}) == "bert-large-uncased"
    assert default_model({"BERTVIZ_MODEL": "x", "BERTVIZ_MODELS": "x=/models/x"}) == "x"
    with pytest.raises(ModelUnavailableError, match="BERTVIZ_MODEL is “gpt2”; expected one of"):
        default_model({"BERTVIZ_MODEL": "gpt2"})
