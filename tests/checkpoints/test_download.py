"""Downloads, from a stand-in for the hub on this machine: no test needs the network."""

import errno
import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import numpy as np
import pytest
from huggingface_hub import constants, file_download
from huggingface_hub.errors import HFValidationError

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints import checkpoint
from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS, snapshot_folder, why_unavailable
from bertviz_core.checkpoints.download import _progress_bar, download
from bertviz_core.checkpoints.hub_errors import explain
from bertviz_core.errors import ModelUnavailableError
from tests.fresh_process import printed_by
from tests.standin_hub import REPO, REVISION, StandinHub, standin_hub
from tests.waiting import wait_for

MODEL = OfferedModel("tiny-bert", repo_id=REPO, revision=REVISION)
SMALL = ("vocab.txt", "tokenizer_config.json", SETTINGS)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no proxy, small chunks, and no waiting between the library's own retries."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1_000)
    monkeypatch.setattr(
        file_download, "time", SimpleNamespace(sleep=lambda seconds: None, time=time.time)
    )
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    huggingface_hub.close_session()
    return tmp_path / "cache"


@pytest.fixture
def hub(tiny_folder: Path) -> Iterator[StandinHub]:
    with standin_hub(tiny_folder) as server:
        yield server


def snapshot() -> Path:
    return snapshot_folder(REPO, REVISION)


def nothing_usable(cache: Path, *, half_files: int = 0) -> bool:
    """No weights in the snapshot, no blob of them, and the model counts as missing."""
    blobs = list(cache.glob("models--*/blobs/*"))
    whole = [blob for blob in blobs if re.fullmatch(r"[0-9a-f]{64}", blob.name)]
    halves = [blob for blob in blobs if blob.name.endswith(".incomplete")]
    return (
        not whole
        and len(halves) == half_files
        and not os.path.lexists(snapshot() / WEIGHTS)
        and why_unavailable(MODEL) is not None
    )


def failure(hub: StandinHub, model: OfferedModel = MODEL) -> str:
    with pytest.raises(ModelUnavailableError) as caught:
        download(model, endpoint=hub.endpoint)
    message = str(caught.value)
    assert model.name in message
    assert message.endswith(".")
    return message


# --- What arrives ---------------------------------------------------------------------------


def test_all_files_arrive_unchanged(hub: StandinHub, tiny_folder: Path) -> None:
    found = download(MODEL, endpoint=hub.endpoint)
    assert (found.name, found.source) == ("tiny-bert", "download")
    assert (found.repo_id, found.revision, found.folder) == (REPO, REVISION, snapshot())
    for name in (WEIGHTS, *SMALL):
        assert (found.folder / name).read_bytes() == (tiny_folder / name).read_bytes()


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


# --- What is there already --------------------------------------------------------------------


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


# --- What is wrong ------------------------------------------------------------------------------


def test_wrong_bytes_are_removed(hub: StandinHub, cache: Path) -> None:
    hub.sent_instead[WEIGHTS] = hub.files[WEIGHTS][:-4] + b"\0\0\x80\x7f"
    assert "arrived damaged" in failure(hub)
    assert nothing_usable(cache)
    assert hub.fetched(SETTINGS) == 0
    hub.sent_instead.clear()
    assert download(MODEL, endpoint=hub.endpoint).source == "download"


def test_wrong_bytes_of_a_small_file_are_removed(hub: StandinHub) -> None:
    hub.sent_instead["vocab.txt"] = hub.files["vocab.txt"].replace(b"cat", b"bat")
    assert "vocab.txt of tiny-bert arrived damaged" in failure(hub)
    assert not os.path.lexists(snapshot() / "vocab.txt")
    assert why_unavailable(MODEL) is not None


@pytest.mark.parametrize("pin", [{"weights_sha256": "a" * 64}, {"weights_bytes": 12}])
def test_other_weights_than_the_pinned_ones_are_not_even_fetched(
    hub: StandinHub, cache: Path, pin: dict[str, Any]
) -> None:
    assert "nothing was downloaded" in failure(hub, replace(MODEL, **pin))
    assert hub.fetched(WEIGHTS) == 0
    assert nothing_usable(cache)


def test_weights_without_a_stated_sha256_are_not_fetched(hub: StandinHub) -> None:
    hub.etags[WEIGHTS] = "no-digest"
    assert "states no SHA-256" in failure(hub)
    assert hub.fetched(WEIGHTS) == 0


@pytest.mark.parametrize("answered", [None, "f" * 40])
def test_an_answer_for_another_commit_is_refused(hub: StandinHub, answered: str | None) -> None:
    hub.revision = answered
    assert "pinned commit" in failure(hub)
    assert hub.fetched(WEIGHTS) == 0


def test_an_interrupted_download_leaves_nothing_usable(hub: StandinHub, cache: Path) -> None:
    hub.cut_at = 2_500
    assert "check the network and try again" in failure(hub)
    assert nothing_usable(cache)
    hub.cut_at = None
    assert download(MODEL, endpoint=hub.endpoint).source == "download"
    assert why_unavailable(MODEL) is None


