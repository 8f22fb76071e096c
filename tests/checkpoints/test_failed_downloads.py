"""Downloads that fail: what the user reads, and that nothing half-finished is left."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants, file_download
from huggingface_hub.errors import HFValidationError

from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import SETTINGS, WEIGHTS, why_unavailable
from bertviz_core.checkpoints.download import download
from bertviz_core.checkpoints.hub_errors import explain
from bertviz_core.errors import ModelUnavailableError
from tests.standin_hub import MODEL, REPO, REVISION, StandinHub, snapshot
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("cache")


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


FAULTS: dict[str, tuple[Callable[[StandinHub], Any], str]] = {
    "no digest": (lambda hub: hub.etags.update({WEIGHTS: "none"}), "states no SHA-256"),
    "no commit": (lambda hub: setattr(hub, "revision", None), "pinned commit"),
    "another commit": (lambda hub: setattr(hub, "revision", "f" * 40), "pinned commit"),
    "no weights": (lambda hub: hub.files.pop(WEIGHTS), "does not have the files"),
    "no access": (lambda hub: hub.status.update({"*": 401}), "does not give access"),
    "no files": (lambda hub: hub.status.update({"*": 404}), "does not have the files"),
    "too many": (lambda hub: hub.status.update({"*": 429}), "HTTP 429"),
    "busy": (lambda hub: hub.status.update({"*": 503}), "HTTP 503"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_weights_are_not_even_fetched(hub: StandinHub, cache: Path, fault: str) -> None:
    make, sentence = FAULTS[fault]
    make(hub)
    assert sentence in failure(hub)
    assert hub.fetched(WEIGHTS) == 0
    assert nothing_usable(cache)


@pytest.mark.parametrize("file", [WEIGHTS, "vocab.txt", SETTINGS])
def test_more_bytes_than_announced(hub: StandinHub, cache: Path, file: str) -> None:
    """They are not waited for: a file without an end would fill the disk."""
    hub.longer[file] = 50_000_000
    assert f"than the {len(hub.files[file]):,} bytes" in failure(hub)
    assert not (snapshot() / file).exists()
    arrived = sum(path.stat().st_size for path in cache.rglob("*") if not path.is_symlink())
    assert arrived < 1_000_000


@pytest.mark.parametrize("pin", [{"weights_sha256": "a" * 64}, {"weights_bytes": 12}])
def test_other_weights_than_the_pinned_ones(hub: StandinHub, pin: dict[str, Any]) -> None:
    assert "nothing was downloaded" in failure(hub, replace(MODEL, **pin))
    assert hub.fetched(WEIGHTS) == 0


def test_wrong_bytes_are_removed(hub: StandinHub, cache: Path) -> None:
    hub.sent_instead[WEIGHTS] = hub.files[WEIGHTS][:-4] + b"\0\0\x80\x7f"
    assert "arrived damaged" in failure(hub)
    assert nothing_usable(cache)
    assert hub.fetched(SETTINGS) == 0
    hub.sent_instead = {"vocab.txt": hub.files["vocab.txt"].replace(b"cat", b"bat")}
    assert "vocab.txt of tiny-bert arrived damaged" in failure(hub)
    assert not os.path.lexists(snapshot() / "vocab.txt")
    assert why_unavailable(MODEL) is not None
    hub.sent_instead.clear()
    assert download(MODEL, endpoint=hub.endpoint).source == "download"


def test_an_interrupted_download_leaves_nothing_usable(hub: StandinHub, cache: Path) -> None:
    hub.cut_at = 2_500
    assert "check the network and try again" in failure(hub)
    assert nothing_usable(cache)
    hub.cuts, seen = 1, []
    hub.asked.clear()
    download(MODEL, lambda done, total: seen.append(done), endpoint=hub.endpoint)
    ranges = [asked for method, name, asked in hub.asked if (method, name) == ("GET", WEIGHTS)]
    assert ranges == [None, "bytes=2000-"]  # two chunks of 1,000 bytes had arrived whole
    assert seen == sorted(seen)
    assert why_unavailable(MODEL) is None


def test_a_silent_hub_is_given_up(
    hub: StandinHub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.05)
    hub.pause = threading.Event()
    assert "connection broke" in failure(hub)
    assert nothing_usable(cache)


def test_a_failure_after_the_weights_leaves_the_model_missing(hub: StandinHub) -> None:
    vocabulary = hub.files.pop("vocab.txt")
    assert "neither tokenizer.json nor vocab.txt" in failure(hub)
    hub.files["vocab.txt"] = vocabulary
    hub.status[SETTINGS] = 503
    assert "try again in a few minutes" in failure(hub)
    assert why_unavailable(MODEL) == "tiny-bert is not on this machine yet."
    hub.status.clear()
    download(MODEL, endpoint=hub.endpoint)
    assert hub.fetched(WEIGHTS) == 1


def test_unreachable_and_offline(
    hub: StandinHub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        hub.endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"  # bound, but nobody listens
        started = time.monotonic()
        assert "could not be reached" in failure(hub)
    assert time.monotonic() - started < 5
    assert nothing_usable(cache)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in failure(hub)
    assert hub.asked == []


def test_nothing_is_asked_of_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnavailableError, match="only downloaded over https"):
        download(MODEL, endpoint="http://hub.invalid")
    monkeypatch.setattr(constants, "ENDPOINT", "http://hub.invalid")
    with pytest.raises(ModelUnavailableError, match="only downloaded over https"):
        download(MODEL)
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
    with pytest.raises(ZeroDivisionError):
        download(MODEL, lambda done, total: 1 // 0, endpoint=hub.endpoint)


def test_a_killed_download_leaves_nothing_usable_and_is_tidied_up(
    hub: StandinHub, cache: Path
) -> None:
    hub.pause = threading.Event()
    program = (
        "import sys\n"
        "from bertviz_core.checkpoints.catalog import OfferedModel\n"
        "from bertviz_core.checkpoints.download import download\n"
        "name, repo, revision, endpoint = sys.argv[1:]\n"
        "download(OfferedModel(name, repo_id=repo, revision=revision), endpoint=endpoint)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, "tiny-bert", REPO, REVISION, hub.endpoint],
        env={**os.environ, "HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "0"},
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
