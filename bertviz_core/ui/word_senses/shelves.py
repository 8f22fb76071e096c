"""Where the vectors of occurrences stand: many small ones or a few large ones, by their bytes."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from bertviz_core.corpus.stratified_sample import Sample
from bertviz_core.senses import SenseVectors
from bertviz_core.vector_files import Opened

# Three maps of 2,000 occurrences of the embedded model; one of BERT-base, 80 MB, is kept alone.
MOST_BYTES = 64_000_000
MOST_SHELVES = 1_000  # an empty one is small, but not nothing


@dataclass(frozen=True)
class Key:
    """Names the vectors of some occurrences.

    Attributes:
        model: Name of the checkpoint.
        digest: Of the occurrences, or of the file they came in.
        pooling: How the pieces of a word were joined.
    """

    model: str
    digest: str
    pooling: str


@dataclass
class Shelf:
    """Where vectors stand once they are there; one for all viewers.

    Attributes:
        vectors: Those that a run of the model made; None before.
        opened: Those that were read from a visitor's file; None before.
        sample: Those that were drawn from a corpus; None before.
    """

    vectors: SenseVectors | None = None
    opened: Opened | None = None
    sample: Sample | None = None

    @property
    def nbytes(self) -> int:
        opened = self.opened if self.sample is None else self.sample.opened
        found = self.vectors if opened is None else opened.found
        return 0 if found is None else found.vectors.nbytes


class Shelves:
    """The shelves that were used last, as many as fit into some memory; for all threads.

    They are not in a cache of Streamlit's, because any visitor can have those emptied.

    Attributes:
        most: Bytes of all vectors together. One that is larger by itself is kept alone.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._shelves: OrderedDict[Key, Shelf] = OrderedDict()  # the last one used stands last

    def shelf_for(self, key: Key) -> Shelf:
        """The shelf of some occurrences, an empty one if there is none."""
        with self._lock:
            shelf = self._shelves.setdefault(key, Shelf())
            self._shelves.move_to_end(key)
            self._let_go()
            return shelf

    def filled(self, key: Key) -> None:
        """Make room after vectors were put on a shelf; it counts as used."""
        with self._lock:
            if key in self._shelves:
                self._shelves.move_to_end(key)
            self._let_go()

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._shelves.clear()

    def _let_go(self) -> None:
        """Drop those used longest ago; an empty one may be waiting for its vectors, and is kept."""
        full = [key for key, shelf in self._shelves.items() if shelf.nbytes]
        held = sum(self._shelves[key].nbytes for key in full)
        for key in full[:-1]:
            if held <= self.most:
                break
            held -= self._shelves.pop(key).nbytes
        while len(self._shelves) > MOST_SHELVES:
            self._shelves.popitem(last=False)


shelves = Shelves()
