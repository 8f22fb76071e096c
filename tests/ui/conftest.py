"""Fixtures for pages: a model whose cosines have been measured, and one where that never ends."""

import pytest

from bertviz_core.calibration import Calibration, CalibrationRun
from bertviz_core.ui import calibrations


@pytest.fixture
def never_measured(fresh_caches, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement that a page begins beside itself takes no step: nothing changes meanwhile."""
    monkeypatch.setattr(CalibrationRun, "step", lambda self, encoder: None)


@pytest.fixture
def measured(fresh_caches, calibration: Calibration) -> Calibration:
    """The embedded model's calibration, as if it had been measured on this machine before."""
    calibrations.measurement(calibration.model).calibration = calibration
    return calibration
