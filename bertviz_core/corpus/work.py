"""One part of a corpus: read it, run the model, write its file, say what was done.

Equal parts give equal bytes, on any number of threads and machines of one kind, in any order.
"""

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.bert import load_bert
from bertviz_core.corpus.batches import Batches, Chunk, Row
from bertviz_core.corpus.job import Job, Model, Part
from bertviz_core.corpus.part_files import CannotWriteError, PartWriter
from bertviz_core.corpus.reading.files import source_names
from bertviz_core.corpus.reading.passages import Tally, Values, passages
from bertviz_core.corpus.reading.words import Search
from bertviz_core.corpus.schema import Receipt
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.devices import Dtype
from bertviz_core.errors import BertvizError, ModelUnavailableError, UserInputError

CHUNK = 2_048  # occurrences that run together, if their vectors are not too large
CHUNK_BYTES = 32_000_000
Heard = Callable[[Receipt], None]


@dataclass(frozen=True)
class Failure:
    """Why a part was not written."""

    reason: str  # in a sentence
    # whether every other part would fail for the same reason: the disk is full
    ends_run: bool = False


class Worker:
    """Works on one part after another with a model that stays open."""

    def __init__(
        self,
        job: Job,
        folder: Path,
        encoder: Encoder | None = None,
        device: str | None = None,
        threads: int | None = None,
    ) -> None:
        """Open the model.

        Args:
            job: What is asked for.
            folder: Where the files of the parts go; it exists.
            encoder: The job's model, where it is open already.
            device: Where a model that is opened here runs; see `open_encoder`.
            threads: How many batches run side by side; None for as many as torch would take
                threads: what `OMP_NUM_THREADS` says, or the number of cores.

        Raises:
            ModelUnavailableError: The model is not on this machine, or its weights are not those
                of the job.
        """
        self._job, self._folder = job, folder
        self._batches = Batches(job, encoder or open_encoder(job.model, device, job.dtype), threads)
        self._search = Search(job.words, job.split)
        self._sources = source_names(job.files)
        vectors_bytes = 4 * job.model.hidden_size * len(job.layers)  # of an occurrence
        self._chunk = max(1, min(CHUNK, CHUNK_BYTES // vectors_bytes))

    def __call__(self, part: Part, heard: Heard | None = None) -> Receipt:
        """Write the file of a part; `heard` is called now and then with what is done of it."""
        tally, run = Tally(), Receipt()  # what was read, what went through the model
        with PartWriter(self._job, self._folder, part) as file:
            for chunk in self._computed(part, tally):
                file.add(self._columns(chunk, self._sources[part.file.path]))
                run += Receipt(len(chunk.rows), chunk.left_out, chunk.sentences, chunk.tokens)
                if heard is not None:
                    heard(run + Receipt(**asdict(tally)))
            receipt = run + Receipt(**asdict(tally))
            file.finish(receipt)
        return receipt

    def _computed(self, part: Part, tally: Tally) -> Iterator[Chunk]:
        """Chunk by chunk; the next one is read while the model runs."""
        running: Chunk | None = None
        for rows in self._chunks(part, tally):
            following = self._batches.start(rows)
            if running is not None:
                running.wait()
                yield running
            running = following
        if running is not None:
            running.wait()
            yield running

    def _chunks(self, part: Part, tally: Tally) -> Iterator[list[Row]]:
        """What is found in a part, some at a time."""
        rows: list[Row] = []
        for passage in passages(self._job, part, tally, self._search.may_hold):
            values: Values | None = None
            for found in self._search.find(passage.text):
                values = passage.values() if values is None else values
                rows.append(Row(found, passage.offset, values))
                if len(rows) == self._chunk:
                    yield rows
                    rows = []
        if rows:
            yield rows

    def _columns(self, chunk: Chunk, source: str) -> list[Any]:
        """The columns of some rows, as Arrow arrays in the order of the schema."""
        import pyarrow as pa

        found = [row.found for row in chunk.rows]
        plain: list[tuple[Sequence[Any], pa.DataType]] = [
            ([one.word for one in found], pa.string()),
            ([one.sentence for one in found], pa.string()),
            ([one.start for one in found], pa.int32()),
            ([one.end for one in found], pa.int32()),
            ([source] * len(found), pa.string()),
            ([row.offset for row in chunk.rows], pa.int64()),
            *(
                ([row.values[number] for row in chunk.rows], pa.type_for_alias(column.kind))
                for number, column in enumerate(self._job.carried)
            ),
        ]
        vectors = self._stored(chunk.vectors)
        hidden = self._job.model.hidden_size
        return [
            *(pa.array(values, kind) for values, kind in plain),
            *(
                pa.FixedSizeListArray.from_arrays(pa.array(layer.reshape(-1)), hidden)
                for layer in vectors
            ),
        ]

    def _stored(self, vectors: Array) -> NDArray[Any]:
        if self._job.stored == "float32":
            return vectors
        if np.abs(vectors).max(initial=0) > np.finfo(np.float16).max:
            raise UserInputError(
                "The vectors hold numbers that float16 does not; store them as float32."
            )
        return vectors.astype(np.float16)


def attempt(worker: Worker, part: Part, heard: Heard | None = None) -> Receipt | Failure:
    """Work on a part; what goes wrong becomes a sentence, so that the others go on.

    Both a receipt and a failure are plain values that another process can send.
    """
    import pyarrow as pa

    try:
        return worker(part, heard)
    except CannotWriteError as error:
        return Failure(str(error), ends_run=True)
    except (BertvizError, OSError, pa.ArrowException) as error:
        return Failure(str(error) or type(error).__name__)
    except Exception as error:  # a defect; the other parts may be free of it
        place = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})")


def open_encoder(model: Model, device: str | None = None, dtype: Dtype = "float32") -> Encoder:
    """Open the model of a job, ready to run."""
    bert = load_bert(model.name)
    digest = bert.checkpoint.weights_hash()
    if digest != model.sha256:
        raise ModelUnavailableError(
            f"{bert.checkpoint.weights.name} of {bert.name} has the SHA-256 {digest[:12]}…, but "
            f"the job was begun with {model.sha256[:12]}…; put the same model on this machine."
        )
    return load_encoder(bert, device, dtype)
