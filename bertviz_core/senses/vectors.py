"""The vectors of many occurrences at all layers, in one run of the model."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import Occurrence
from bertviz_core.tokens import TokenizedText, tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.encoder import Encoder

Array = NDArray[np.float32]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class SenseVectors:
    """Occurrences of a word and their vectors.

    Attributes:
        occurrences: n occurrences whose word BERT reads.
        vectors: float32 (n, num_hidden_layers + 1, hidden_size), read-only; [:, 0] holds input
            embeddings, [:, l] stands after layer l.
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
        turn: Entered around each batch: whoever shares the model may run between two of them.

    Returns:
        The occurrences in their order, with their vectors; all that is kept of a batch.

    Raises:
        UserInputError: The pooling is unknown.
    """
    if pooling not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")
    asked = tuple(occurrences)
    texts, words, places = _pieces(encoder.bert, asked)
    kept = sorted(place for inside in places for place in inside)
    row_of = {place: row for row, place in enumerate(kept)}
    rows = [row_of[place] for inside in places for place in inside]
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
    vectors.setflags(write=False)
    return SenseVectors(tuple(asked[i] for i in kept), vectors, len(asked) - len(kept))


def _pieces(
    bert: "Bert", occurrences: tuple[Occurrence, ...]
) -> tuple[list[TokenizedText], list[list[tuple[int, ...]]], list[list[int]]]:
    """Each sentence once as tokens, the pieces of its words, and the places of these."""
    sentences: dict[str, list[int]] = {}
    for place, occurrence in enumerate(occurrences):
        sentences.setdefault(occurrence.sentence, []).append(place)
    texts, words, places = [], [], []
    for sentence, inside in sentences.items():
        text = tokenize(bert, sentence)
        found, kept = [], []
        for place in inside:
            span = MarkedText(sentence, occurrences[place].start, occurrences[place].end)
            try:
                found.append(pieces_of(span, text))
            except UserInputError:  # beyond the cut or unreadable: counted as left out
                continue
            kept.append(place)
        texts.append(text)
        words.append(found)
        places.append(kept)
    return texts, words, places
