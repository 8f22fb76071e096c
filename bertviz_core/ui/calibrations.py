"""The percentile scales of each model, shared by all viewers and measured at most once."""

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.calibration import CalibrationRun, Scales
from bertviz_core.calibration.disk import save_calibration, saved_calibration
from bertviz_core.shared import models, turn_for
from bertviz_core.ui import jobs
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job


@dataclass
class Measurement:
    """What is known of a model's calibration so far; one for all viewers.

    Attributes:
        calibration: The result, once there is one.
        run: The steps taken so far; kept when a viewer leaves, so that the next one goes on.
    """

    calibration: Scales | None = None
    run: CalibrationRun | None = None


# One a checkpoint, as long as it is open. Not in a cache of Streamlit's, because any visitor can
# have those emptied, and a measurement takes many passes of the encoder.
_measurements: WeakKeyDictionary[Bert, Measurement] = WeakKeyDictionary()
_lock = threading.Lock()


def measurement(name: str) -> Measurement:
    """The calibration of a model as far as it goes: read from disk, or not begun."""
    bert = models.bert(name)
    with _lock:
        if bert not in _measurements:
            _measurements[bert] = Measurement(saved_calibration(bert))
        return _measurements[bert]


def forget_measurements() -> None:
    """Drop all of them; those on disk are read again."""
    with _lock:
        _measurements.clear()


def known(name: str) -> Scales | None:
    """The percentile scales of a model, if it has been measured."""
    return measurement(name).calibration


def measuring(name: str) -> Job | None:
    """The job that measures a model, running or ended; None if none was begun."""
    return jobs.find(("calibration", name))


def measure(name: str) -> Job:
    """Begin to measure a model, step by step, so that other viewers' work comes between."""
    shared = measurement(name)

    def work(job: Job) -> None:
        run = shared.run = shared.run or CalibrationRun(models.bert(name))
        while run.scales is None:
            job.report(run.done, run.total)
            with turn_for(job, bounded=False):  # nobody would begin it again
                encoder = models.encoder(name)
                if encoder.bert.stamp != run.bert.stamp:  # the file has changed: begin again
                    run = shared.run = CalibrationRun(encoder.bert)
                run.step(encoder)
        shared.run = None
        measurement(name).calibration = run.scales
        save_calibration(run.bert, run.scales)

    return jobs.begin(("calibration", name), f"Measuring {name}", work)


def measure_beside(bert: Bert, *, ask: bool) -> None:
    """Measure a model whose calibration is not known, beside the page.

    The page goes on at once: while the model is measured a progress bar stands here, and
    afterwards the page runs again.

    Args:
        bert: The model.
        ask: Whether a button begins it; nothing is asked while it is measured already.
    """
    job = measuring(bert.name)
    if job is not None and job.state == "failed":
        note("No percentiles: {problem}", problem=job.message)
        return
    if job is None and ask:
        slot = st.empty()
        if not slot.button(
            "Measure the percentile scale", icon=":material/straighten:", key="measure"
        ):
            st.caption(
                "Runs the model on the sentences of this project, once, a few seconds; afterwards "
                "every similarity shows its percentile among pairs of different words."
            )
            return
        slot.empty()
    jobs.follow_beside(measure(bert.name).key, _progress_text)


def _progress_text(job: Job) -> str:
    steps = f": {job.done} of {job.total} steps done" if job.total else ""
    return f"Measuring the percentile scale, once{steps}. You can go on working meanwhile."
