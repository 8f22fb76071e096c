"""The calibration of each model, shared by all viewers and measured at most once."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from bertviz_core.calibration import Calibration, CalibrationRun, calibrate_table
from bertviz_core.calibration.disk import save_calibration, saved_calibration
from bertviz_core.errors import BertvizError
from bertviz_core.ui.gate import forward_gate
from bertviz_core.ui.results import loaded_encoder, opened_bert

# Between two steps: time for a viewer who waits at the gate to pass through it.
_PAUSE = 0.02
_log = logging.getLogger(__name__)


@dataclass
class Measurement:
    """What is known of a model's calibration so far; one for all viewers.

    Attributes:
        calibration: The result, once there is one.
        run: The steps taken so far; kept when a viewer leaves, so that the next one goes on.
        problem: Why it cannot be measured, for the user; "" while nothing is wrong.
    """

    calibration: Calibration | None = None
    run: CalibrationRun | None = None
    problem: str = ""


@st.cache_resource(max_entries=2, show_spinner=False)
def measurement(name: str) -> Measurement:
    """The calibration of a model as far as it goes: read from disk, or not begun."""
    return Measurement(saved_calibration(opened_bert(name)))


@st.cache_resource(max_entries=2, show_spinner=False)
def table_calibration(name: str) -> Calibration:
    """The calibration of a model's token table; see `calibration.calibrate_table`."""
    return calibrate_table(opened_bert(name))


def measure(name: str, progress: Callable[[int, int], object] | None = None) -> Calibration | None:
    """Measure a model to the end, leaving it to other viewers between two steps.

    It may be broken off, by Streamlit at a rerun, at any place: the steps taken stay.

    Args:
        name: A model of the list.
        progress: Called before each step with the steps done and the steps in all.

    Returns:
        The calibration; None if the model cannot be measured, and `measurement(name).problem`
        says why.
    """
    shared = measurement(name)
    while shared.calibration is None and not shared.problem:
        if progress is not None and shared.run is not None:
            progress(shared.run.done, shared.run.of)
        with forward_gate():
            _step(name, shared)
        time.sleep(_PAUSE)
    return shared.calibration


def _step(name: str, shared: Measurement) -> None:
    """Take one step; the gate keeps viewers from taking the same one twice."""
    if shared.calibration is not None or shared.problem:
        return
    try:
        if shared.run is None:
            shared.run = CalibrationRun(opened_bert(name))
        shared.run.step(loaded_encoder(name))
    except BertvizError as error:
        shared.problem = str(error)
    except Exception:  # a defect: said once, not at every look of every viewer
        _log.exception("The calibration of %s stopped", name)
        shared.problem = (
            f"Measuring {name} stopped because of an error in the app; "
            "the server's log has the details."
        )
    else:
        if shared.run.calibration is not None:
            shared.calibration, shared.run = shared.run.calibration, None
            save_calibration(opened_bert(name), shared.calibration)
