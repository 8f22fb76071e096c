"""Which other word of a sentence makes a word's vector what it is: take each away and look."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.contextual import WordInContext, similarity_by_layer
from bertviz_core.contextual.words import Pooling, piece_vectors, pooled
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.encoder import Encoder

Array = NDArray[np.float32]
Change = Literal["mask", "drop"]
CHANGES: tuple[Change, ...] = ("mask", "drop")
MASK = "[MASK]"
MOST_WORDS = 60
# Tokens of all changed sentences together: what a small machine runs in some seconds.
MOST_TOKENS = 8192


@dataclass(frozen=True)
class OtherWord:
    """A word of the sentence that is not the one followed.

    Attributes:
        word: As BERT's tokenizer cuts a sentence into words: signs stand alone.
        positions: Where its pieces stand in the unchanged text.
    """

    word: str
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ChangedContexts:
    """The vectors of a word after each other word of its sentence was taken away in turn.

    Attributes:
        change: "mask" or "drop".
        others: n other words, in the order of the sentence.
        total: How many other words the sentence has; more than n where some were left out.
        vectors: float32 (n, num_hidden_layers + 1, hidden_size), read-only; [i] is the word's
            vector without others[i].
    """

    change: Change
    others: tuple[OtherWord, ...]
    total: int
    vectors: Array


def changed_contexts(
    encoder: "Encoder",
    word: WordInContext,
    change: Change = "mask",
    pooling: Pooling = "mean",
) -> ChangedContexts:
    """Mask or drop each other word of a sentence in turn, and run all that come of it.

    Args:
        encoder: The model that `word` comes from.
        word: The word to follow.
        change: "mask" puts [MASK] in place of each piece of the other word, so that all others
            keep their positions; "drop" removes its pieces and counts positions anew.
        pooling: How the pieces of the followed word become one vector.

    Returns:
        The changed vectors for the 60 other words nearest to the followed one, fewer where the
        changed sentences would have more than 8,192 tokens together.

    Raises:
        UserInputError: The sentence has no other word, or there is no such change.

    References:
        Zeiler & Fergus (2014), "Visualizing and Understanding Convolutional Networks", section
        4.2, for hiding one part of the input at a time.
    """
    if change not in CHANGES:
        raise UserInputError(f"There is no change “{change}”; choose {', '.join(CHANGES)}.")
    everything = other_words(word)
    if not everything:
        raise UserInputError(
            f"“{word.sentence.strip()}” has no word beside “{word.word}”; add a context to it."
        )
    room = max(min(MOST_WORDS, MOST_TOKENS // len(word.text)), 1)
    others = _nearest(everything, word.token_positions, room)
    texts, places = [], []
    for other in others:
        if change == "mask":
            texts.append(masked(encoder.bert, word.text, other.positions))
            places.append(word.token_positions)
        else:
            texts.append(dropped(word.text, other.positions))
            places.append(
                tuple(i - sum(gone < i for gone in other.positions) for i in word.token_positions)
            )
    vectors = np.stack([pooled(v, pooling) for v in piece_vectors(encoder, texts, places)])
    vectors.setflags(write=False)
    return ChangedContexts(change, others, len(everything), vectors)


def influence(word: WordInContext, changed: ChangedContexts, anchor: WordInContext) -> Array:
    """Tell how much similarity to an anchor each other word brings or takes.

    Args:
        word: The word in its unchanged sentence.
        changed: Its vectors without each other word.
        anchor: What it is compared with; it stays as it is.

    Returns:
        float32 (num_hidden_layers + 1, n): cosine without the other word minus cosine with it, in
        [-2, 2]. Below zero: the other word draws the followed one towards the anchor.

    Raises:
        UserInputError: The words come from models of different shape.
    """
    original = similarity_by_layer(word, anchor)
    without = [
        similarity_by_layer(replace(word, vectors=vectors), anchor) for vectors in changed.vectors
    ]
    return np.stack(without, axis=1) - original[:, None]


def other_words(word: WordInContext) -> tuple[OtherWord, ...]:
    """List the other words of a sentence, in its order.

    A word that shares a token or a tokenizer's word with the followed one is no other word.

    Args:
        word: The word followed.

    Returns:
        Words as the tokenizer cuts them; [CLS] and [SEP] are none.
    """
    text, own = word.text, set(word.token_positions)
    pieces: dict[int, list[int]] = {}
    for position, number in enumerate(text.word_ids):
        if number is not None:
            pieces.setdefault(number, []).append(position)
    found = []
    for positions in pieces.values():
        if not own & set(positions):
            start, end = text.offsets[positions[0], 0], text.offsets[positions[-1], 1]
            found.append(OtherWord(word.sentence[start:end], tuple(positions)))
    return tuple(found)


def masked(bert: "Bert", text: TokenizedText, positions: tuple[int, ...]) -> TokenizedText:
    """Put [MASK] in place of some tokens; all else stays where it is.

    Raises:
        UserInputError: The checkpoint has no [MASK].
    """
    mask = bert.vocabulary.ids.get(MASK)
    if mask is None:
        raise UserInputError(
            f"The vocabulary of {bert.name} has no {MASK}; drop the words instead."
        )
    places = list(positions)
    ids = text.input_ids.copy()
    ids[places] = mask
    ids.setflags(write=False)
    tokens = tuple(MASK if i in positions else token for i, token in enumerate(text.tokens))
    return replace(text, tokens=tokens, input_ids=ids)


def dropped(text: TokenizedText, positions: tuple[int, ...]) -> TokenizedText:
    """Take some tokens out; the positions are counted anew."""
    kept = np.delete(np.arange(len(text)), list(positions))
    return replace(
        text,
        tokens=tuple(text.tokens[i] for i in kept),
        input_ids=_frozen(text.input_ids[kept]),
        token_type_ids=_frozen(text.token_type_ids[kept]),
        position_ids=_frozen(np.arange(len(kept))),
        attention_mask=_frozen(text.attention_mask[kept]),
        offsets=_frozen(text.offsets[kept]),
        word_ids=tuple(text.word_ids[i] for i in kept),
    )


def _nearest(
    others: tuple[OtherWord, ...], own: tuple[int, ...], most: int
) -> tuple[OtherWord, ...]:
    """The `most` words nearest to the pieces of the followed one, in the order of the sentence."""

    def gap(other: OtherWord) -> int:
        return min(abs(other.positions[0] - own[-1]), abs(own[0] - other.positions[-1]))

    near = sorted(range(len(others)), key=lambda i: (gap(others[i]), i))[:most]
    return tuple(others[i] for i in sorted(near))


def _frozen(values: NDArray[np.int64]) -> NDArray[np.int64]:
    array = values.astype(np.int64)
    array.setflags(write=False)
    return array
