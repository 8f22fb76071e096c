"""The parts of a job on many machines: Ray Data keeps the workers, one a GPU, or else one a core.

Numbers of parts go out and receipts come back: all machines see corpus and folder under the same
paths. Workers come and go with the machines; a part whose worker died goes to another.
"""

import gc
import logging
import os
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.run import AT_ONCE, MAPPED, Runner
from bertviz_core.corpus.work import Outcome, Worker, attempt
from bertviz_core.errors import BertvizError, UserInputError
from bertviz_core.process import map_large_arrays

LOCAL = "local"
MOST_TASKS = 10_000  # of Ray; with more parts than that, a task is several of them
PATIENCE = 10.0  # seconds that a machine may take to answer
DEATHS = 2  # of workers that a task may survive
STORE_BYTES = 80_000_000  # of a local Ray's shared memory; it takes no less than 75 MB


def on_ray(job: Job, folder: Path, *, address: str = LOCAL) -> Runner:
    """A runner on a Ray cluster: "host:port", "auto" for this machine's, "local" for a new one."""
    at_once = [AT_ONCE]

    def runner(parts: Sequence[Part]) -> Iterator[tuple[Part, Outcome]]:
        with _connected(address):
            # What failed is tried again one by one: who dies of a part takes no other along.
            yield from _given_out(job, folder.resolve(), parts, at_once.pop() if at_once else 1)
            # Ray ends workers when Python collects their handles, which refer to one another: on
            # a Ray that goes on they held their cores for minutes (2.60; ray-project/ray#42366).
            gc.collect()

    return runner


class PartMaker:
    """A worker as Ray Data calls it: it opens the model once, then makes part after part."""

    def __init__(self, job: Job, folder: Path) -> None:
        map_large_arrays(MAPPED)
        self._worker = Worker(job, folder, threads=1)
        self._parts = {part.number: part for part in job.parts()}

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Make the part of a number."""
        return row | {"outcome": asdict(attempt(self._worker, self._parts[int(row["number"])]))}


def _given_out(
    job: Job, folder: Path, parts: Sequence[Part], at_once: int
) -> Iterator[tuple[Part, Outcome]]:
    import ray.data
    from ray.exceptions import RayError

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1  # a part that kills its worker again and again ends no other
    # Failures are reported by whoever asked for the parts.
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    # Ray asks for further workers when a part waits for each of those that are there.
    context.autoscaling_config.actor_pool_util_upscaling_threshold = 1 + 1 / (2 * AT_ONCE)
    there = ray.cluster_resources()
    gpus = int(there.get("GPU", 0))
    left = {part.number: part for part in parts}
    numbers = ray.data.from_items(
        [{"number": number} for number in left], override_num_blocks=min(len(left), MOST_TASKS)
    )
    with warnings.catch_warnings():
        # Ray 2.60 warns that it will take these two numbers in another way from 2.64, and has none.
        warnings.simplefilter("ignore", DeprecationWarning)
        rows = numbers.map(
            PartMaker,
            fn_constructor_args=(job, folder),
            # As many as the cluster has room for; it may grow and shrink meanwhile.
            compute=ray.data.ActorPoolStrategy(
                min_size=1,
                initial_size=gpus or max(int(there.get("CPU", 0)), 1),
                max_concurrent_calls_per_actor=at_once,
                max_tasks_in_flight_per_actor=2 * at_once - 1,
                enable_true_multi_threading=True,
            ),
            num_cpus=1,
            num_gpus=1 if gpus else None,
            max_restarts=-1,
            max_task_retries=DEATHS,
        )
    try:
        for row in rows.iter_rows():
            said = row["outcome"]
            receipt = said.pop("receipt")
            yield left.pop(row["number"]), Outcome(receipt and Receipt(**receipt), **said)
    except RayError as error:
        raise BertvizError(
            f"Ray cannot go on ({_last_line(error)}); what is written stays, and the same command "
            "goes on with the rest."
        ) from error
    for part in left.values():
        yield part, Outcome(reason=f"{DEATHS + 1} workers died of it, perhaps for want of memory")


@contextmanager
def _connected(address: str) -> Iterator[None]:
    import ray

    if ray.is_initialized():  # by whoever called this
        yield
        return
    # Ray 2.60 prints an error of its own at each start of a worker that may start again.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if address == LOCAL:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to Ray's makers
        own: dict[str, Any] = {"include_dashboard": False, "object_store_memory": STORE_BYTES}
    else:
        chosen = {name: text for name, text in os.environ.items() if name.startswith("BERTVIZ_")}
        own = {"runtime_env": {"env_vars": chosen}}  # which models there are
    try:
        if ":" in address:  # where nobody listens Ray tries for minutes, then ends the process
            host, port = address.rsplit(":", 1)
            socket.create_connection((host, int(port)), timeout=PATIENCE).close()
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (OSError, RuntimeError, ValueError) as error:
        raise UserInputError(f"Ray at {address} cannot be reached: {_last_line(error)}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _last_line(error: Exception) -> str:
    """What an error says, without the trace of another machine above it."""
    return next(iter(str(error).strip().splitlines()[::-1]), type(error).__name__)
