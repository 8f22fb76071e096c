"""The vectors of many occurrences at all layers, in one run of the model."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.word_vectors import Pooling, check_pooling, mean_of_others, pooled
from bertviz_core.encoder import Encoder, Turn
from bertviz_core.errors import UserInputError, expect_each
from bertviz_core.result import Readable
from bertviz_core.senses.occurrences import Occurrence
from bertviz_core.senses.scores import sampled
from bertviz_core.tokens import tokenize


@dataclass(frozen=True, eq=False, repr=False)
class SenseVectors(Readable):
    """Occurrences of a word and their vectors."""

    occurrences: tuple[Occurrence, ...]
    vectors: Array  # float32 (n, num_hidden_layers + 1, hidden_size), read-only; [:, 0] are inputs
    left_out: int  # how many the model cannot read: beyond its last token, or without a token
    # Of those that `sense_scores` compares, by row: the mean vector of the sentence's other tokens,
    # without [CLS] and [SEP], float32 (num_hidden_layers + 1, hidden_size). A file has none.
    others: Mapping[int, Array] = field(default_factory=dict)


def sense_vectors(
    encoder: Encoder,
    occurrences: Iterable[Occurrence],
    pooling: Pooling = "mean",
    *,
    progress: Callable[[int, int], object] = lambda done, total: None,
    turn: Turn = nullcontext,
) -> SenseVectors:
    """Run the sentences of many occurrences through the model, each sentence once.

    Args:
        encoder: The model to run.
        occurrences: From `find_occurrences`.
        pooling: How the pieces of a word become one vector: "mean", "first", "last" or "max".
        progress: Called after each text with how many occurrences are done, and how many there are.
        turn: Entered for each batch, so that others may use the model between two batches.

    Returns:
        The occurrences in their order, with their vectors.

    Raises:
        UserInputError: The pooling is unknown.

    Example:
        >>> from bertviz_core.senses import prepared_set
        >>> sense_vectors(encoder, prepared_set("bank").occurrences).vectors.shape
        (28, 7, 384)
    """
    check_pooling(pooling)
    source = "a list of Occurrences, such as find_occurrences(lines, word).occurrences"
    all_of_them = tuple(expect_each(occurrences, Occurrence, source))
    sentences = list(dict.fromkeys(occurrence.sentence for occurrence in all_of_them))
    texts = dict(zip(sentences, tokenize(encoder.bert, sentences), strict=True))
    readable: list[Occurrence] = []
    words: list[tuple[int, ...]] = []
    for occurrence in all_of_them:
        span = MarkedText(occurrence.sentence, occurrence.start, occurrence.end)
        try:
            words.append(pieces_of(span, texts[occurrence.sentence]))
        except UserInputError:  # beyond the last token, or unreadable
            continue
        readable.append(occurrence)
    rows_of: dict[str, list[int]] = {}
    for row, one in enumerate(readable):
        rows_of.setdefault(one.sentence, []).append(row)
    to_score = {*sampled([row for row, one in enumerate(readable) if one.sense is not None])}
    layers = encoder.bert.num_hidden_layers + 1
    vectors = np.empty((len(readable), layers, encoder.bert.hidden_size), np.float32)
    others: dict[int, Array] = {}
    run = [texts[sentence] for sentence in rows_of]
    rows_of_texts = list(rows_of.values())
    done = 0
    for number, states in encoder.iter_texts(run, turn=turn):
        for row in rows_of_texts[number]:
            vectors[row] = pooled(states[:, list(words[row])], pooling)
            if row in to_score and len(words[row]) < len(run[number]) - 2:
                others[row] = mean_of_others(states, words[row])
        done += len(rows_of_texts[number])
        progress(done, len(readable))
    left_out = len(all_of_them) - len(readable)
    return SenseVectors(tuple(readable), read_only(vectors), left_out, others)
