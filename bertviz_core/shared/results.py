"""Each result once, for all viewers of a process: the cache, and how functions use it."""

import inspect
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.shared.models import AnyEncoder, SharedEncoder, in_turn, queue

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
MAX_CACHED = 128_000_000  # bytes
UNUSED = 600.0  # seconds after which a result is dropped


class ResultCache:
    """Results by their keys, those that were used last, within a number of bytes."""

    def __init__(self, most: int = MAX_CACHED, unused: float = UNUSED) -> None:
        self.most, self.unused = most, unused
        self.nbytes = 0  # of all results
        self._lock = threading.RLock()
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
            _, before, _ = self._kept.pop(key, (None, 0, 0.0))
            self._kept[key] = value, size, time.monotonic()
            self.nbytes += size - before
            self.drop_unused()

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

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
            self.nbytes = 0


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


results = ResultCache()
_computing: dict[Hashable, threading.Lock] = {}  # by key
_signature = cache(inspect.signature)


def once(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compute a result once per model and arguments, for all viewers; do not change it.

    Arguments whose names begin with an underscore are not part of the key; all others must be
    hashable or have an `identity`. What runs the encoder takes `once_in_turn`.
    """

    @wraps(compute)
    def ask(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        key = _key(compute, *args, **kwargs)
        if (known := results.find(key)) is None:
            with _alone(key):
                if (known := results.find(key)) is None:
                    results.keep(key, known := compute(*args, **kwargs))
        return cast(Result, known)

    return ask


def once_in_turn(
    compute: Callable[Concatenate[Encoder, Arguments], Result],
) -> Callable[Concatenate[AnyEncoder, Arguments], Result]:
    """`once` for a function that runs the encoder, its first argument: it waits for its turn.

    A shared encoder is loaded then.
    """

    @wraps(compute)
    def ask(encoder: AnyEncoder, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        key = _key(compute, encoder, *args, **kwargs)
        if (known := results.find(key)) is None:
            with in_turn(encoder, key) as loaded:
                if (known := results.find(key)) is None:
                    results.keep(key, known := compute(loaded, *args, **kwargs))
        return cast(Result, known)

    return ask


def _key(compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Hashable:
    """What names a result: the function and its arguments."""
    bound = _signature(compute).bind(*args, **kwargs)
    bound.apply_defaults()
    named = (value for name, value in bound.arguments.items() if name[0] != "_")
    return (compute.__module__, compute.__qualname__, *map(_identity, named))


def _identity(value: Any) -> Hashable:
    """The key of an argument: for a model its files, as they were when opened."""
    if isinstance(value, Encoder | SharedEncoder):
        value = value.bert
    if isinstance(value, Bert):
        return value.checkpoint, value.stamp
    if hasattr(value, "identity"):  # something large says so itself, by plain values
        return type(value), value.identity
    return type(value), value


@contextmanager
def _alone(key: Hashable) -> Iterator[None]:
    """Let no other thread compute the same result.

    A thread that has the encoder computes at once: one that waits for the encoder may hold the
    lock.
    """
    if queue.mine:
        yield
        return
    try:
        with _computing.setdefault(key, threading.Lock()):
            yield
    finally:
        _computing.pop(key, None)
