"""A job over its parts: what is not there yet is done, what fails is tried again, then reported."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bertviz_core.corpus import manifest
from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.part_files import CannotWriteError, finished
from bertviz_core.corpus.schema import Receipt
from bertviz_core.corpus.work import Failure, Heard, Worker, attempt

TRIES = 3
# Takes parts, and a function that may be called with what is done of a part that is still under
# way (an engine of many machines need not call it). Gives each part once, in any order, as soon
# as it is done or has failed.
Runner = Callable[[Sequence[Part], Heard], Iterator[tuple[Part, Receipt | Failure]]]


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    parts: int  # of the job
    done: int  # of these, parts that are written
    size: int  # bytes of the corpus
    read: int  # bytes that are done, in earlier runs, too
    occurrences: int  # that are written, in earlier runs, too
    tokens: int  # that the model has read, in this run
    seconds: float  # since this run began


@dataclass(frozen=True)
class Summary:
    """What a run has done.

    Attributes:
        parts: Of the job.
        before: Parts that were there when it began.
        total: The receipts of all parts that are there, added up.
        tokens: That the model has read in this run.
        seconds: That it took.
        set_aside: Parts that failed three times, each with the last reason.
    """

    parts: int
    before: int
    total: Receipt
    tokens: int
    seconds: float
    set_aside: tuple[tuple[Part, str], ...]


def run(
    job: Job,
    folder: Path,
    *,
    runner: Runner,
    progress: Callable[[Progress], None] | None = None,
    log: Callable[[str], None] | None = None,
) -> Summary:
    """Do what is left of a job.

    Args:
        job: What is asked for.
        folder: Gets the manifest and a file a part; what is there already stays.
        runner: Works on parts: `in_process(...)`, or `on_ray(...)`.
        progress: Called now and then.
        log: Called with a line for each part that fails.

    Returns:
        What was done. The job is finished where no part was set aside.

    Raises:
        UserInputError: As for `manifest.begin`; or the folder takes no more files.

    Example:
        >>> job, folder = occurrences.job, Path("again")
        >>> run(job, folder, runner=in_process(Worker(job, folder, encoder))).total.occurrences
        27
    """
    began = time.monotonic()
    say = log or (lambda line: None)
    with manifest.begin(folder, job) as changes:
        if changes:
            say(f"This run goes on with other versions: {'; '.join(changes)}.")
        parts = tuple(job.parts())
        there = {part.number: done for part in parts if (done := finished(folder, part))}
        written = earlier = sum(there.values(), Receipt())
        size = sum(file.size for file in job.files)
        before = len(there)

        def report(under_way: Receipt | None = None) -> None:
            if progress is not None:
                now = written + (under_way or Receipt())
                progress(
                    Progress(
                        parts=len(parts),
                        done=len(there),
                        size=size,
                        read=now.bytes,
                        occurrences=now.occurrences,
                        tokens=now.tokens - earlier.tokens,
                        seconds=time.monotonic() - began,
                    )
                )

        report()
        reasons: dict[int, str] = {}
        for attempts in range(1, TRIES + 1):
            left = [part for part in parts if part.number not in there]
            if not left:
                break
            for part, outcome in runner(left, report):
                if isinstance(outcome, Receipt):
                    there[part.number] = outcome
                    written += outcome
                    report()
                    continue
                if outcome.ends_run:
                    raise CannotWriteError(outcome.reason)
                reasons[part.number] = outcome.reason
                after = "set aside" if attempts == TRIES else "tried again later"
                say(f"{named(part)} failed, is {after}: {outcome.reason}")
        return Summary(
            parts=len(parts),
            before=before,
            total=written,
            tokens=written.tokens - earlier.tokens,
            seconds=time.monotonic() - began,
            set_aside=tuple(
                (part, reasons.get(part.number, "it was not done"))
                for part in parts
                if part.number not in there
            ),
        )


def in_process(worker: Worker) -> Runner:
    """A runner that works on one part after the other, in this process.

    Example:
        >>> job, folder = occurrences.job, Path("in_process")
        >>> runner = in_process(Worker(job, folder, encoder))
        >>> run(job, folder, runner=runner).parts
        1
    """

    def work(parts: Sequence[Part], under_way: Heard) -> Iterator[tuple[Part, Receipt | Failure]]:
        for part in parts:
            yield part, attempt(worker, part, under_way)

    return work


def named(part: Part) -> str:
    """A part as a message names it."""
    what = "row group" if part.file.row_groups else "bytes"
    where = f"{part.start:,}" if part.file.row_groups else f"{part.start:,} to {part.end:,}"
    return f"{part.name} ({part.file.path}, {what} {where})"
