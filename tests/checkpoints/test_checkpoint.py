import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS, locate, snapshot_folder
from bertviz_core.checkpoints.ready import default_model, why_unavailable
from bertviz_core.errors import ModelUnavailableError
from tests.data.damage import change_settings, remove_tensors

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB_MODEL = OfferedModel("tiny", repo_id="someone/tiny", revision=COMMIT)
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


@pytest.mark.parametrize("repo_folder", ["models--someone--tiny", "models--tiny"])
def test_the_hub_cache_under_the_new_and_the_legacy_name(
    tiny_folder: Path, hub_cache: Path, repo_folder: str
) -> None:
    assert why_unavailable(HUB_MODEL) == NOT_YET
    shutil.copytree(tiny_folder, hub_cache / repo_folder / "snapshots" / ("f" * 40))
    assert why_unavailable(HUB_MODEL) == NOT_YET  # another commit
    folder = shutil.copytree(tiny_folder, hub_cache / repo_folder / "snapshots" / COMMIT)
    found = locate(HUB_MODEL)
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
    assert locate(replace(HUB_MODEL, weights_bytes=size)).source == "cache"
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
    assert "transformers" not in str(caught.value)


@pytest.mark.parametrize("shards", [False, True])
def test_weights_in_another_form_are_refused_with_the_way_out(
    shards: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(folder)
    (folder / WEIGHTS).unlink()
    if shards:
        model.save_pretrained(folder, max_shard_size="2kB")
    else:
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    assert not (folder / WEIGHTS).exists()
    with pytest.raises(ModelUnavailableError, match="one safetensors file only") as caught:
        locate(folder)
    monkeypatch.chdir(folder.parent)
    exec(str(caught.value).partition("writes it: ")[2])
    assert why_unavailable(OfferedModel("mine", folder=folder)) is None


def test_ready_is_said_only_of_what_opens(folder: Path) -> None:
    mine = OfferedModel("mine", folder=folder)
    assert why_unavailable(mine) is None
    change_settings(folder, model_type="roberta")
    assert "RoBERTa" in str(why_unavailable(mine))
    change_settings(folder, model_type="bert", num_hidden_layers=3)
    assert "num_hidden_layers" in str(why_unavailable(mine))
    change_settings(folder, num_hidden_layers=2)
    remove_tensors(folder, "encoder.layer.1.output.dense.bias")
    assert "no encoder.layer.1.output.dense.bias" in str(why_unavailable(mine))
    (folder / WEIGHTS).write_bytes(b"<html>")
    assert "cannot be read" in str(why_unavailable(mine))


def test_the_model_to_start_with(tiny_folder: Path) -> None:
    here = {"BERTVIZ_MODELS": f"bert-base-uncased={tiny_folder}"}
    assert default_model({}) == default_model({"BERTVIZ_MODEL": "  "}) == EMBEDDED
    assert default_model(here) == "bert-base-uncased"
    assert default_model(here | {"BERTVIZ_MODEL": " bert-large-uncased "}) == "bert-large-uncased"
    assert default_model({"BERTVIZ_MODEL": "x", "BERTVIZ_MODELS": "x=/models/x"}) == "x"
    with pytest.raises(ModelUnavailableError, match="BERTVIZ_MODEL is “gpt2”; expected one of"):
        default_model({"BERTVIZ_MODEL": "gpt2"})
