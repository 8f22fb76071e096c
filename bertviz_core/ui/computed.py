"""What is computed once for a model, by a job beside the pages, and kept for all viewers.

Its percentile scales, the scores of other tokens, and the map of its token table.
"""

from collections.abc import Hashable

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales, token_table, words
from bertviz_core.calibration.token_table import NearestScores, nearest_scores
from bertviz_core.neighbors import TokenMap
from bertviz_core.neighbors.layout import (
    ITERATIONS,
    known_layout,
    laid_out_by_a_process,
    save_layout,
)
from bertviz_core.shared import models, results, turn
from bertviz_core.ui import inputs, jobs
from bertviz_core.ui.jobs import Job


def _scales_key(bert: Bert) -> Hashable:
    return "scales", bert.checkpoint, bert.stamp


def known_scales(bert: Bert) -> Scales | None:
    """The percentile scales of a model: shipped, or measured before; None if neither."""
    found: Scales | None = results.find(_scales_key(bert))
    if found is None and (found := words.known(bert)) is not None:
        results.keep(_scales_key(bert), found)
    return found


def measured_scales(bert: Bert) -> Scales:
    """The percentile scales of a model; the page waits if they have to be measured."""
    while (found := known_scales(bert)) is None:  # again if the job was given up
        jobs.follow(_measure_scales(bert), _scales_text)
    return found


def measure_scales_beside(bert: Bert, *, ask: bool) -> None:
    """Measure a model whose scales are not known, while its page can be read and used.

    With `ask` a button begins it, unless it is on its way already.
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
    jobs.follow_beside(_measure_scales(bert).key, _scales_text)


def _measure_scales(bert: Bert) -> Job:
    """Begin to measure a model, step by step, so that other viewers' work comes between."""

    def work(job: Job) -> None:
        encoder = models.encoder(bert.name)
        scales = words.measure(encoder, turn=turn, report=job.report)
        results.keep(_scales_key(encoder.bert), scales)
        words.keep(encoder.bert, scales)

    return jobs.begin(("scales", bert.name), f"Measuring {bert.name}", work)


def _scales_text(job: Job) -> str:
    steps = f": {job.done} of {job.total} steps done" if job.total else ""
    return f"Measuring the percentile scale, once{steps}. You can go on working meanwhile."


def other_tokens_key(bert: Bert) -> Hashable:
    """What the scores of other tokens are kept by; their job has the same key."""
    return "other tokens", bert.checkpoint, bert.stamp


def other_tokens(bert: Bert) -> NearestScores | None:
    """Scores of the nearest rows of other tokens; None while a job beside the page searches them.

    Where none ship it takes one to four seconds of a processor. See `follow_other_tokens`.
    """
    key = other_tokens_key(bert)
    found, job = results.find(key), jobs.find(key)
    if found is None and (found := token_table.known(bert)) is not None:
        results.keep(key, found)
    if found is None and (job is None or job.state != "failed"):

        def work(job: Job) -> None:
            results.keep(key, scores := nearest_scores(bert, job.report))
            token_table.keep(bert, scores)

        jobs.begin(key, f"Comparing with other tokens of {bert.name}", work)
    return found


def follow_other_tokens(bert: Bert) -> None:
    """Run the page again once there is something to compare with; nothing if there is."""
    key = other_tokens_key(bert)
    if results.find(key) is None and not jobs.say_failed(jobs.find(key), "No percentiles"):
        text = "Searching the neighbors of other tokens, once, to compare with."
        jobs.follow_beside(key, lambda _: text)


def _layout_key(bert: Bert) -> Hashable:
    return "token map", bert.checkpoint, bert.stamp


def layout_of(bert: Bert) -> TokenMap | None:
    """The t-SNE map of a model's token table, once there is one; see `neighbors.layout`."""
    if (kept := results.find(_layout_key(bert))) is None:
        results.keep(_layout_key(bert), kept := (known_layout(bert),))
    (layout,) = kept
    return layout


def offer_layout(bert: Bert) -> None:
    """Ask whether to lay a table out, and show how far that is; the page runs anew at its end."""
    key = ("token map", bert.name)
    job = jobs.find(key)
    if jobs.say_failed(job, "No t-SNE map"):
        return
    if job is None or job.state != "running":
        if not inputs.begin_button(
            "Compute the t-SNE map",
            f"Places the {bert.vocab_size:,} rows of {bert.name} so that near rows stay near. "
            "It takes some minutes, once. Until then the map is a PCA.",
            icon=":material/scatter_plot:",
            key="lay_out",
        ):
            return

        def work(job: Job) -> None:
            layout = laid_out_by_a_process(bert, job.report)
            save_layout(bert, layout)
            results.keep(_layout_key(bert), (layout,))

        jobs.begin(key, f"The t-SNE map of {bert.name}", work, finish=True)
    jobs.follow_beside(key, lambda job: f"Placing the rows: {job.done:,} of {ITERATIONS:,} steps")
