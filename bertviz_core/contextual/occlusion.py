"""Which other words of a sentence decide a word's vector: take each away, and compare."""

from bisect import bisect
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.contextual import WordInContext, similarity_by_layer
from bertviz_core.contextual.word_vectors import Pooling, pooled
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.result import Readable
from bertviz_core.tokens import TokenizedText

Removal = Literal["mask", "drop"]
REMOVALS: tuple[Removal, ...] = ("mask", "drop")
MAX_WORDS = 60
MAX_TOKENS = 8192  # of all changed sentences together: a small machine runs them in some seconds


@dataclass(frozen=True)
class OtherWord:
    """Another word of the sentence than the one followed, and the positions of its pieces."""

    word: str
    positions: tuple[int, ...]

    def gap(self, to: tuple[int, ...]) -> int:
        """The distance in tokens to the word at the positions `to`; 1 for a neighbour."""
        return min(abs(self.positions[0] - to[-1]), abs(to[0] - self.positions[-1]))


@dataclass(frozen=True, eq=False, repr=False)
class OccludedContexts(Readable):
    """The vectors of a word after each other word of its sentence was taken away in turn."""

    others: tuple[OtherWord, ...]  # n of them, in the order of the sentence
    total: int  # how many the sentence has; more than n where some were left out
    vectors: Array  # float32 (n, layers + 1, hidden_size), read-only; [i] is without others[i]


def occluded_contexts(
    encoder: Encoder, word: WordInContext, removal: Removal = "mask", pooling: Pooling = "mean"
) -> OccludedContexts:
    """Mask or drop each other word of a sentence in turn, and run all the changed sentences.

    Args:
        encoder: The model that `word` comes from.
        word: The word to follow.
        removal: "mask" puts [MASK], as the model calls it, in place of each piece of the other
            word, so that all others keep their positions; "drop" removes its pieces and
            numbers the positions again.
        pooling: How the pieces of the followed word become one vector.

    Returns:
        The changed vectors for the 60 other words nearest to the followed one, fewer where the
        changed sentences would have more than 8,192 tokens together.

    Raises:
        UserInputError: The sentence has no other word, `removal` is neither of the two, or the
            checkpoint has no such token.

    References:
        Zeiler & Fergus (2014), "Visualizing and Understanding Convolutional Networks", section
        4.2, for hiding one part of the input at a time.

    Example:
        >>> from bertviz_core.contextual import word_in_context
        >>> changed = occluded_contexts(encoder, word_in_context(encoder, "my pet [python]"))
        >>> [other.word for other in changed.others]
        ['my', 'pet']
    """
    if removal not in REMOVALS:
        raise UserInputError(f"“{removal}” is not a change; choose {', '.join(REMOVALS)}.")
    all_others = other_words(word)
    if not all_others:
        raise UserInputError(
            f"The sentence has no word beside “{shortened(word.word)}”; add a context to it."
        )
    room = max(min(MAX_WORDS, MAX_TOKENS // len(word.text)), 1)
    by_gap = sorted(all_others, key=lambda other: other.gap(word.token_positions))
    others = tuple(sorted(by_gap[:room], key=lambda other: other.positions))
    texts = []
    positions = []
    for other in others:
        if removal == "mask":
            texts.append(masked(encoder.bert, word.text, other.positions))
            positions.append(word.token_positions)
        else:
            texts.append(dropped(word.text, other.positions))
            positions.append(tuple(i - bisect(other.positions, i) for i in word.token_positions))
    pieces = encoder.piece_vectors_many(texts, positions)
    vectors = np.stack([pooled(states, pooling) for states in pieces])
    total = len(all_others) + word.text.truncated_words
    return OccludedContexts(others, total, read_only(vectors))


def influence(word: WordInContext, changed: OccludedContexts, anchor: WordInContext) -> Array:
    """Compute how much each other word adds to the similarity to an anchor, or takes from it.

    Args:
        word: The word in its unchanged sentence.
        changed: Its vectors without each other word.
        anchor: What it is compared with; it does not change.

    Returns:
        float32 (num_hidden_layers + 1, n): cosine without the other word minus cosine with it, in
        [-2, 2]. Below zero: the other word draws the followed one towards the anchor.

    Raises:
        UserInputError: The words come from models of different shape.

    Example:
        >>> from bertviz_core.contextual import word_in_context
        >>> pet, snake = (word_in_context(encoder, text) for text in ("my pet [python]", "snake"))
        >>> influence(pet, occluded_contexts(encoder, pet), snake)[6].round(2)  # my, pet
        array([-0.06, -0.14], dtype=float32)
    """
    original = similarity_by_layer(word, anchor)
    return frozen((cosine(changed.vectors, anchor.vectors) - original).T)


def other_words(word: WordInContext) -> tuple[OtherWord, ...]:
    """The other words of a sentence, in order; a word that shares a token with it is left out."""
    text = word.text
    positions_of_word = set(word.token_positions)
    pieces: dict[int, list[int]] = {}
    for position, number in enumerate(text.word_ids):
        if number is not None:
            pieces.setdefault(number, []).append(position)
    others = []
    for positions in pieces.values():
        if not positions_of_word & set(positions):
            start, end = text.offsets[positions[0], 0], text.offsets[positions[-1], 1]
            others.append(OtherWord(word.sentence[start:end], tuple(positions)))
    return tuple(others)


def masked(bert: Bert, text: TokenizedText, positions: tuple[int, ...]) -> TokenizedText:
    """Put the token for it, [MASK], in place of some; all others keep their positions."""
    mask = bert.vocabulary.mask
    if mask is None:
        raise UserInputError(f"{bert.name} has no token such as [MASK]; drop the words instead.")
    ids = text.input_ids.copy()
    ids[list(positions)] = bert.vocabulary.ids[mask]
    tokens = tuple(mask if i in positions else token for i, token in enumerate(text.tokens))
    return replace(text, tokens=tokens, input_ids=read_only(ids))


def dropped(text: TokenizedText, positions: tuple[int, ...]) -> TokenizedText:
    """Take some tokens out; the positions are numbered again."""
    return text.only(np.delete(np.arange(len(text)), list(positions)).tolist())
