"""The open models of a process, and the encoder, which one thread runs at a time."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import expect
from bertviz_core.shared.turns import encoder_queue, slow_queue, table_queue

MAX_CHECKPOINTS = 2
_log = logging.getLogger(__name__)


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

        One of whose files has changed since is opened anew.
        """
        with self._opening:
            bert = self._berts.get(name)
            encoder = self._encoder
            if bert is None and encoder is not None and encoder.bert.name == name:
                bert = encoder.bert
            if bert is not None and not bert.is_current():
                _log.warning("A file of %s has changed; it is opened anew", name)
                bert = None
            return self._keep(bert or self.open_checkpoint(name))

    def encoder(self, name: str) -> Encoder:
        """The encoder of a model; one at a time: two of bert-base would not fit a small host.

        Ask anew before every pass: its tensors are mapped from the file, see `Bert.is_current`.
        """
        with self._loading:
            bert = self.bert(name)
            encoder = self._encoder
            if encoder is None or (encoder.bert.name, encoder.bert.stamp) != (name, bert.stamp):
                self._encoder = encoder = None  # frees the last one first
                self._encoder = encoder = self.load(bert)
            return encoder

    def has_encoder(self, name: str) -> bool:
        """Whether the encoder of a model is loaded, so that using it costs no waiting."""
        encoder = self._encoder
        return encoder is not None and encoder.bert.name == name

    def add(self, bert: Bert) -> None:
        """Keep a checkpoint that was opened elsewhere."""
        with self._opening:
            self._keep(bert)

    def _keep(self, bert: Bert) -> Bert:
        self._berts[bert.name] = bert
        self._berts.move_to_end(bert.name)
        while len(self._berts) > MAX_CHECKPOINTS:
            self._berts.popitem(last=False)
        return bert


models = ModelMemory()


@dataclass(frozen=True)
class SharedEncoder:
    """The encoder of a model before it is loaded, which `in_turn` does."""

    bert: Bert

    def __post_init__(self) -> None:
        expect(self.bert, Bert, "a Bert, whose encoder is shared")


AnyEncoder = Encoder | SharedEncoder  # what views are given: pages give a shared one


@contextmanager
def in_turn(encoder: AnyEncoder, key: Hashable = None) -> Iterator[Encoder]:
    """The loaded encoder, while no other thread runs it; equal work has an equal `key`."""
    if (slow_queue.mine or table_queue.mine) and not encoder_queue.mine:
        raise RuntimeError("What runs the encoder is inside of @once; it takes @once_in_turn.")
    with encoder_queue.turn(key):
        yield models.encoder(encoder.bert.name) if isinstance(encoder, SharedEncoder) else encoder
