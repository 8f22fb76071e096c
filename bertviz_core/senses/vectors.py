"""The vectors of many occurrences at all layers, in one run of the model."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import Occurrence
from bertviz_core.tokens import TokenizedText, tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.encoder import Encoder

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class SenseVectors:
    """Occurrences of a word and their vectors.

    Attributes:
        occurrences: n occurrences whose word BERT reads.
        vectors: float32 (n, num_hidden_layers + 1, hidden_size), read-only; [:, 0] are input
            embeddings, [:, l] the vectors after layer l.
        left_out: How many more occurrences there were whose word lies beyond the tokens the model
            can take, or holds no character it reads.
    """

    occurrences: tuple[Occurrence, ...]
    vectors: Array
    left_out: int


def sense_vectors(
    encoder: "Encoder",
    occurrences: Iterable[Occurrence],
    pooling: Pooling = "mean",
    *,
    progress: Progress | None = None,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> SenseVectors:
    """Run the sentences of many occurrences through the model, each sentence once.

    Args:
        encoder: The model to run.
        occurrences: From `find_occurrences`.
        pooling: How the pieces of a word become one vector: "mean", "first", "last" or "max".
        progress: Called after each batch with how many occurrences are done and how many there
            are.
        turn: Entered around each batch, so that others may use the model between two batches.

    Returns:
        The occurrences in their order, with their vectors.

    Raises:
        UserInputError: The pooling is unknown.
    """
    if pooling not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")
    wanted = tuple(occurrences)
    texts, words, numbers = _pieces(encoder.bert, wanted)
    kept = sorted(number for inside in numbers for number in inside)
    row_of = {number: row for row, number in enumerate(kept)}
    rows = [row_of[number] for inside in numbers for number in inside]
    layers, hidden_size = encoder.bert.num_hidden_layers + 1, encoder.bert.hidden_size
    vectors = np.empty((len(kept), layers, hidden_size), np.float32)
    batches = encoder.iter_word_vectors(texts, words, pooling)
    done = 0
    while True:
        with turn():
            batch = next(batches, None)
        if batch is None:
            break
        vectors[[rows[i] for i in batch[0]]] = batch[1]
        done += len(batch[0])
        if progress is not None:
            progress(done, len(kept))
    known = tuple(wanted[number] for number in kept)
    return SenseVectors(known, read_only(vectors), len(wanted) - len(kept))


def _pieces(
    bert: "Bert", occurrences: tuple[Occurrence, ...]
) -> tuple[list[TokenizedText], list[list[tuple[int, ...]]], list[list[int]]]:
    """Each sentence once as tokens, the pieces of its words, and the numbers of the occurrences."""
    sentences: dict[str, list[int]] = {}
    for number, occurrence in enumerate(occurrences):
        sentences.setdefault(occurrence.sentence, []).append(number)
    texts, words, numbers = [], [], []
    for sentence, inside in sentences.items():
        text = tokenize(bert, sentence)
        pieces, kept = [], []
        for number in inside:
            span = MarkedText(sentence, occurrences[number].start, occurrences[number].end)
            try:
                pieces.append(pieces_of(span, text))
            except UserInputError:  # beyond the cut or unreadable: counted as left out
                continue
            kept.append(number)
        texts.append(text)
        words.append(pieces)
        numbers.append(kept)
    return texts, words, numbers
