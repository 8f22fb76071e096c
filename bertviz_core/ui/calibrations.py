"""The percentile scales of each model, shared by all viewers and measured at most once."""

from collections.abc import Hashable

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales, words
from bertviz_core.shared import models, results, turn
from bertviz_core.ui import inputs, jobs
from bertviz_core.ui.jobs import Job


def _key(bert: Bert) -> Hashable:
    """What its scales are kept by, among all results."""
    return "scales", bert.checkpoint, bert.stamp


def known(bert: Bert) -> Scales | None:
    """The percentile scales of a model: shipped, or measured before."""
    found: Scales | None = results.find(_key(bert))
    if found is None and (found := words.known(bert)) is not None:
        results.keep(_key(bert), found)
    return found


def measured(bert: Bert) -> Scales:
    """The percentile scales of a model, waited for if they have to be measured."""
    while (found := known(bert)) is None:  # again if the job was given up
        jobs.follow(measure(bert), _progress_text)
    return found


def measure(bert: Bert) -> Job:
    """Begin to measure a model, step by step, so that other viewers' work comes between."""

    def work(job: Job) -> None:
        encoder = models.encoder(bert.name)
        scales = words.measure(encoder, turn=turn, report=job.report)
        results.keep(_key(encoder.bert), scales)
        words.keep(encoder.bert, scales)

    return jobs.begin(("scales", bert.name), f"Measuring {bert.name}", work)


def measure_beside(bert: Bert, *, ask: bool) -> None:
    """Measure a model whose calibration is not known, while its page can be read and used.

    With `ask` a button begins it, unless it is measured already.
    """
    job = jobs.find(("scales", bert.name))
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
    jobs.follow_beside(measure(bert).key, _progress_text)


def _progress_text(job: Job) -> str:
    steps = f": {job.done} of {job.total} steps done" if job.total else ""
    return f"Measuring the percentile scale, once{steps}. You can go on working meanwhile."
