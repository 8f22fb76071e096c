"""What all viewers of a process share: open models, each result once, a queue for the encoder."""

import inspect
import logging
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import expect
from bertviz_core.shared.turns import FairQueue

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
MAX_CACHED = 128_000_000  # bytes
UNUSED = 600.0  # seconds after which a result is dropped
MAX_CHECKPOINTS = 2
_log = logging.getLogger(__name__)


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
            self.let_go_of_unused()

    def let_go_of_unused(self) -> None:
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


class ModelMemory:
    """The models in memory; a missing one is loaded when it is needed."""

    def __init__(
        self,
        # Nothing is downloaded here: a page offers that, and somebody clicks.
        open_checkpoint: Callable[[str], Bert] = lambda name: load_bert(locate(name)),
        load: Callable[[Bert], Encoder] = load_encoder,
    ) -> None:
        self.open_checkpoint = open_checkpoint
        self.load = load
        self._berts: OrderedDict[str, Bert] = OrderedDict()  # the last one used is the last
        self._encoder: Encoder | None = None
        # Two locks: loading an encoder takes seconds, and pages without one need not wait for it.
        self._opening = threading.Lock()
        self._loading = threading.Lock()

    def bert(self, name: str) -> Bert:
        """The opened checkpoint of a model of the list; the last two asked for stay in memory.

        One whose weights file has changed since is opened anew.
        """
        with self._opening:
            loaded = self._loaded(name)
            kept = self._berts.get(name) or (loaded.bert if loaded else None)
            if kept is not None and not kept.is_current():
                _log.warning("The weights file of %s has changed; it is opened anew", name)
                kept = None
            return self._keep(kept or self.open_checkpoint(name))

    def encoder(self, name: str) -> Encoder:
        """The encoder of a model; one at a time: two of bert-base would not fit a small host.

        Ask anew before every pass: its tensors are mapped from the file, see `Bert.is_current`.
        """
        with self._loading:
            bert, loaded = self.bert(name), self._loaded(name)
            if loaded is None or loaded.bert.stamp != bert.stamp:
                self._encoder = loaded = None  # frees the last one first
                self._encoder = loaded = self.load(bert)
            return loaded

    def has_encoder(self, name: str) -> bool:
        """Whether the encoder of a model is loaded, so that using it costs no waiting."""
        return self._loaded(name) is not None

    def add(self, bert: Bert) -> None:
        """Keep a checkpoint that was opened elsewhere."""
        with self._opening:
            self._keep(bert)

    def _loaded(self, name: str) -> Encoder | None:
        loaded = self._encoder
        return loaded if loaded is not None and loaded.bert.name == name else None

    def _keep(self, bert: Bert) -> Bert:
        self._berts[bert.name] = bert
        self._berts.move_to_end(bert.name)
        while len(self._berts) > MAX_CHECKPOINTS:
            self._berts.popitem(last=False)
        return bert

    def forget(self) -> None:
        """Drop everything."""
        with self._opening, self._loading:
            self._berts.clear()
            self._encoder = None


models = ModelMemory()
results = ResultCache()
# For the encoder: several passes at once only take the processor from one another.
queue = FairQueue()
turn = queue.turn
_computing: dict[Hashable, threading.Lock] = {}  # of what needs no turn


class SharedEncoder(NamedTuple):
    """The encoder of a model, before it is loaded."""

    bert: Bert


def shared_encoder(bert: Bert) -> Encoder:
    """The encoder of a model, for functions with `@once`; nothing is loaded yet."""
    expect(bert, Bert, "a Bert, whose encoder is shared")
    return cast(Encoder, SharedEncoder(bert))


def once(compute: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compute a result once per model and arguments, for all viewers; do not change it.

    If the first parameter is named `encoder`, the function waits in the queue for the encoder.
    Arguments whose names begin with an underscore are not part of the key; all others must be
    hashable or have an `identity`.
    """
    signature = inspect.signature(compute)
    needs_encoder = next(iter(signature.parameters)) == "encoder"

    @wraps(compute)
    def ask(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        named = (value for name, value in bound.arguments.items() if name[0] != "_")
        key = (compute.__module__, compute.__qualname__, *map(_identity, named))
        found = results.find(key)
        if found is not None:
            return cast(Result, found)
        given = bound.arguments.get("encoder")
        with in_turn(given, key) if needs_encoder else _alone(key) as encoder:
            found = results.find(key)
            if found is None:
                if needs_encoder:
                    bound.arguments["encoder"] = encoder
                results.keep(key, found := compute(*bound.args, **bound.kwargs))
            return cast(Result, found)

    return ask


@contextmanager
def in_turn(encoder: Any, key: Hashable = None) -> Iterator[Encoder]:
    """The encoder itself, for some passes, while no other thread runs it; `key` as of `once`."""
    with nullcontext() if queue.mine else turn(key):  # else it is part of a larger result
        yield models.encoder(encoder.bert.name) if isinstance(encoder, SharedEncoder) else encoder


@contextmanager
def _alone(key: Hashable) -> Iterator[None]:
    """Let no other thread compute the same result.

    Skip the lock if this thread holds the encoder; else both wait for ever.
    """
    if queue.mine:
        yield
        return
    try:
        with _computing.setdefault(key, threading.Lock()):
            yield
    finally:
        _computing.pop(key, None)


def _identity(value: Any) -> Hashable:
    """The key of an argument: for a model its files, as they were when opened."""
    bert = value if isinstance(value, Bert) else getattr(value, "bert", None)
    if isinstance(bert, Bert):
        return bert.checkpoint, bert.stamp
    if hasattr(value, "identity"):  # something large says so itself, by plain values
        return type(value), value.identity
    return type(value), value
