"""A job from its options; and its run.

Parts that are missing are made, failed ones tried again, and what still fails is reported.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import model_named
from bertviz_core.contextual.word_vectors import Pooling, check_pooling
from bertviz_core.corpus.job import CorpusFile, Job, Model, Part, Word
from bertviz_core.corpus.part_files import Receipt, begin
from bertviz_core.corpus.reading.columns import choose_columns
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.corpus.work import Outcome, Worker, attempt
from bertviz_core.errors import UserInputError

TRIES = 3
# Bytes from which an array is given back to the system by itself; with less the system has to clear
# memory for nearly each: 300 MB less, but a third more of the processor's time.
MAPPED = 8_000_000
AT_ONCE = 2  # parts of a worker: one begins or ends while the model runs on the other
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
    progress: Callable[[Summary], object] = lambda summary: None,
    log: Callable[[str], object] = lambda line: None,
) -> Summary:
    """Do what is left of a job.

    The folder gets the manifest and a file a part. What is there stays, unless it is damaged or not
    of this part and of the corpus as it is now. The job is finished where no part was set aside.

    Args:
        runner: Works on parts: `in_process(...)`, or `on_ray(...)`.
        progress: Called after each part.
        log: Called with a line for each part that fails or is made anew.

    Raises:
        UserInputError: As for `part_files.begin`; or the folder takes no more files.

    Example:
        >>> job, folder = occurrences.job, Path("again")
        >>> run(job, folder, runner=in_process(Worker(job, folder, encoder))).total.occurrences
        27
    """
    began = time.monotonic()
    total = Receipt()
    tokens = 0
    left = dict.fromkeys(job.parts(), "it was not done")  # each with the reason
    count = len(left)

    def summary(*aside: tuple[Part, str]) -> Summary:
        return Summary(count, count - len(left), total, tokens, time.monotonic() - began, aside)

    with begin(folder, job):
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
                progress(summary())
    return summary(*left.items())


def in_process(worker: Worker) -> Runner:
    """A runner that works on the parts in their order, in this process."""

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


PARTS = 64  # of a corpus of middle size: four for each of 16 workers
# Starting a part costs 20 ms. The largest takes the embedded model some minutes, if each line has a
# word: that much a job may lose when it is stopped.
MIN_PART_BYTES, MAX_PART_BYTES = 256_000, 8_000_000


def plan(
    words: Sequence[Word],
    corpus: Sequence[str],
    bert: Bert,
    *,
    layers: Sequence[int] | None = None,
    pooling: Pooling = "mean",
    text: str = "text",
    carried: Sequence[str] | None = None,
    part_bytes: int | None = None,
    log: Callable[[str], object] = lambda line: None,
) -> Job:
    """A job of a model over a corpus, which is looked at; nothing is run.

    Args:
        corpus: Paths, folders, patterns, URIs; see `find_corpus`.
        layers: Which are kept; negative ones count from the last. None for all.
        text: Name of the column with the text, in JSON, CSV and Parquet.
        carried: Columns that are carried along; None for all that can be.
        part_bytes: How many bytes of the corpus one part has; None for `part_bytes_of(files)`.
        log: As for `find_corpus`.

    Raises:
        UserInputError: A path, a column or a layer is not there.

    Example:
        >>> words = [Word("mouse", ("mouse",))]
        >>> plan(words, [str(corpus)], bert, layers=[0, -1]).layers
        (0, 6)
    """
    check_pooling(pooling)
    count = bert.num_hidden_layers + 1
    layers = range(count) if layers is None else layers
    if not layers or not all(-count <= layer < count for layer in layers):
        raise UserInputError(
            f"The model has the layers 0 (the input embedding) to {count - 1}, or from the end -1 "
            f"to {-count}; name one or more."
        )
    files = find_corpus(corpus, log)
    offered = model_named(bert.name)
    folders = (bert.checkpoint.folder, bert.checkpoint.folder.parent)  # of sentence-transformers
    is_on_offer = offered and (bert.source != "folder" or offered.folder in folders)
    return Job(
        words=tuple(words),
        model=Model(
            # Another machine, or a run from another folder, opens the same one.
            name=bert.name if is_on_offer else str(bert.checkpoint.folder.resolve()),
            sha256=bert.checkpoint.weights_hash(),
            tokenizer=bert.tokenizer_hash,
            layers=count,
            hidden_size=bert.hidden_size,
        ),
        files=files,
        layers=tuple(sorted({layer % count for layer in layers})),
        pooling=pooling,
        text=text,
        carried=choose_columns(files, text, carried),
        part_bytes=part_bytes or part_bytes_of(files),
    )


def part_bytes_of(files: Sequence[CorpusFile]) -> int:
    """How many bytes a part of a corpus has: 64 parts, unless these were very small or large."""
    size = sum(file.size for file in files)
    return min(max(size // PARTS, MIN_PART_BYTES), MAX_PART_BYTES)
