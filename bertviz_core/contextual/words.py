"""A word in its sentence: one vector for every layer, and how alike two of them are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.contextual.marks import MarkedText, read_mark, read_marks
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText, tokenize

if TYPE_CHECKING:
    from bertviz_core.encoder import Encoder

Array = NDArray[np.float32]
Pooling = Literal["mean", "first", "last", "max"]
POOLINGS: tuple[Pooling, ...] = ("mean", "first", "last", "max")


@dataclass(frozen=True, eq=False)
class WordInContext:
    """The vectors of one word in one sentence.

    Attributes:
        word: The word as it was typed.
        sentence: The sentence without its mark.
        text: The sentence as tokens.
        tokens: The pieces of the word.
        token_positions: Where they stand in `text`, counted from [CLS] = 0.
        vectors: float32 (num_hidden_layers + 1, hidden_size), read-only; [0] is the word's input
            embedding, [n] its vector after layer n; the pieces joined by the chosen pooling.
        pieces: float32 (num_hidden_layers + 1, number of pieces, hidden_size), read-only; the
            vectors of its pieces, from which `vectors` was pooled.
    """

    word: str
    sentence: str
    text: TokenizedText
    tokens: tuple[str, ...]
    token_positions: tuple[int, ...]
    vectors: Array
    pieces: Array


def word_in_context(encoder: "Encoder", marked: str, pooling: Pooling = "mean") -> WordInContext:
    """Follow one word of a sentence through all layers.

    Args:
        encoder: The model to run.
        marked: A sentence with the word in brackets, `I love my pet [python]`; or one word.
        pooling: How the pieces of a word become one vector: their "mean", the "first", the
            "last", or in each dimension the "max".

    Returns:
        The word's vector at every layer.

    Raises:
        UserInputError: No word or several are marked, the word leaves no token, it lies beyond
            the tokens the model can take, or the pooling is unknown.

    References:
        Bommasani et al. (2020), "Interpreting Pretrained Contextualized Representations via
        Reductions to Static Embeddings", for pooling over pieces.
    """
    return words_in_context(encoder, [marked], pooling)[0]


def words_in_context(
    encoder: "Encoder", marked: Sequence[str], pooling: Pooling = "mean"
) -> list[WordInContext]:
    """Do `word_in_context` for several sentences in one length-sorted run of the model."""
    return _followed(encoder, [read_mark(sentence) for sentence in marked], pooling)


def marked_words_in_context(
    encoder: "Encoder",
    marked: Sequence[str],
    pooling: Pooling = "mean",
    most: int | None = None,
) -> list[WordInContext]:
    """Follow all marked words of several sentences: `A [bank] by the other [bank]` has two.

    Args:
        encoder: The model to run.
        marked: Sentences with one or more words in brackets; or of one word.
        pooling: As for `word_in_context`.
        most: How many words to follow at most, from the first; None for all.

    Returns:
        One entry a mark, sentence by sentence and from left to right. Words of one sentence come
        from one and the same run of it.

    Raises:
        UserInputError: As for `word_in_context`, but for several marks.
    """
    found = [
        word for sentence in marked for word in (read_marks(sentence) or [read_mark(sentence)])
    ]
    return _followed(encoder, found[:most], pooling)


def _followed(
    encoder: "Encoder", sentences: Sequence[MarkedText], pooling: Pooling
) -> list[WordInContext]:
    if pooling not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")
    texts = {
        sentence: tokenize(encoder.bert, sentence)
        for sentence in dict.fromkeys(marked.text for marked in sentences)
    }
    places = [pieces_of(marked, texts[marked.text]) for marked in sentences]
    pieces = piece_vectors(encoder, [texts[marked.text] for marked in sentences], places)
    return [
        WordInContext(
            word=marked.word,
            sentence=marked.text,
            text=texts[marked.text],
            tokens=tuple(texts[marked.text].tokens[i] for i in positions),
            token_positions=positions,
            vectors=pooled(vectors, pooling),
            pieces=vectors,
        )
        for marked, positions, vectors in zip(sentences, places, pieces, strict=True)
    ]


def piece_vectors(
    encoder: "Encoder", texts: Sequence[TokenizedText], places: Sequence[Sequence[int]]
) -> list[Array]:
    """Run texts and keep the vectors of one word's pieces of each.

    Args:
        encoder: The model to run.
        texts: n texts; one that stands there several times is run once.
        places: For each the positions of the word's pieces.

    Returns:
        n arrays, float32 (num_hidden_layers + 1, number of pieces, hidden_size), read-only.
    """
    once = list({id(text): text for text in texts}.values())
    number = {id(text): i for i, text in enumerate(once)}
    wanted: list[list[tuple[int]]] = [[] for _ in once]
    rows: list[tuple[int, slice]] = []
    for text, positions in zip(texts, places, strict=True):
        kept = wanted[number[id(text)]]
        rows.append((number[id(text)], slice(len(kept), len(kept) + len(positions))))
        kept += [(position,) for position in positions]
    first = np.cumsum([0, *map(len, wanted)])
    vectors = encoder.word_vectors_many(once, wanted)  # (pieces of all texts, layers, hidden)
    found = []
    for text_number, inside in rows:
        start = first[text_number]
        piece = vectors[start + inside.start : start + inside.stop].swapaxes(0, 1)
        found.append(_frozen(piece))
    return found


def pieces_of(sentence: MarkedText, text: TokenizedText) -> tuple[int, ...]:
    """Find the tokens that share a character with the marked word.

    Args:
        sentence: The sentence and the word's span of characters.
        text: The same sentence as tokens.

    Returns:
        The places of the word's pieces in `text`, rising.

    Raises:
        UserInputError: The word has no token, or lies wholly or partly beyond the cut.
    """
    starts, ends = text.offsets.T
    inside = (starts < sentence.end) & (ends > sentence.start) & (ends > starts)
    if text.truncated and sentence.end > ends.max():
        raise UserInputError(
            f"“{sentence.word}” lies beyond the {len(text)} tokens the model can take; "
            f"{text.truncated} were left out. Shorten the sentence before it."
        )
    if not inside.any():
        raise UserInputError(f"“{sentence.word}” holds no character that BERT reads.")
    return tuple(int(i) for i in np.flatnonzero(inside))


def similarity_by_layer(a: WordInContext, b: WordInContext) -> Array:
    """Compare two words layer by layer.

    Returns:
        float32 (num_hidden_layers + 1,), cosines in [-1, 1]; [0] compares input embeddings.

    Raises:
        UserInputError: The words come from models of different shape.
    """
    if a.vectors.shape != b.vectors.shape:
        raise UserInputError(
            f"The words have vectors of shape {a.vectors.shape} and {b.vectors.shape}; "
            "compare words of one model."
        )
    return np.array(
        [_cosines(x[None], y[None])[0, 0] for x, y in zip(a.vectors, b.vectors, strict=True)],
        dtype=np.float32,
    )


def similarity_matrix(words: Sequence[WordInContext], layer: int) -> Array:
    """Compare every word with every other at one layer.

    Args:
        words: n words of one model.
        layer: 0 (input embedding) to num_hidden_layers.

    Returns:
        float32 (n, n), cosines in [-1, 1], ones on the diagonal.
    """
    vectors = np.stack([word.vectors[layer] for word in words])
    return _cosines(vectors, vectors)


def _cosines(a: Array, b: Array) -> Array:
    exact_a, exact_b = a.astype(np.float64), b.astype(np.float64)
    lengths = np.outer(np.linalg.norm(exact_a, axis=1), np.linalg.norm(exact_b, axis=1))
    dots = exact_a @ exact_b.T
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return np.clip(cosines, -1, 1).astype(np.float32)


def pooled(pieces: Array, pooling: Pooling) -> Array:
    """Join the pieces of a word.

    Args:
        pieces: (layers, number of pieces, hidden_size).
        pooling: "mean", "first", "last" or "max".

    Returns:
        float32 (layers, hidden_size), read-only.
    """
    if pooling == "first":
        joined = pieces[:, 0]
    elif pooling == "last":
        joined = pieces[:, -1]
    elif pooling == "max":
        joined = pieces.max(axis=1)
    else:
        joined = pieces.mean(axis=1, dtype=np.float64).astype(np.float32)
    return _frozen(joined)


def _frozen(values: Array) -> Array:
    """A contiguous read-only copy, so that it keeps no larger array alive."""
    array: Array = np.array(values, dtype=np.float32, order="C")
    array.setflags(write=False)
    return array
