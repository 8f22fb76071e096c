"""The content words of the sentences that a model is measured with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.words import pooled
from bertviz_core.encoder import POOLINGS
from bertviz_core.tokens import TokenizedText, tokenize

FUNCTION_WORDS = Path(__file__).parents[1] / "data" / "function_words.txt"
# Letters only, and nothing that belongs to the word beside them: not "didn't", not "half-time".
_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")
MOST_PIECES = 3  # words of three pieces and more are one kind
MOST_WORDS = {1: 300, 2: 150, 3: 150}  # of each number of pieces
SEED = 0


@dataclass(frozen=True)
class ContentWord:
    """The first occurrence of a word in the sentences."""

    word: str
    sentence: int
    positions: tuple[int, ...]
    alone: TokenizedText  # the same word as a text of its own


def function_words() -> frozenset[str]:
    """English words that hold a sentence together, and numbers."""
    return frozenset(FUNCTION_WORDS.read_text(encoding="utf-8").split())


def content_words(
    bert: Bert, sentences: Sequence[str], texts: Sequence[TokenizedText]
) -> dict[int, list[ContentWord]]:
    """Draw content words, by their number of pieces, 1, 2 and 3 (three and more).

    Left out are function words, parts of a compound, and words that the model does not know.
    """
    seen = set(function_words())
    special = bert.vocabulary.is_special
    found: list[tuple[str, int, tuple[int, ...]]] = []
    for number, (sentence, text) in enumerate(zip(sentences, texts, strict=True)):
        for match in _WORD.finditer(sentence):
            if match.group().lower() in seen:
                continue
            seen.add(match.group().lower())
            positions = pieces_of(MarkedText(sentence, *match.span()), text)
            if not special[text.input_ids[list(positions)]].any():
                found.append((match.group(), number, positions))
    drawn: dict[int, list[ContentWord]] = {pieces: [] for pieces in MOST_WORDS}
    for index in np.random.default_rng(SEED).permutation(len(found)):
        word, number, positions = found[index]
        same = drawn[min(len(positions), MOST_PIECES)]
        if len(same) == MOST_WORDS[min(len(positions), MOST_PIECES)]:
            continue
        alone = tokenize(bert, word)
        # A tokenizer that is not BERT's may cut a word in another way without its neighbours.
        own = tuple(texts[number].tokens[position] for position in positions)
        if alone.tokens[1:-1] == own:
            same.append(ContentWord(word, number, positions, alone))
    return drawn


def poolings_of(pieces: int) -> tuple[str, ...]:
    """The poolings that differ for a word of so many pieces; "" where there is nothing to pool."""
    return POOLINGS if pieces > 1 else ("",)


def pooled_ways(vectors: Array) -> Array:
    """Join a word's pieces, (layers, pieces, hidden_size), as `poolings_of` says."""
    if vectors.shape[1] == 1:
        return vectors
    return frozen(np.stack([pooled(vectors, pooling) for pooling in POOLINGS], axis=1))
