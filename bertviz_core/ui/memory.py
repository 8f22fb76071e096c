"""Opened checkpoints and one loaded encoder, shared by all viewers.

They are kept here and not in a cache of Streamlit's, because any visitor can have those emptied.
"""

import threading
from collections.abc import Callable

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.encoder import Encoder, load_encoder

MOST_CHECKPOINTS = 2


class ModelMemory:
    """The models that are in memory; whatever is missing is loaded when it is asked for.

    Attributes:
        open_checkpoint: Opens a checkpoint; see `bert.load_bert`.
        load: Loads an encoder; see `encoder.load_encoder`.
    """

    def __init__(
        self,
        open_checkpoint: Callable[[str | Checkpoint], Bert] = load_bert,
        load: Callable[[Bert], Encoder] = load_encoder,
    ) -> None:
        self.open_checkpoint = open_checkpoint
        self.load = load
        self._berts: dict[str, Bert] = {}
        self._encoder: Encoder | None = None
        # Two locks: loading an encoder takes seconds, and pages without one need not wait for it.
        self._opening = threading.Lock()
        self._loading = threading.Lock()

    def bert(self, name: str) -> Bert:
        """The opened checkpoint of a model of the list; the last two asked for stay in memory.

        Raises:
            ModelUnavailableError: It is not on this machine, or cannot be read.
        """
        with self._opening:
            return self._keep(self._berts.get(name) or self.open_checkpoint(name))

    def encoder(self, name: str) -> Encoder:
        """The encoder of a model; one at a time: two of bert-base would not fit a small host."""
        with self._loading:
            if self._encoder is None or self._encoder.bert.name != name:
                self._encoder = None  # frees the last one first
                self._encoder = self.load(self.bert(name))
            return self._encoder

    def has_encoder(self, name: str) -> bool:
        """Whether the encoder of a model is loaded, so that using it costs no waiting."""
        loaded = self._encoder
        return loaded is not None and loaded.bert.name == name

    def has_library_model(self, name: str) -> bool:
        """Whether the library's own model of it is loaded as well; see `Encoder.model`."""
        loaded = self._encoder
        return loaded is not None and loaded.bert.name == name and loaded.model_in_memory

    def add(self, bert: Bert) -> None:
        """Keep a checkpoint that was opened elsewhere."""
        with self._opening:
            self._keep(bert)

    def _keep(self, bert: Bert) -> Bert:
        self._berts = {name: kept for name, kept in self._berts.items() if name != bert.name}
        self._berts[bert.name] = bert  # the last one used stands last
        while len(self._berts) > MOST_CHECKPOINTS:
            del self._berts[next(iter(self._berts))]
        return bert

    def forget(self) -> None:
        """Drop everything."""
        with self._opening, self._loading:
            self._berts.clear()
            self._encoder = None


models = ModelMemory()
