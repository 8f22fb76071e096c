"""Fixtures for pages: models on offer."""

from pathlib import Path

import pytest


@pytest.fixture
def tiny_on_offer(fresh_caches, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the embedded model, as "tiny"."""
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")


@pytest.fixture
def mine(fresh_caches, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tiny model that a test may change, in use as "mine"."""
    monkeypatch.setenv("BERTVIZ_MODELS", f"mine={folder}")
    monkeypatch.setenv("BERTVIZ_MODEL", "mine")
    return folder
