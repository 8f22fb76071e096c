"""The percentile scales of each model, shared by all viewers and measured at most once."""

from dataclasses import dataclass

from bertviz_core.bert import Bert
from bertviz_core.calibration import CalibrationRun, Scales
from bertviz_core.calibration.disk import save_calibration, saved_calibration
from bertviz_core.shared import models, once, turn_for
from bertviz_core.ui import inputs, jobs
from bertviz_core.ui.jobs import Job


@dataclass
class Measurement:
    """What is known of a model's calibration so far; one for all viewers."""

    calibration: Scales | None = None
    run: CalibrationRun | None = None  # kept when a viewer leaves, so that the next one goes on


def measurement(name: str) -> Measurement:
    """The calibration of a model as far as it goes: read from disk, or not begun."""
    return _begun(models.bert(name))


@once
def _begun(bert: Bert) -> Measurement:
    return Measurement(saved_calibration(bert))


def known(name: str) -> Scales | None:
    """The percentile scales of a model, if it has been measured."""
    return measurement(name).calibration


def measured(name: str) -> Scales:
    """The percentile scales of a model, waited for if they have to be measured."""
    while (found := known(name)) is None:  # again if the job was given up
        jobs.follow(measure(name), _progress_text)
    return found


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
            with turn_for(job):
                encoder = models.encoder(name)
                if encoder.bert.stamp != run.bert.stamp:  # the file has changed: begin again
                    run = shared.run = CalibrationRun(encoder.bert)
                run.step(encoder)
        shared.run = None
        measurement(name).calibration = run.scales
        save_calibration(run.bert, run.scales)

    return jobs.begin(("calibration", name), f"Measuring {name}", work)


def measure_beside(bert: Bert, *, ask: bool) -> None:
    """Measure a model whose calibration is not known, while its page can be read and used.

    With `ask` a button begins it, unless it is measured already.
    """
    job = measuring(bert.name)
    if jobs.say_failed(job, "No percentiles"):
        return
    if (
        job is None
        and ask
        and not inputs.begin_button(
            "Measure the percentile scale",
            "Runs the model on the sentences of this project, once, a few seconds; afterwards "
            "every similarity shows its percentile among pairs of different words.",
            icon=":material/straighten:",
            key="measure",
        )
    ):
        return
    jobs.follow_beside(measure(bert.name).key, _progress_text)


def _progress_text(job: Job) -> str:
    steps = f": {job.done} of {job.total} steps done" if job.total else ""
    return f"Measuring the percentile scale, once{steps}. You can go on working meanwhile."
