"""A word in its sentence: one vector for every layer, and how alike two of them are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError
from bertviz_core.marks import MarkedText, read_mark
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
    """

    word: str
    sentence: str
    text: TokenizedText
    tokens: tuple[str, ...]
    token_positions: tuple[int, ...]
    vectors: Array


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
    if pooling not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")
    sentences = [read_mark(sentence) for sentence in marked]
    texts = [tokenize(encoder.bert, sentence.text) for sentence in sentences]
    pieces = [pieces_of(sentence, text) for sentence, text in zip(sentences, texts, strict=True)]
    states = encoder.hidden_states_many(texts)
    return [
        WordInContext(
            word=sentence.word,
            sentence=sentence.text,
            text=text,
            tokens=tuple(text.tokens[i] for i in positions),
            token_positions=positions,
            vectors=_pool(layers[:, list(positions)], pooling),
        )
        for sentence, text, positions, layers in zip(sentences, texts, pieces, states, strict=True)
    ]


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


def _pool(pieces: Array, pooling: Pooling) -> Array:
    """Join (layers, pieces, hidden) into (layers, hidden)."""
    if pooling == "first":
        pooled = pieces[:, 0]
    elif pooling == "last":
        pooled = pieces[:, -1]
    elif pooling == "max":
        pooled = pieces.max(axis=1)
    else:
        pooled = pieces.mean(axis=1, dtype=np.float64).astype(np.float32)
    pooled = np.ascontiguousarray(pooled)
    pooled.setflags(write=False)
    return pooled
