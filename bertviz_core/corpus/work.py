"""One part of a corpus: read it, run the model, write its file, say what was done.

Equal parts give equal bytes, on any number of threads and machines of one kind, in any order.
"""

import errno
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.word_vectors import pooled
from bertviz_core.corpus.job import Job, Model, Part
from bertviz_core.corpus.part_files import Receipt, finished, part_file, schema
from bertviz_core.corpus.reading.files import source_names
from bertviz_core.corpus.reading.passages import digest_of, passages, values
from bertviz_core.corpus.reading.words import Search
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.devices import one_thread_each
from bertviz_core.encoder.forward import batches_by_length
from bertviz_core.errors import BertvizError, ModelUnavailableError, UserInputError
from bertviz_core.process import return_freed_memory
from bertviz_core.tokens import TokenizedText, tokenize

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK = 1_024  # occurrences that run together, if their vectors are not too large
CHUNK_BYTES = 32_000_000
Row = tuple[Any, ...]  # an occurrence as it is written, in the order of the columns; no vectors yet
Made = TypeVar("Made")
# Rows that run together; their sentences, each once; of each sentence the rows, with the pieces.
Chunk = tuple[list[Row], list[TokenizedText], list[list[tuple[int, tuple[int, ...]]]]]


@dataclass(frozen=True)
class Outcome:
    """What became of a part: plain values that another process can send."""

    receipt: Receipt | None = None  # None where it was not written
    made: bool = False  # now; else it was there
    replaced: bool = False  # a file that was there
    reason: str = ""  # why it was not written, in a sentence
    # whether every other part would fail for the same reason: the disk is full, say
    ends_run: bool = False


