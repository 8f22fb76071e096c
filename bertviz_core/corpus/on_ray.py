"""The parts of a job on many machines: a task of Ray each, two at a time a GPU, or else one a core.

Parts go out and receipts come back: all machines see corpus and folder under the same paths. Ray
keeps its processes, and each the model that it opened; a part whose process died goes to another.
"""

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.run import AT_ONCE, MAPPED, Runner
from bertviz_core.corpus.work import Outcome, Worker, attempt
from bertviz_core.errors import BertvizError, UserInputError
from bertviz_core.process import map_large_arrays

LOCAL = "local"
MAX_TASKS = 1_000  # that wait for a machine
MAX_SECONDS = 10.0  # that a machine may take to answer
RETRIES = 2  # of a part whose process died
STORE_BYTES = 80_000_000  # of a local Ray's shared memory; it takes no less than 75 MB


def on_ray(job: Job, folder: Path, *, address: str = LOCAL) -> Runner:
    """A runner on a Ray cluster: "host:port", "auto" for this machine's, "local" for a new one."""

    def runner(parts: Sequence[Part]) -> Iterator[tuple[Part, Outcome]]:
        with _connected(address):
            yield from _outcomes(job, folder.resolve(), parts)

    return runner


def make_part(job: Job, folder: Path, part: Part) -> Outcome:
    """Make a part in a process of Ray."""
    return attempt(_worker(job, folder), part)


@lru_cache(maxsize=1)
def _worker(job: Job, folder: Path) -> Worker:
    map_large_arrays(MAPPED)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # a task has one core
    return Worker(job, folder, threads=1)


def _outcomes(job: Job, folder: Path, parts: Sequence[Part]) -> Iterator[tuple[Part, Outcome]]:
    import ray
    from ray.exceptions import NodeDiedError, OutOfMemoryError, RayError, WorkerCrashedError

    # Two share a GPU: one reads while the model runs for the other.
    gpu = 1 / AT_ONCE if ray.cluster_resources().get("GPU") else 0
    options = {"num_cpus": 1, "num_gpus": gpu, "max_retries": RETRIES}
    task = ray.remote(**options)(make_part)
    shared_job = ray.put(job)
    waiting = iter(parts)
    running: dict[Any, Part] = {}
    while True:
        for part in islice(waiting, MAX_TASKS - len(running)):
            running[task.remote(shared_job, folder, part)] = part
        if not running:
            return
        (done, *_), _ = ray.wait(list(running))
        part = running.pop(done)
        try:
            yield part, ray.get(done)
        except (WorkerCrashedError, NodeDiedError, OutOfMemoryError):
            reason = f"{RETRIES + 1} processes died of it, perhaps for want of memory"
            yield part, Outcome(reason=reason)
        except RayError as error:  # the model cannot be opened there, say
            raise BertvizError(
                f"Ray cannot go on ({_last_line(error)}); what is written stays, and the same "
                "command goes on with the rest."
            ) from error


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
        settings: dict[str, Any] = {"include_dashboard": False, "object_store_memory": STORE_BYTES}
    else:
        chosen = {name: text for name, text in os.environ.items() if name.startswith("BERTVIZ_")}
        settings = {"runtime_env": {"env_vars": chosen}}  # which models there are
    try:
        if ":" in address:  # where nobody listens Ray tries for minutes, then ends the process
            host, port = address.rsplit(":", 1)
            socket.create_connection((host, int(port)), timeout=MAX_SECONDS).close()
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **settings)
    except (OSError, RuntimeError, ValueError) as error:
        # Ray 2.60 begins a cluster with this account's token and joins it without (its pull request
        # 64755). Were one set here and not there, only its first node would reach this process.
        raise UserInputError(
            f"Ray at {address} cannot be reached: {_last_line(error)}; if it wants a token, set "
            "RAY_AUTH_MODE=token."
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def _last_line(error: Exception) -> str:
    """What an error says, without the trace of another machine above it."""
    return next(iter(str(error).strip().splitlines()[::-1]), type(error).__name__)