def test_a_short_break_is_bridged(hub: StandinHub) -> None:
    hub.cut_at, hub.cuts = 2_500, 1
    seen: list[int] = []
    download(MODEL, lambda done, total: seen.append(done), endpoint=hub.endpoint)
    ranges = [asked for method, name, asked in hub.asked if (method, name) == ("GET", WEIGHTS)]
    assert ranges == [None, "bytes=2000-"]  # two chunks of 1,000 bytes had arrived whole
    assert seen == sorted(seen)


def test_a_silent_hub_is_given_up(
    hub: StandinHub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.05)
    hub.pause = threading.Event()
    assert "connection broke" in failure(hub)
    assert nothing_usable(cache)


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (401, "does not give access"),
        (404, "does not have the files"),
        (429, "HTTP 429"),
        (503, "HTTP 503"),
    ],
)
def test_refusals_of_the_hub(hub: StandinHub, cache: Path, status: int, sentence: str) -> None:
    hub.status["*"] = status
    assert sentence in failure(hub)
    assert nothing_usable(cache)


def test_missing_weights(hub: StandinHub) -> None:
    del hub.files[WEIGHTS]
    assert "does not have the files" in failure(hub)


def test_missing_vocabulary(hub: StandinHub) -> None:
    del hub.files["vocab.txt"]
    assert "neither tokenizer.json nor vocab.txt" in failure(hub)
    assert why_unavailable(MODEL) is not None


def test_a_failure_at_the_last_file_leaves_the_model_missing(hub: StandinHub) -> None:
    hub.status[SETTINGS] = 503
    assert "try again in a few minutes" in failure(hub)
    assert why_unavailable(MODEL) == "tiny-bert is not on this machine yet."
    hub.status.clear()
    download(MODEL, endpoint=hub.endpoint)
    assert hub.fetched(WEIGHTS) == 1


def test_unreachable(hub: StandinHub, cache: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        hub.endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"  # bound, but nobody listens
        started = time.monotonic()
        assert "could not be reached" in failure(hub)
    assert time.monotonic() - started < 5
    assert nothing_usable(cache)


def test_offline(hub: StandinHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in failure(hub)
    assert hub.asked == []


def test_plain_http_is_refused_beyond_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnavailableError, match="only downloaded over https"):
        download(MODEL, endpoint="http://hub.invalid")
    monkeypatch.setattr(constants, "ENDPOINT", "http://hub.invalid")
    with pytest.raises(ModelUnavailableError, match="only downloaded over https"):
        download(MODEL)


def test_a_folder_has_nothing_to_download() -> None:
    with pytest.raises(ModelUnavailableError, match="mine has no pinned commit"):
        download(OfferedModel("mine", folder=Path("mine")))


def test_a_full_disk(hub: StandinHub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(url: str, file: Any, **options: Any) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(file_download, "http_get", full)
    assert "too full for the download of 440 MB" in failure(hub, replace(MODEL, megabytes=440))
    assert nothing_usable(cache)


def test_a_cache_that_cannot_be_written(hub: StandinHub, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert "cannot be stored" in failure(hub)


def test_an_invalid_repository_and_an_unknown_error_are_sentences() -> None:
    assert "BERTVIZ_MODELS" in explain(MODEL, HFValidationError("a--b/c"))
    assert "try again" in explain(MODEL, RuntimeError("from the transfer library"))


def test_a_defect_in_the_callback_stays_a_traceback(hub: StandinHub) -> None:
    def broken(done: int, total: int) -> None:
        raise KeyError("defect")

    with pytest.raises(KeyError):
        download(MODEL, broken, endpoint=hub.endpoint)


def test_a_killed_download_leaves_nothing_usable_and_is_tidied_up(
    hub: StandinHub, cache: Path
) -> None:
    hub.pause = threading.Event()
    program = (
        "import os, sys\n"
        "from bertviz_core.checkpoints.catalog import OfferedModel\n"
        "from bertviz_core.checkpoints.download import download\n"
        "name, repo, revision, endpoint = sys.argv[1:]\n"
        "download(OfferedModel(name, repo_id=repo, revision=revision),\n"
        "         lambda *_: print('going', flush=True), endpoint=endpoint)\n"
    )
    environment = {**os.environ, "HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "0"}
    child = subprocess.Popen(
        [sys.executable, "-c", program, "tiny-bert", REPO, REVISION, hub.endpoint],
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    try:
        wait_for(lambda: bool(list(cache.glob("models--*/blobs/*.incomplete"))))
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert nothing_usable(cache, half_files=1)

    hub.pause.set()
    (half,) = cache.glob("models--*/blobs/*.incomplete")
    download(MODEL, endpoint=hub.endpoint)
    assert half.exists()  # fresh: another process may be writing it
    os.utime(half, (time.time() - 4_000,) * 2)
    download(MODEL, endpoint=hub.endpoint)
    assert not half.exists()
    assert why_unavailable(MODEL) is None


def test_importing_the_module_leaves_the_hubs_library_alone() -> None:
    program = (
        "import sys, bertviz_core.checkpoints.download\n"
        "print([m for m in ('huggingface_hub', 'streamlit', 'torch') if m in sys.modules])"
    )
    assert printed_by(program) == "[]"
