"""Downloads, from a stand-in for the hub on this machine: no test needs the network."""

import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints import checkpoint
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS, why_unavailable
from bertviz_core.checkpoints.download import _progress_bar, download
from tests.fresh_process import printed_by
from tests.standin_hub import MODEL, REPO, REVISION, StandinHub, snapshot

pytestmark = pytest.mark.usefixtures("cache")
SMALL = ("vocab.txt", "tokenizer_config.json", SETTINGS)


def test_all_files_arrive_unchanged(hub: StandinHub, tiny_folder: Path) -> None:
    found = download(MODEL, endpoint=hub.endpoint)
    assert (found.name, found.source) == ("tiny-bert", "download")
    assert (found.repo_id, found.revision, found.folder) == (REPO, REVISION, snapshot())
    for name in (WEIGHTS, *SMALL):
        assert (found.folder / name).read_bytes() == (tiny_folder / name).read_bytes()


def test_files_with_special_and_added_tokens_arrive_too(hub: StandinHub) -> None:
    files = {"special_tokens_map.json": b'{"mask_token": "[MASK]"}', "added_tokens.json": b"{}"}
    hub.files |= files
    found = download(MODEL, endpoint=hub.endpoint)
    assert {name: (found.folder / name).read_bytes() for name in files} == files


def test_a_downloaded_model_opens_from_the_cache(
    hub: StandinHub, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    download(MODEL, endpoint=hub.endpoint)
    monkeypatch.setattr(checkpoint, "offered_models", lambda: {"tiny-bert": MODEL})
    bert = load_bert("tiny-bert")
    assert bert.source == "cache"
    np.testing.assert_array_equal(
        bert.tables.word_embeddings, load_bert(tiny_folder).tables.word_embeddings
    )


def test_weights_come_first_and_the_settings_last(hub: StandinHub) -> None:
    download(MODEL, endpoint=hub.endpoint)
    bodies = [name for method, name, _ in hub.asked if method == "GET"]
    assert bodies == [WEIGHTS, "vocab.txt", "tokenizer_config.json", SETTINGS]


def test_no_pickle_is_fetched(hub: StandinHub) -> None:
    hub.files["pytorch_model.bin"] = b"never"
    download(MODEL, endpoint=hub.endpoint)
    assert not [name for _, name, _ in hub.asked if name.endswith((".bin", ".pt", ".pkl"))]


def test_progress_grows_to_the_size_of_the_weights(hub: StandinHub) -> None:
    seen: list[tuple[int, int]] = []
    download(MODEL, lambda done, total: seen.append((done, total)), endpoint=hub.endpoint)
    size = len(hub.files[WEIGHTS])
    done = [so_far for so_far, _ in seen]
    assert done[0] == 1_000  # the chunk size the fixture sets
    assert done == sorted(done)
    assert len(done) > size // 1_000
    assert seen[-1] == (size, size)
    assert {total for _, total in seen} == {size}


def test_progress_of_the_transfer_library_counts_bytes_on_disk() -> None:
    from huggingface_hub.utils._xet_progress_reporting import XetDownloadProgressReporter

    seen: list[tuple[int, int]] = []
    bar = _progress_bar(100, lambda done, total: seen.append((done, total)))
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


def test_a_pinned_digest_and_size_are_accepted(hub: StandinHub) -> None:
    weights = hub.files[WEIGHTS]
    pinned = replace(
        MODEL, weights_sha256=hashlib.sha256(weights).hexdigest(), weights_bytes=len(weights)
    )
    assert download(pinned, endpoint=hub.endpoint).source == "download"


def test_weights_in_the_cache_are_checked_and_not_fetched_again(hub: StandinHub) -> None:
    download(MODEL, endpoint=hub.endpoint)
    for name in SMALL:
        (snapshot() / name).unlink()
    assert why_unavailable(MODEL) is not None
    seen: list[tuple[int, int]] = []
    download(MODEL, lambda done, total: seen.append((done, total)), endpoint=hub.endpoint)
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


def test_settings_fetched_by_another_program_do_not_complete_unchecked_weights(
    hub: StandinHub,
) -> None:
    snapshot().mkdir(parents=True)
    for name in SMALL:
        (snapshot() / name).write_bytes(hub.files[name])
    during: list[bool] = []
    download(
        MODEL,
        lambda done, total: during.append((snapshot() / SETTINGS).exists()),
        endpoint=hub.endpoint,
    )
    assert during
    assert not any(during)
    assert why_unavailable(MODEL) is None


def test_importing_the_module_leaves_the_hubs_library_alone() -> None:
    program = (
        "import sys, bertviz_core.checkpoints.download\n"
        "print([m for m in ('huggingface_hub', 'streamlit', 'torch') if m in sys.modules])"
    )
    assert printed_by(program) == "[]"
