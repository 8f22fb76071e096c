"""Run a job: make the parts that are missing, try failed ones again, report what still fails."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bertviz_core.corpus import manifest
from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.work import Outcome, Worker, attempt
from bertviz_core.errors import UserInputError

TRIES = 3
# Bytes from which an array is given back to the system by itself; with less the system has to clear
# memory for nearly each: 300 MB less, but a third more of the processor's time.
MAPPED = 8_000_000
AT_ONCE = 2  # parts of a worker: one is read while the model runs on the other
# Yields each part once, in any order, as soon as it is made or has failed.
Runner = Callable[[Sequence[Part]], Iterator[tuple[Part, Outcome]]]


@dataclass(frozen=True)
class Summary:
    """What a run has done, so far or in the end."""

    parts: int  # of the job
    done: int  # parts that are there
    total: Receipt  # of all parts that are there, added up
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

    The folder gets the manifest and a file a part. What is there stays, unless it is damaged or not
    of this part and of the corpus as it is now. The job is finished where no part was set aside.

    Args:
        runner: Works on parts: `in_process(...)`, or `on_ray(...)`.
        progress: Called after each part.
        log: Called with a line for each part that fails or is made anew.

    Raises:
        UserInputError: As for `manifest.begin`; or the folder takes no more files.

    Example:
        >>> job, folder = occurrences.job, Path("again")
        >>> run(job, folder, runner=in_process(Worker(job, folder, encoder))).total.occurrences
        27
    """
    began, total, tokens = time.monotonic(), Receipt(), 0
    log = log or (lambda line: None)
    left = dict.fromkeys(job.parts(), "it was not done")  # each with the reason
    count = len(left)

    def summary(*aside: tuple[Part, str]) -> Summary:
        done, seconds = count - len(left), time.monotonic() - began
        return Summary(count, done, total, tokens, seconds, aside)

    with manifest.begin(folder, job):
        for after in [*["tried again later"] * (TRIES - 1), "set aside"]:
            for part, outcome in runner(list(left)) if left else ():
                if outcome.ends_run:
                    raise UserInputError(outcome.reason)
                if outcome.receipt is None:
                    left[part] = outcome.reason
                    log(f"{part} failed, is {after}: {outcome.reason}")
                    continue
                del left[part]
                total += outcome.receipt
                tokens += outcome.receipt.tokens * outcome.made
                if outcome.replaced:
                    log(f"{part} was damaged or another one's, or the corpus has changed.")
                if progress is not None:
                    progress(summary())
    return summary(*left.items())


def in_process(worker: Worker) -> Runner:
    """A runner that works on the parts in their order, in this process.

    Example:
        >>> job, folder = occurrences.job, Path("in_process")
        >>> runner = in_process(Worker(job, folder, encoder))
        >>> run(job, folder, runner=runner).parts
        1
    """

    def runner(parts: Sequence[Part]) -> Iterator[tuple[Part, Outcome]]:
        worker.stopped, pool = False, ThreadPoolExecutor(AT_ONCE)
        try:
            yield from zip(parts, pool.map(partial(attempt, worker), parts), strict=True)
        except BaseException:  # Ctrl+C, or nobody wants the rest
            worker.stopped = True
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    return runner
