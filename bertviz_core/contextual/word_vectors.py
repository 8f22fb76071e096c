"""A word in its sentence: one vector for every layer, and how alike two of them are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen
from bertviz_core.contextual.marks import MarkedText, pieces_of, read_mark
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, expect, expect_each
from bertviz_core.result import Result, cut
from bertviz_core.tokens import TokenizedText, tokenize

Pooling = Literal["mean", "first", "last", "max"]
POOLINGS: tuple[Pooling, ...] = ("mean", "first", "last", "max")
BESIDE = 3  # tokens on each side of a word


@dataclass(frozen=True, eq=False, repr=False)
class WordInContext(Result):
    """The vectors of one word in one sentence.

    Attributes:
        word: The word as it was typed.
        sentence: The sentence without its mark.
        text: The sentence as tokens.
        tokens: The pieces of the word.
        token_positions: Their positions in `text`, counted from [CLS] = 0.
        vectors: float32 (num_hidden_layers + 1, hidden_size), read-only; [0] is the word's input
            embedding, [n] its vector after layer n; the pieces joined by the chosen pooling.
        pieces: float32 (num_hidden_layers + 1, number of pieces, hidden_size), read-only; the
            vectors of its pieces, from which `vectors` was pooled.
        others: float32 (num_hidden_layers + 1, hidden_size), read-only; the mean vector of the
            sentence's other tokens, without [CLS] and [SEP]. NaN if it has no other token.
        beside: The same of the nearest three tokens on each side of the word.
    """

    word: str
    sentence: str
    text: TokenizedText
    tokens: tuple[str, ...]
    token_positions: tuple[int, ...]
    vectors: Array
    pieces: Array
    others: Array
    beside: Array

    @cached_property
    def alone(self) -> bool:
        """Whether the word is its whole sentence."""
        return len(self.tokens) == len(self.text) - 2

    @cached_property
    def span(self) -> tuple[str, int, int]:
        """Its sentence, the first character of its tokens and one past their last."""
        spans = self.text.offsets[list(self.token_positions)]
        return self.sentence, int(spans[0, 0]), int(spans[-1, 1])

    def columns(self) -> dict[str, Any]:
        """One row a layer, one column a dimension (wide form)."""
        columns = {str(dimension): numbers for dimension, numbers in enumerate(self.vectors.T)}
        return {"layer": np.arange(len(self.vectors)), **columns}

    def _summary(self) -> str:
        layers, hidden_size = self.vectors.shape
        return (
            f"{cut(self.word)} in {cut(self.sentence)}, {self.text.checkpoint}: "
            f"{' '.join(self.tokens)} at {', '.join(map(str, self.token_positions))}, "
            f"layers 0 to {layers - 1} x {hidden_size:,}"
        )


def word_in_context(encoder: Encoder, marked: str, pooling: Pooling = "mean") -> WordInContext:
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

    Example:
        >>> word = word_in_context(encoder, "I love my pet [python]")
        >>> word.tokens, word.vectors.shape
        (('python',), (7, 384))
    """
    check_pooling(pooling)
    return words_of_marks(encoder, [read_mark(marked)], pooling)[0]


def words_in_context(
    encoder: Encoder, marked: Iterable[str], pooling: Pooling = "mean"
) -> list[WordInContext]:
    """`word_in_context` for several sentences, in one run of the model."""
    check_pooling(pooling)
    sentences = expect_each(marked, str, "a list of sentences, each a str with a marked word")
    return words_of_marks(encoder, [read_mark(sentence) for sentence in sentences], pooling)


