"""Fixtures for pages: models on offer, and their cosines measured already, or never."""

from pathlib import Path

import pytest

from bertviz_core.calibration import CalibrationRun, Scales
from bertviz_core.ui import calibrations


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


@pytest.fixture
def never_measured(fresh_caches, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement that a page begins beside itself takes no step: nothing changes meanwhile."""
    monkeypatch.setattr(CalibrationRun, "step", lambda self, encoder: None)


@pytest.fixture
def measured(fresh_caches, scales: Scales) -> Scales:
    """The embedded model's scales, as if they had been measured on this machine before."""
    calibrations.measurement(scales.model).calibration = scales
    return scales
