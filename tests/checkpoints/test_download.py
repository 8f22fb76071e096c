"""Downloads, from a stand-in for the hub on this machine: no test needs the network."""

import hashlib
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints import checkpoint
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS, why_unavailable
from bertviz_core.checkpoints.download import _progress_bar, download
from tests.fresh_process import printed_by
from tests.standin_hub import MODEL, REPO, REVISION, StandinHub, snapshot

pytestmark = pytest.mark.usefixtures("cache")
SMALL = ("vocab.txt", "tokenizer_config.json", SETTINGS)
Seen = list[tuple[int, int]]


@pytest.mark.parametrize("pinned", [False, True])
def test_all_files_arrive_unchanged_and_open(
    hub: StandinHub, monkeypatch: pytest.MonkeyPatch, pinned: bool
) -> None:
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
    bodies = [name for method, name, _ in hub.asked if method == "GET"]
    assert (bodies[0], bodies[-1]) == (WEIGHTS, SETTINGS)
    assert not [name for _, name, _ in hub.asked if name.endswith((".bin", ".pt", ".pkl"))]
    monkeypatch.setattr(checkpoint, "offered_models", lambda: {"tiny-bert": MODEL})
    assert load_bert("tiny-bert").source == "cache"


def test_progress_grows_to_the_size_of_the_weights(hub: StandinHub) -> None:
    seen: Seen = []
    download(MODEL, lambda *so_far: seen.append(so_far), endpoint=hub.endpoint)
    size = len(hub.files[WEIGHTS])
    assert seen[0] == (1_000, size)  # the chunk size the fixture sets
    assert seen == sorted(seen)
    assert len(seen) > size // 1_000
    assert seen[-1] == (size, size)


def test_progress_of_the_transfer_library_counts_bytes_on_disk() -> None:
    from huggingface_hub.utils._xet_progress_reporting import XetDownloadProgressReporter

    seen: Seen = []
    bar = _progress_bar("a file", 100, lambda *so_far: seen.append(so_far))
    with XetDownloadProgressReporter(
        reconstruction_desc="", total=100, log_level=30, tqdm_class=bar
    ) as reporter:
        for on_disk, from_network in ((0, 30), (40, 60), (100, 70)):
            reporter.update_progress(
                SimpleNamespace(
                    total_bytes_completed=on_disk,
                    total_transfer_bytes_completed=from_network,
                    total_bytes_completion_rate=None,
                    total_transfer_bytes_completion_rate=None,
                    total_bytes=100,
                )
            )
    assert seen == [(40, 100), (100, 100)]


def test_weights_in_the_cache_are_checked_and_not_fetched_again(hub: StandinHub) -> None:
    download(MODEL, endpoint=hub.endpoint)
    for name in SMALL:
        (snapshot() / name).unlink()
    assert why_unavailable(MODEL) is not None
    seen: Seen = []
    download(MODEL, lambda *so_far: seen.append(so_far), endpoint=hub.endpoint)
    assert hub.fetched(WEIGHTS) == 1
    assert seen == [(len(hub.files[WEIGHTS]),) * 2]
    assert why_unavailable(MODEL) is None


@pytest.mark.parametrize("name", [WEIGHTS, "vocab.txt"])
def test_a_damaged_file_in_the_cache_is_fetched_again(hub: StandinHub, name: str) -> None:
    download(MODEL, endpoint=hub.endpoint)
    right = hub.files[name]
    (snapshot() / name).resolve().write_bytes(right[:-1] + b"\xff")  # same size, other content
    download(MODEL, endpoint=hub.endpoint)
    assert hub.fetched(name) == 2
    assert (snapshot() / name).read_bytes() == right


def test_settings_of_another_program_do_not_complete_unchecked_weights(hub: StandinHub) -> None:
    snapshot().mkdir(parents=True)
    for name in SMALL:
        (snapshot() / name).write_bytes(hub.files[name])
    settings, during = snapshot() / SETTINGS, set[bool]()
    download(MODEL, lambda *_: during.add(settings.exists()), endpoint=hub.endpoint)
    assert during == {False}
    assert why_unavailable(MODEL) is None


def test_importing_the_module_leaves_the_hubs_library_alone() -> None:
    program = (
        "import sys, bertviz_core.checkpoints.download\n"
        "print([m for m in ('huggingface_hub', 'streamlit', 'torch') if m in sys.modules])"
    )
    assert printed_by(program) == "[]"
