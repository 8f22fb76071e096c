"""Downloads, from a stand-in for the hub on this machine: no test needs the network."""

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints import download as downloads
from bertviz_core.checkpoints.catalog import MAIN
from bertviz_core.checkpoints.checkpoint import MODULES, SETTINGS, WEIGHTS, locate
from bertviz_core.checkpoints.download import _progress_bar, download
from bertviz_core.checkpoints.ready import why_unavailable
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.ui import models
from tests.data.odd_checkpoints import of_sentence_transformers
from tests.headless import charts, open_page, said, value, values
from tests.standin_hub import MODEL, REPO, REVISION, StandinHub, snapshot, standin_hub
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("cache")
Seen = list[tuple[int, int]]


def failure(hub: StandinHub, **pins: Any) -> str:
    """What the user reads; nothing of the model is to be seen then, and no unchecked weights."""
    with pytest.raises(ModelUnavailableError) as caught:
        download(replace(MODEL, **pins), endpoint=hub.endpoint)
    assert why_unavailable(MODEL) is not None
    assert str(caught.value).startswith("tiny-bert cannot be downloaded from Hugging Face: ")
    return str(caught.value)


@pytest.mark.parametrize("pinned", [False, True])
def test_all_files_arrive_unchanged_and_open(hub: StandinHub, pinned: bool) -> None:
    weights = hub.files[WEIGHTS]
    digest = hashlib.sha256(weights).hexdigest()
    pin = {"weights_sha256": digest} if pinned else {}
    hub.files |= {"special_tokens_map.json": b'{"mask_token": "[MASK]"}'}
    hub.files |= {"added_tokens.json": b"{}", "pytorch_model.bin": b"never"}
    found = download(replace(MODEL, **pin), endpoint=hub.endpoint)
    assert (found.name, found.source) == ("tiny-bert", "download")
    assert (found.repo_id, found.revision, found.folder) == (REPO, REVISION, snapshot())
    arrived = {path.name: path.read_bytes() for path in found.folder.iterdir()}
    assert arrived == {name: hub.files[name] for name in hub.files if name != "pytorch_model.bin"}
    bodies = [name for method, name in hub.asked if method == "GET"]
    assert (bodies[0], bodies[-1]) == (WEIGHTS, SETTINGS)
    assert not [name for _, name in hub.asked if name.endswith((".bin", ".pt", ".pkl"))]
    assert load_bert(found).hidden_size == 8
    assert why_unavailable(MODEL) is None


@pytest.mark.parametrize("revision", [REVISION, MAIN])
def test_a_model_in_the_folder_that_sentence_transformers_names(
    folder: Path, cache: Path, revision: str
) -> None:
    of_sentence_transformers(folder)
    model = replace(MODEL, revision=revision)
    with standin_hub(folder) as hub:
        found = download(model, endpoint=hub.endpoint)
        assert locate(model) == replace(found, source="cache")
        assert found.folder == snapshot() / "0_Transformer"
        assert load_bert(found).hidden_size == 8
        shutil.rmtree(cache)
        hub.files[MODULES] = b'[{"path": "../0_Transformer"}]'
        assert f"it has no {WEIGHTS}" in failure(hub)
        assert not list(cache.rglob("*.safetensors"))


def test_weights_at_the_root_come_before_those_of_a_subfolder(hub: StandinHub) -> None:
    hub.files[MODULES] = b'[{"path": "0_Transformer", "type": "models.Transformer"}]'
    assert download(MODEL, endpoint=hub.endpoint).folder == snapshot()


