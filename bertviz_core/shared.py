"""What all viewers of a process share: open models, and each result once."""

import inspect
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.errors import expect
from bertviz_core.model_memory import ModelMemory
from bertviz_core.turns import FairQueue, raise_if_cancelled_here, report_waiting_here

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
MOST_BYTES = 128_000_000
UNUSED = 600.0  # seconds after which a result is let go of


class ResultCache:
    """Results by their keys, those that were used last, within a number of bytes."""

    def __init__(self, most: int = MOST_BYTES, unused: float = UNUSED) -> None:
        self.most, self.unused = most, unused
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int, float]] = OrderedDict()
        self._held = 0  # bytes of all results

    def find(self, key: Hashable) -> Any | None:
        """A result, which then counts as used; None if it is not there."""
        with self._lock:
            if key not in self._kept:
                return None
            value, size, _ = self._kept[key]
            self._kept[key] = value, size, time.monotonic()
            self._kept.move_to_end(key)
            return value

    def keep(self, key: Hashable, value: Any) -> None:
        """Keep a result, and let go of those that were used longest ago."""
        size = nbytes(value)
        with self._lock:
            _, before, _ = self._kept.pop(key, (None, 0, 0.0))
            self._kept[key] = value, size, time.monotonic()
            self._held += size - before
            self._let_go()

    def let_go_of_unused(self) -> None:
        """Let go of what nobody has asked for in a while."""
        with self._lock:
            self._let_go()

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
            self._held = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all results."""
        return self._held

    def _let_go(self) -> None:
        """Look at the oldest alone: a walk over all takes the longer, the more there are."""
        long_ago = time.monotonic() - self.unused
        while self._kept:
            _, size, used = next(iter(self._kept.values()))
            if (self._held <= self.most or len(self._kept) == 1) and used >= long_ago:
                break
            self._kept.popitem(last=False)
            self._held -= size


def nbytes(value: Any) -> int:
    """Bytes that a result takes, about: those of its arrays and texts. A model counts nothing."""
    if isinstance(value, Bert | Encoder):
        return 0
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, Mapping):
        return 100 + sum(nbytes(one) for pair in value.items() for one in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return 60 + sum(50 + len(one) if isinstance(one, str) else nbytes(one) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return 100 + sum(nbytes(getattr(value, field.name, None)) for field in fields(value))
    return sys.getsizeof(value)


models = ModelMemory()
results = ResultCache()
# For the encoder: several passes at once only take the processor from one another.
queue = FairQueue()
_computing: dict[Hashable, threading.Lock] = {}  # of what needs no turn


class SharedEncoder(NamedTuple):
    """Stands for the encoder of a model that is loaded when a result needs it."""

    bert: Bert


def shared_encoder(bert: Bert) -> Encoder:
    """The encoder of a model, for functions with `@once`; nothing is loaded yet."""
    expect(bert, Bert, "a Bert, whose encoder is shared")
    return cast(Encoder, SharedEncoder(bert))


def turn(key: object = None) -> AbstractContextManager[None]:
    """Wait until the encoder is free, first come, first served, and keep it for a block."""
    return queue.turn(
        key,
        raise_if_cancelled=raise_if_cancelled_here.get(),
        report_waiting=report_waiting_here.get(),
    )


class Job(Protocol):
    """Work beside the pages; see `ui.jobs`."""

    def raise_if_cancelled(self) -> None: ...
    def report_waiting(self, before: int) -> None: ...


def turn_for(job: Job) -> AbstractContextManager[None]:
    """Take a turn for a job, in its own thread."""
    return queue.turn(raise_if_cancelled=job.raise_if_cancelled, report_waiting=job.report_waiting)


def once(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compute a result once per model and arguments, for all viewers; do not change it.

    If the first parameter is named `encoder` it is computed in a turn of its own, with the shared
    encoder of the model. Arguments whose names begin with an underscore are not part of the key;
    the others can be hashed or have an `identity`.
    """
    signature = inspect.signature(compute)
    needs = next(iter(signature.parameters))

    @wraps(compute)
    def ask(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        named = (value for name, value in bound.arguments.items() if name[0] != "_")
        key = (compute.__module__, compute.__qualname__, *map(_identity, named))
        found = results.find(key)
        if found is not None:
            return cast(Result, found)
        if needs == "encoder":
            return _in_turn(compute, key, bound)
        lock = _computing.setdefault(key, threading.Lock())
        try:
            with lock:
                found = results.find(key)
                if found is None:
                    results.keep(key, found := compute(*args, **kwargs))
                return cast(Result, found)
        finally:
            _computing.pop(key, None)

    return ask


def _in_turn(
    compute: Callable[..., Result], key: Hashable, bound: inspect.BoundArguments
) -> Result:
    given = bound.arguments["encoder"]

    def result() -> Result:
        found = results.find(key)
        if found is None:
            if isinstance(given, SharedEncoder):
                bound.arguments["encoder"] = models.encoder(given.bert.name)
            results.keep(key, found := compute(*bound.args, **bound.kwargs))
        return cast(Result, found)

    if queue.mine:  # it is part of a larger result
        return result()
    with turn(key):
        return result()


def _identity(value: Any) -> Hashable:
    """What tells an argument from others: of a model its files, as they were when opened."""
    bert = value if isinstance(value, Bert) else getattr(value, "bert", None)
    if isinstance(bert, Bert):
        return bert.checkpoint, bert.stamp
    if hasattr(value, "identity"):  # something large says so itself, by plain values
        return type(value), value.identity
    return type(value), value