def words_of_marks(
    encoder: Encoder,
    words: Sequence[MarkedText],
    pooling: Pooling = "mean",
    tokenized: Mapping[str, TokenizedText] = MappingProxyType({}),
) -> list[WordInContext]:
    """`word_in_context` for words whose marks were read, in one run of the model.

    `tokenized` holds texts that were tokenized before.
    """
    expect(encoder, Encoder, "an Encoder, from load_encoder")
    texts = {
        sentence: tokenized.get(sentence) or tokenize(encoder.bert, sentence)
        for sentence in dict.fromkeys(marked.text for marked in words)
    }
    numbers: dict[str, list[int]] = {}  # of the words of each text
    for number, mark in enumerate(words):
        numbers.setdefault(mark.text, []).append(number)
    positions = [pieces_of(mark, texts[mark.text]) for mark in words]
    in_context: dict[int, WordInContext] = {}
    sentences = list(texts)
    for index, states in encoder.iter_texts(list(texts.values())):
        sentence = sentences[index]
        for number in numbers[sentence]:
            pieces = frozen(states[:, list(positions[number])])
            in_context[number] = WordInContext(
                word=words[number].word,
                sentence=sentence,
                text=texts[sentence],
                tokens=tuple(texts[sentence].tokens[i] for i in positions[number]),
                token_positions=positions[number],
                vectors=pooled(pieces, pooling),
                pieces=pieces,
                others=mean_of_others(states, positions[number]),
                beside=mean_of_others(states, positions[number], BESIDE),
            )
    return [in_context[number] for number in range(len(words))]


def mean_of_others(states: Array, positions: tuple[int, ...], nearest: int | None = None) -> Array:
    """The mean over a text's tokens but those of a word, [CLS] and [SEP]: (layers, hidden_size)."""
    first, last = 1, states.shape[1] - 1
    if nearest is not None:
        first = max(first, positions[0] - nearest)
        last = min(last, positions[-1] + 1 + nearest)
    others = [at for at in range(first, last) if at not in positions]
    if not others:
        return frozen(np.full_like(states[:, 0], np.nan))
    return frozen(states[:, others].mean(axis=1, dtype=np.float64))


def similarity_by_layer(a: WordInContext, b: WordInContext) -> Array:
    """Compare two words layer by layer.

    Args:
        a: A word of a model.
        b: Another one of the same model, in the same sentence or in another.

    Returns:
        float32 (num_hidden_layers + 1,), cosines in [-1, 1]; [0] compares input embeddings.

    Raises:
        UserInputError: The words come from models of different shape.

    Example:
        >>> pet = word_in_context(encoder, "I love my pet [python]")
        >>> similarity_by_layer(pet, word_in_context(encoder, "snake"))[[0, 6]].round(2)
        array([0.34, 0.51], dtype=float32)
    """
    check_one_model([a, b])
    return cosine(a.vectors, b.vectors).astype(np.float32)


def check_one_model(words: Iterable[WordInContext]) -> None:
    """Raise a UserInputError unless all words have vectors of one shape."""
    checked = expect_each(words, WordInContext, "words, each from word_in_context")
    if len(shapes := {word.vectors.shape for word in checked}) > 1:
        raise UserInputError(
            f"The words have vectors of shape {' and '.join(map(str, sorted(shapes)))}; "
            "compare words of one model."
        )


def check_pooling(pooling: str) -> None:
    """Raise a UserInputError for a pooling that is not one of `POOLINGS`."""
    if expect(pooling, str, "a pooling as a str") not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")


def pooled(pieces: Array, pooling: Pooling) -> Array:
    """Join the pieces of a word, (layers, pieces, hidden_size): float32 (layers, hidden_size)."""
    if pooling == "first":
        return frozen(pieces[:, 0])
    if pooling == "last":
        return frozen(pieces[:, -1])
    if pooling == "max":
        return frozen(pieces.max(axis=1))
    return frozen(pieces.mean(axis=1, dtype=np.float64))


def piece_similarity(word: WordInContext) -> Array:
    """The mean cosine between the pieces of one word, at least two: float32 (layers,)."""
    first, second = np.triu_indices(word.pieces.shape[1], 1)
    return frozen(cosine(word.pieces[:, first], word.pieces[:, second]).mean(axis=1))


def compare_poolings(pairs: Sequence[tuple[WordInContext, WordInContext]]) -> Array:
    """Cosines of n pairs of words under each of `POOLINGS`: float32 (4, layers, n)."""
    return frozen(
        [
            np.transpose([cosine(pooled(a.pieces, way), pooled(b.pieces, way)) for a, b in pairs])
            for way in POOLINGS
        ]
    )
