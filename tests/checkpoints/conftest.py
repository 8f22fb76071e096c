"""A stand-in for the hub, and an empty cache to download into."""

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import constants, file_download

from tests.standin_hub import StandinHub, standin_hub


@pytest.fixture
def cache(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no proxy, small chunks, and no waiting between the library's own retries."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1_000)
    monkeypatch.setattr(
        file_download, "time", SimpleNamespace(sleep=lambda seconds: None, time=time.time)
    )
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    huggingface_hub.close_session()
    return hub_cache


@pytest.fixture
def hub(tiny_folder: Path) -> Iterator[StandinHub]:
    with standin_hub(tiny_folder) as server:
        yield server