class Worker:
    """Works on one part after another with a model that stays open."""

    def __init__(
        self, job: Job, folder: Path, encoder: Encoder | None = None, threads: int | None = None
    ) -> None:
        """Open the model, unless it is given; on a CPU as many batches run at once as `threads`."""
        self._job = job
        self._folder = folder
        self.stopped = False  # set by another thread: what is under way is given up
        self._encoder = encoder or open_encoder(job.model)
        self._threads = one_thread_each(threads if self._encoder.device == "cpu" else 1)
        self._search = Search(job.words)
        self._sources = source_names(job.files)
        self._schema = schema(job)
        # A process of one core has none for a second thread.
        self._works_ahead = self._encoder.device != "cpu" or threads != 1
        vectors_bytes = 4 * job.model.hidden_size * len(job.layers)  # of an occurrence
        self._chunk = max(1, min(CHUNK, CHUNK_BYTES // vectors_bytes))

    def __call__(self, part: Part) -> Outcome:
        """Make the file of a part, unless it is there, whole and of the corpus as it is now."""
        there = finished(self._job, self._folder, part)
        if there is not None and there.corpus == digest_of(self._job, part):
            return Outcome(there)
        replaced = part.path_in(self._folder).exists()
        return Outcome(self._make(part), made=True, replaced=replaced)

    def _make(self, part: Part) -> Receipt:
        done = Receipt()
        with part_file(self._job, self._folder, part, done) as file:
            chunks = self._chunks(part, done)
            if self._works_ahead:
                chunks = one_ahead(chunks)
            tables = map(self._table, chunks)
            for table in one_ahead(tables) if self._works_ahead else tables:
                file.write_table(table, row_group_size=max(len(table), 1))
                # Batches differ in size: what they leave free between pieces in use, 100 MB in
                # each thread, would stay there and grow with every chunk.
                return_freed_memory()
        return done

    def _rows(self, part: Part, tally: Receipt) -> Iterator[Row]:
        source = self._sources[part.file.path]
        for passage in passages(self._job, part, tally, self._search.may_hold):
            carried: tuple[Any, ...] | None = None
            for occurrence in self._search.find(passage.text):
                carried = carried or values(self._job, passage.row, tally)
                yield (*occurrence, source, passage.offset, *carried)

    def _chunks(self, part: Part, tally: Receipt) -> Iterator[Chunk]:
        each = self._rows(part, tally)
        while wanted := list(islice(each, self._chunk)):
            sentences = list(dict.fromkeys(row[1] for row in wanted))
            texts = dict(zip(sentences, tokenize(self._encoder.bert, sentences), strict=True))
            rows: list[Row] = []
            of_text: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
            for row in wanted:
                _, sentence, start, end, *_ = row
                with suppress(UserInputError):  # beyond the cut, or nothing that the model reads
                    pieces = pieces_of(MarkedText(sentence, start, end), texts[sentence])
                    of_text.setdefault(sentence, []).append((len(rows), pieces))
                    rows.append(row)
            run = [texts[sentence] for sentence in of_text]
            tally.occurrences += len(rows)
            tally.left_out += len(wanted) - len(rows)
            tally.sentences += len(run)
            tally.tokens += sum(map(len, run))
            yield rows, run, list(of_text.values())

    def _table(self, chunk: Chunk) -> "pa.Table":
        """Run the model on the sentences of some rows; the rows with their vectors."""
        import pyarrow as pa

        rows, run, words = chunk
        vectors = np.empty((len(self._job.layers), len(rows), self._job.model.hidden_size), "f4")

        def run_batch(batch: list[int]) -> None:
            self._run([(run[i], *word) for i in batch for word in words[i]], vectors)

        # Similar lengths run together, and each sentence once.
        batches = batches_by_length(run, self._encoder.batch_tokens)
        deque(self._threads.map(run_batch, batches), maxlen=0)
        kinds = self._schema.types[: -len(vectors)]
        arrays: list[Any] = [
            pa.array([row[number] for row in rows], kind) for number, kind in enumerate(kinds)
        ]
        for layer in vectors:
            numbers = pa.array(layer.reshape(-1))
            arrays.append(pa.FixedSizeListArray.from_arrays(numbers, layer.shape[1]))
        return pa.Table.from_arrays(arrays, schema=self._schema)

    def _run(
        self, words: Sequence[tuple[TokenizedText, int, tuple[int, ...]]], vectors: Array
    ) -> None:
        """Run the texts of one batch; each word's vectors go to its row."""
        if self.stopped:
            raise BertvizError("It was stopped.")
        texts, rows, pieces = zip(*words, strict=True)
        for indices, ends, states in self._encoder.iter_batches(texts, pieces):
            layers = states[list(self._job.layers)]
            counts = np.diff(ends, prepend=0)
            wanted = np.take(rows, indices)
            alone = counts == 1
            vectors[:, wanted[alone]] = layers[:, ends[alone] - 1]
            several = (wanted[~alone], ends[~alone], counts[~alone])
            for row, end, count in zip(*several, strict=True):
                vectors[:, row] = pooled(layers[:, end - count : end], self._job.pooling)


def one_ahead(values: Iterator[Made]) -> Iterator[Made]:
    """The same values, of which a thread makes the next while one is used."""
    with ThreadPoolExecutor(1) as thread:
        coming: Any = thread.submit(next, values, None)
        while (value := coming.result()) is not None:
            coming = thread.submit(next, values, None)
            yield value


def attempt(worker: Worker, part: Part) -> Outcome:
    """Work on a part; what goes wrong becomes a sentence, so that the others go on."""
    import pyarrow as pa

    try:
        return worker(part)
    except (BertvizError, OSError, pa.ArrowException) as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        how_on = "; make room, and the same command goes on with what is written." if full else ""
        # What is wrong with the model, or its device, is wrong for all parts.
        ends = full or isinstance(error, ModelUnavailableError)
        return Outcome(reason=(str(error) or type(error).__name__) + how_on, ends_run=ends)
    except Exception as error:  # a defect; the other parts may be free of it
        place = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{place.filename}:{place.lineno}"
        return Outcome(reason=f"{type(error).__name__}: {error} ({at})")


def open_encoder(model: Model, device: str | None = None) -> Encoder:
    """Open the model of a job, ready to run; nothing is downloaded for somebody else's job."""
    bert = load_bert(locate(model.name))
    if (bert.checkpoint.weights_hash(), bert.tokenizer_hash) != (model.sha256, model.tokenizer):
        raise ModelUnavailableError(
            f"{bert.checkpoint.weights.name} or the tokenizer of {bert.name} is not the one with "
            "which the job was begun (manifest.json has their SHA-256); put the same model on this "
            "machine."
        )
    return load_encoder(bert, device)
