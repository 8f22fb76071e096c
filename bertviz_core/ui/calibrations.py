"""The calibration of each model, shared by all viewers and measured at most once."""

import time
from dataclasses import dataclass

import streamlit as st

from bertviz_core.calibration import Calibration, CalibrationRun, calibrate_table
from bertviz_core.calibration.disk import save_calibration, saved_calibration
from bertviz_core.ui import jobs
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.memory import models
from bertviz_core.ui.results import gate

# Between two steps: time for a viewer who waits at the gate to pass through it.
_PAUSE = 0.02


@dataclass
class Measurement:
    """What is known of a model's calibration so far; one for all viewers.

    Attributes:
        calibration: The result, once there is one.
        run: The steps taken so far; kept when a viewer leaves, so that the next one goes on.
    """

    calibration: Calibration | None = None
    run: CalibrationRun | None = None


@st.cache_resource(max_entries=2, show_spinner=False)
def measurement(name: str) -> Measurement:
    """The calibration of a model as far as it goes: read from disk, or not begun."""
    return Measurement(saved_calibration(models.bert(name)))


@st.cache_resource(max_entries=2, show_spinner=False)
def table_calibration(name: str) -> Calibration:
    """The calibration of a model's token table; see `calibration.calibrate_table`."""
    return calibrate_table(models.bert(name))


def known(name: str) -> Calibration | None:
    """The calibration of a model, if it has been measured."""
    return measurement(name).calibration


def measuring(name: str) -> Job | None:
    """The job that measures a model, running or ended; None if none was begun."""
    return jobs.find(("calibration", name))


def measure(name: str) -> Job:
    """Begin to measure a model, step by step, so that other viewers' work comes between."""
    shared = measurement(name)

    def work(job: Job) -> None:
        run = shared.run = shared.run or CalibrationRun(models.bert(name))
        while run.calibration is None:
            job.report(run.done, run.total)
            with gate(job.check):
                run.step(models.encoder(name))
            time.sleep(_PAUSE)
        shared.calibration, shared.run = run.calibration, None
        save_calibration(models.bert(name), run.calibration)

    return jobs.begin(("calibration", name), f"Measuring {name}", work)
