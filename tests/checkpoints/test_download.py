"""Downloads, from a stand-in for the hub on this machine: no test needs the network."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS, why_unavailable
from bertviz_core.checkpoints.download import _progress_bar, download
from bertviz_core.errors import ModelUnavailableError
from tests.standin_hub import MODEL, REPO, REVISION, StandinHub, snapshot

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
    pin = {"weights_sha256": digest, "weights_bytes": len(weights)} if pinned else {}
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
    "another commit": lambda hub: setattr(hub, "revision", "f" * 40),
    "no weights": lambda hub: hub.files.pop(WEIGHTS),
    "busy": lambda hub: setattr(hub, "status", 503),
    "offline": lambda hub: setattr(constants, "HF_HUB_OFFLINE", True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_weights_are_not_even_fetched(hub: StandinHub, fault: str) -> None:
    FAULTS[fault](hub)
    said = failure(hub)
    assert hub.fetched(WEIGHTS) == 0
    assert str(hub.status or "") in said


def test_larger_weights_than_the_list_allows(hub: StandinHub) -> None:
    size = len(hub.files[WEIGHTS])
    assert f"{size:,} bytes" in failure(hub, weights_bytes=size - 1)
    assert hub.fetched(WEIGHTS) == 0


def test_more_bytes_than_announced(hub: StandinHub, cache: Path) -> None:
    """They are not waited for: a file without an end would fill the disk."""
    hub.longer[WEIGHTS] = 50_000_000
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
