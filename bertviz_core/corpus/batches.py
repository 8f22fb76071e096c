"""The vectors of found words: batch by batch, several side by side, always with the same bits."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.words import pooled
from bertviz_core.corpus.job import Job
from bertviz_core.corpus.reading.passages import Values
from bertviz_core.corpus.reading.words import Found
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.batches import batches_by_length
from bertviz_core.encoder.devices import one_thread_each
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText, tokenize


class Row(NamedTuple):
    """An occurrence as it is written."""

    found: Found  # the word in its sentence
    offset: int  # of its line or paragraph in the file
    values: Values  # of the carried columns


@dataclass(frozen=True, eq=False)
class Chunk:
    """Occurrences whose vectors are being computed."""

    rows: Sequence[Row]  # n of them, in the order of the corpus: those that the model can take
    left_out: int  # how many it cannot
    sentences: int  # how many are run
    tokens: int  # of these
    running: Sequence[Future[None]]  # the batches; the vectors are whole when all are done
    vectors: Array  # float32 (layers that are kept, n, hidden_size)

    def wait(self) -> None:
        """Wait for all batches; raises what one of them raised."""
        for batch in self.running:
            batch.result()


class Batches:
    """Runs the sentences of occurrences through a model."""

    def __init__(self, job: Job, encoder: Encoder, threads: int | None = None) -> None:
        """Prepare threads, None for as many as torch would take; a GPU runs one batch a time."""
        self._job, self._encoder = job, encoder
        self._layers = list(job.layers)
        self._threads = one_thread_each(threads if encoder.device == "cpu" else 1)

    def start(self, wanted: Sequence[Row]) -> Chunk:
        """Begin to compute the vectors; similar lengths run together, and each sentence once."""
        bert = self._encoder.bert
        texts: dict[str, TokenizedText] = {}
        rows: list[Row] = []
        of_text: dict[str, list[tuple[int, tuple[int, ...]]]] = {}  # row and pieces of its word
        for row in wanted:
            sentence = row.found.sentence
            if sentence not in texts:
                texts[sentence] = tokenize(bert, sentence)
            try:
                word = MarkedText(sentence, row.found.start, row.found.end)
                positions = pieces_of(word, texts[sentence])
            except UserInputError:  # beyond the cut, or nothing that the model reads
                continue
            of_text.setdefault(sentence, []).append((len(rows), positions))
            rows.append(row)
        sentences = list(of_text)
        run = [texts[sentence] for sentence in sentences]
        vectors = np.empty((len(self._layers), len(rows), bert.hidden_size), np.float32)
        running = []
        for batch in batches_by_length(run, self._encoder.batch_tokens):
            of_batch = [(run[i], *word) for i in batch for word in of_text[sentences[i]]]
            running.append(self._threads.submit(self._run, of_batch, vectors))
        tokens = sum(map(len, run))
        return Chunk(rows, len(wanted) - len(rows), len(run), tokens, running, vectors)

    def _run(
        self, words: Sequence[tuple[TokenizedText, int, tuple[int, ...]]], vectors: Array
    ) -> None:
        """Run the texts of one batch; each word's vectors go to its row."""
        texts, rows, positions = zip(*words, strict=True)
        for batch in self._encoder.iter_piece_vectors(texts, positions):
            for index, states in batch:  # states: (all layers, pieces of the word, hidden)
                vectors[:, rows[index]] = pooled(states[self._layers], self._job.pooling)
