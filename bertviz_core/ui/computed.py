"""What is computed once for a model, by a job beside the pages, and kept for all viewers.

Its percentile scales, and the scores of other tokens. Those of the embedded model ship.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales, token_table, word_scales
from bertviz_core.calibration.token_table import NearestScores, nearest_scores
from bertviz_core.shared.models import models
from bertviz_core.shared.results import results
from bertviz_core.shared.turns import encoder_queue
from bertviz_core.ui import fields, html, jobs
from bertviz_core.ui.jobs import Job

Result = TypeVar("Result")


@dataclass(frozen=True)
class Computed(Generic[Result]):
    """A result for each model. Where it is not known, a job computes it."""

    name: str  # "percentiles", for messages
    known: Callable[[Bert], Result | None]  # what ships, or was kept on disk
    compute: Callable[[Bert, Job], Result]
    keep: Callable[[Bert, Result], object]  # on disk
    progress: Callable[[Job], str]
    button: Callable[[Bert], bool] = lambda _: True  # shows a button; whether it was pressed

    def key(self, bert: Bert) -> Hashable:
        return self.name, bert.checkpoint, bert.stamp

    def of(self, bert: Bert) -> Result | None:
        """The result for a model; None while it has to be computed."""
        entry: tuple[Result | None] | None = results.find(self.key(bert))
        if entry is None:  # that it is not on disk is kept as well: to look takes time
            entry = (self.known(bert),)
            results.keep(self.key(bert), entry)
        return entry[0]

    def wait(self, bert: Bert) -> Result:
        """The result for a model; the page waits if it has to be computed."""
        while (result := self.of(bert)) is None:  # again if the job was given up
            jobs.follow(self._begin(bert), self.progress)
        return result

    def offer(self, bert: Bert, *, ask: bool = True) -> None:
        """Compute what is missing while the page can be used; the page runs anew at the end.

        With `ask` its button begins it, unless it is on its way already.
        """
        job = jobs.find(self.key(bert))
        if job is not None and job.state == "failed":
            html.note("No {what}: {problem}", what=self.name, problem=job.message)
        elif (job is not None and job.state == "running") or not ask or self.button(bert):
            if self.of(bert) is None:  # another viewer's job may have ended meanwhile
                self._begin(bert)
            jobs.follow_beside(self.key(bert), self.progress)

    def _begin(self, bert: Bert) -> Job:
        def work(job: Job) -> None:
            current = models.bert(bert.name)  # as its files are now
            result = self.compute(current, job)
            results.keep(self.key(current), (result,))
            self.keep(current, result)

        doing = f"The computation of the {self.name} of {bert.name}"
        return jobs.begin(self.key(bert), doing, work)


# Measured step by step, so that other viewers' work comes between.
SCALES = Computed[Scales](
    "percentiles",
    word_scales.known,
    lambda bert, job: word_scales.measure(
        models.encoder(bert.name), turn=encoder_queue.turn, report=job.report
    ),
    word_scales.keep,
    lambda job: f"Measuring the percentile scale, once: {job.share:.0%}. You can go on working.",
    lambda _: fields.begin_button(
        "Measure the percentile scale",
        "Runs the model on the sentences of this project, once, a few seconds; afterwards "
        "“is this cosine high for this layer?” has an answer below.",
        icon=":material/straighten:",
        key="measure",
    ),
)
OTHER_TOKENS = Computed[NearestScores](
    "percentiles among other tokens",
    token_table.known,
    lambda bert, job: nearest_scores(bert, job.report),  # one to four seconds of a processor
    token_table.keep,
    lambda _: "Searching the neighbors of other tokens, once, to compare with.",
)
