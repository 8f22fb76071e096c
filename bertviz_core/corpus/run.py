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
class Summary:
    """What a run has done, so far or in the end."""

    parts: int  # of the job
    done: int  # parts that are there
    total: Receipt  # of all parts that are there, and of what is under way, added up
    tokens: int  # that the model has read in this run
    seconds: float  # that it took
    # in the end, parts that failed three times, each with the last reason
    set_aside: tuple[tuple[Part, str], ...] = ()


def run(
    job: Job,
    folder: Path,
    *,
    runner: Runner,
    progress: Callable[[Summary], None] | None = None,
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
    say, tell = log or (lambda line: None), progress or (lambda summary: None)
    with manifest.begin(folder, job) as changes:
        if changes:
            say(f"This run goes on with other versions: {'; '.join(changes)}.")
        parts = tuple(job.parts())
        there = {part: done for part in parts if (done := finished(folder, part))}
        earlier = written = sum(there.values(), Receipt())
        reasons = dict.fromkeys(parts, "it was not done")

        def summary(under_way: Receipt, set_aside: tuple[tuple[Part, str], ...] = ()) -> Summary:
            total = written + under_way
            tokens, seconds = total.tokens - earlier.tokens, time.monotonic() - began
            return Summary(len(parts), len(there), total, tokens, seconds, set_aside)

        def report(under_way: Receipt) -> None:
            tell(summary(under_way))

        report(Receipt())
        for after in [*["tried again later"] * (TRIES - 1), "set aside"]:
            left = [part for part in parts if part not in there]
            for part, outcome in runner(left, report) if left else ():
                if isinstance(outcome, Receipt):
                    there[part] = outcome
                    written += outcome
                    report(Receipt())
                    continue
                if outcome.ends_run:
                    raise CannotWriteError(outcome.reason)
                reasons[part] = outcome.reason
                say(f"{part} failed, is {after}: {outcome.reason}")
        left = [part for part in parts if part not in there]
        return summary(Receipt(), tuple((part, reasons[part]) for part in left))


def in_process(worker: Worker) -> Runner:
    """A runner that works on one part after the other, in this process.

    Example:
        >>> job, folder = occurrences.job, Path("in_process")
        >>> runner = in_process(Worker(job, folder, encoder))
        >>> run(job, folder, runner=runner).parts
        1
    """
    return lambda parts, under_way: ((part, attempt(worker, part, under_way)) for part in parts)
