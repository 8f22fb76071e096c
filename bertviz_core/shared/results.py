"""Each result once, for all viewers of a process: the cache, and how functions use it."""

import inspect
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import is_dataclass
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.shared.models import AnyEncoder, SharedEncoder, in_turn
from bertviz_core.shared.turns import FairQueue, slow_queue, table_queue

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Turn = TypeVar("Turn")
MAX_CACHED = 128_000_000  # bytes
UNUSED = 600.0  # seconds after which a result is dropped


class ResultCache:
    """Results by their keys, those that were used last, within a number of bytes."""

    def __init__(self, most: int = MAX_CACHED, unused: float = UNUSED) -> None:
        self.most = most
        self.unused = unused
        self.nbytes = 0  # of all results
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int, float]] = OrderedDict()

    def find(self, key: Hashable) -> Any | None:
        """A result, which then counts as used; None if it is not there."""
        with self._lock:
            if key not in self._kept:
                return None
            value, size, _ = self._kept.pop(key)
            self._kept[key] = value, size, time.monotonic()
            return value

    def keep(self, key: Hashable, value: Any) -> None:
        """Keep a result; drop those that were used longest ago, if there are too many."""
        size = nbytes(value)
        with self._lock:
            _, size_before, _ = self._kept.pop(key, (None, 0, 0.0))
            self._kept[key] = value, size, time.monotonic()
            self.nbytes += size - size_before
        self.drop_unused()

    def made(
        self, key: Hashable, turn: AbstractContextManager[Turn], make: Callable[[Turn], Result]
    ) -> Result:
        """The result of a key; a missing one is made in `turn`, if it is still missing then."""
        result: Result | None = self.find(key)
        if result is None:
            with turn as loaded:
                result = self.find(key)
                if result is None:
                    result = make(loaded)
                    self.keep(key, result)
        return result

    def drop_unused(self) -> None:
        """Drop results that were not used for a while, and the oldest ones beyond the limit."""
        long_ago = time.monotonic() - self.unused
        with self._lock:
            while self._kept:
                _, size, used = next(iter(self._kept.values()))
                if (self.nbytes <= self.most or len(self._kept) == 1) and used >= long_ago:
                    break
                self._kept.popitem(last=False)
                self.nbytes -= size


def nbytes(value: Any) -> int:
    """Bytes that a result takes, about: those of its arrays and texts. A model counts nothing."""
    if isinstance(value, str | int | float):  # most of them
        return sys.getsizeof(value)
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, Bert | Encoder):
        return 0
    if is_dataclass(value) and not isinstance(value, type):
        value = [*vars(value).values()]  # names of fields are there once
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return 60 + sum(map(nbytes, value))
    return sys.getsizeof(value)


results = ResultCache()


def once_in(
    queue: FairQueue,
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Compute a result once per model and arguments, for all viewers; do not change it.

    What is missing is computed one after the other, in a queue. Arguments whose names begin with an
    underscore are not part of the key; all others must be hashable or have an `identity`.
    """

    def decorated(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        @wraps(compute)
        def ask(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            key = _key(compute, *args, **kwargs)
            return results.made(key, queue.turn(key), lambda _: compute(*args, **kwargs))

        return ask

    return decorated


once = once_in(table_queue)
slow_once = once_in(slow_queue)


def once_in_turn(
    compute: Callable[Concatenate[Encoder, Arguments], Result],
) -> Callable[Concatenate[AnyEncoder, Arguments], Result]:
    """`once` for a function that runs the encoder, its first argument: it waits for its turn.

    A shared encoder is loaded then.
    """

    @wraps(compute)
    def ask(encoder: AnyEncoder, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        key = _key(compute, encoder, *args, **kwargs)
        return results.made(
            key, in_turn(encoder, key), lambda loaded: compute(loaded, *args, **kwargs)
        )

    return ask


def _key(compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Hashable:
    """What names a result: the function and its arguments."""
    bound = _signature(compute).bind(*args, **kwargs)
    bound.apply_defaults()
    values = (value for name, value in bound.arguments.items() if name[0] != "_")
    return (compute.__module__, compute.__qualname__, *map(_identity, values))


_signature = cache(inspect.signature)


def _identity(value: Any) -> Hashable:
    """The key of an argument: for a model its files, as they were when opened."""
    if isinstance(value, Encoder | SharedEncoder):
        value = value.bert
    if isinstance(value, Bert):
        return value.checkpoint, value.stamp
    if hasattr(value, "identity"):  # something large says so itself, by plain values
        return type(value), value.identity
    return type(value), value