def test_progress_grows_to_the_size_of_the_weights(hub: StandinHub) -> None:
    seen: Seen = []
    download(MODEL, lambda *so_far: seen.append(so_far), endpoint=hub.endpoint)
    size = len(hub.files[WEIGHTS])
    assert seen[0] == (1_000, size)  # the chunk size the fixture sets
    assert seen == sorted(seen)
    assert seen[-1] == (size, size)
    with pytest.raises(ZeroDivisionError):  # a defect of ours stays one
        _progress_bar("a file", 9, lambda *_: 1 // 0)().update(1)


FAULTS: dict[str, Callable[[StandinHub], Any]] = {
    "another commit": lambda hub: setattr(hub, "revision", "../../elsewhere"),
    "no weights": lambda hub: hub.files.pop(WEIGHTS),
    "busy": lambda hub: setattr(hub, "status", 503),
    "offline": lambda hub: setattr(constants, "HF_HUB_OFFLINE", True),
}


def test_larger_weights_than_the_list_allows(
    hub: StandinHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.files[WEIGHTS] += bytes(2_000_000)
    assert "expected 2,000,000 at most" in failure(hub, megabytes=1)
    monkeypatch.setattr(downloads, "MAX_MEGABYTES", 2)
    assert f"{len(hub.files[WEIGHTS]):,} bytes" in failure(hub)
    assert hub.fetched(WEIGHTS) == 0


def test_more_bytes_than_announced(hub: StandinHub, cache: Path) -> None:
    """They are not waited for: a file without an end would fill the disk."""
    hub.longer[WEIGHTS] = 2_000_000
    assert f"more than {len(hub.files[WEIGHTS]):,} bytes" in failure(hub)
    assert sum(path.stat().st_size for path in cache.rglob("*")) < 1_000_000


@pytest.mark.parametrize("pinned", [False, True])
def test_weights_of_another_sha256_are_removed(hub: StandinHub, cache: Path, pinned: bool) -> None:
    if not pinned:
        hub.sent_instead[WEIGHTS] = hub.files[WEIGHTS][:-4] + b"\0\0\x80\x7f"
    assert "SHA-256" in failure(hub, **({"weights_sha256": "a" * 64} if pinned else {}))
    assert not os.path.lexists(snapshot() / WEIGHTS)
    assert not list(cache.glob("models--*/blobs/*"))
    assert hub.fetched(SETTINGS) == 0
    hub.sent_instead.clear()
    download(MODEL, endpoint=hub.endpoint)
    assert why_unavailable(MODEL) is None


def test_a_download_that_breaks_off(hub: StandinHub) -> None:
    hub.cut_at = 2_500
    failure(hub)
    hub.cut_at = None
    download(MODEL, endpoint=hub.endpoint)
    assert why_unavailable(MODEL) is None


def test_a_cache_that_cannot_be_written(hub: StandinHub, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert str(cache) not in failure(hub)


@pytest.fixture
def by_name(hub: StandinHub, monkeypatch: pytest.MonkeyPatch) -> StandinHub:
    """What `load_bert` downloads by a name comes from the stand-in."""
    monkeypatch.setattr(downloads, "download", partial(download, endpoint=hub.endpoint))
    return hub


@pytest.mark.parametrize("name", ["mine", REPO, f"{REPO}@{REVISION}"])
def test_from_a_name_to_a_bert(
    by_name: StandinHub, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Downloaded once; from then on it is opened from the cache, and the hub is not asked."""
    if name == "mine":
        monkeypatch.setenv("BERTVIZ_MODELS", f"mine={REPO}@{REVISION}")
    with pytest.raises(ModelUnavailableError, match="not on this machine yet"):
        locate(name)
    assert not by_name.asked
    assert load_bert(name).source == "download"
    asked = len(by_name.asked)
    again = load_bert(name)
    assert (again.source, again.checkpoint.revision) == ("cache", REVISION)
    assert again.checkpoint.folder == snapshot()
    assert len(by_name.asked) == asked
    if name == "mine":
        assert load_bert(REPO).name == "mine", "a repository on offer is the pinned one"


@pytest.mark.usefixtures("fresh_caches")
def test_by_a_click_beside_the_page(hub: StandinHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offered, shown meanwhile on the embedded one, refused, fetched, used."""
    monkeypatch.setenv("BERTVIZ_MODELS", f"fetched={REPO}@{REVISION}")
    monkeypatch.setattr(models, "download", partial(download, endpoint=hub.endpoint))
    hub.status = 503
    app = open_page("pages/2_Input_Embeddings.py", model="fetched")
    assert value(app, "fallback") == "all-MiniLM-L6-v2"
    app.button(key="download_model").click().run()
    wait_for(lambda: "fetched cannot be downloaded from Hugging Face" in said(app.run()))
    assert charts(app)
    hub.status = None
    app.button(key="download_model").click().run()
    wait_for(lambda: any("downloaded by this app" in one.value for one in app.run().caption))
    assert not values(app, "fallback")
    assert charts(app)


def test_a_folder_is_no_repository(
    by_name: StandinHub, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("someone").mkdir()
    Path(REPO).symlink_to(tiny_folder)
    assert load_bert(REPO).source == "folder"
    with pytest.raises(ModelUnavailableError, match="written org/name"):
        load_bert(Path("someone/else"))
    assert not by_name.asked


@pytest.mark.parametrize(
    ("name", "fault", "said"),
    [
        (REPO, "offline", "HF_HUB_OFFLINE"),
        (REPO, "unreachable", "Connection refused"),
        (REPO, "no weights", f"it has no {WEIGHTS}"),
        (REPO, "another commit", "commit"),
        (REPO, "busy", "503"),
        ("someone/else", "", "there is no such repository"),
        ("someone/a--b", "", "someone/a--b"),
    ],
)
def test_a_name_that_cannot_be_had(
    by_name: StandinHub, name: str, fault: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "unreachable":
        monkeypatch.setattr(downloads, "download", partial(download, endpoint="http://127.0.0.1:9"))
    elif fault:
        FAULTS[fault](by_name)
    with pytest.raises(ModelUnavailableError, match=said) as caught:
        load_bert(name)
    assert str(caught.value).startswith(f"{name} cannot be downloaded from Hugging Face: ")
    assert "Without a network: " in str(caught.value)
    assert by_name.fetched(WEIGHTS) == 0
    assert "\n" not in str(caught.value)
