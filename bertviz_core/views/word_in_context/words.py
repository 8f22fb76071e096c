"""The words that the page compares and all their cosines, shared by its views."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine
from bertviz_core.calibration import Calibration, Scales
from bertviz_core.calibration.percentiles import cosine_columns
from bertviz_core.calibration.same_sense import Line, found_pair_line, same_sense_line
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.leans import lean
from bertviz_core.contextual.marks import MarkedText, around, read_mark, read_marks
from bertviz_core.contextual.nouns import best_pair, noun_vectors, telling_apart
from bertviz_core.contextual.words import similarity_matrix, words_of_marks
from bertviz_core.encoder import Encoder, Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.shared import once
from bertviz_core.views.fields import Listed

PAGE = "Word in Context"
MOST_WORDS = 12  # of the sentences
OFFERED = 3  # nouns for each word


@dataclass(frozen=True)
class Comparison:
    """What the page compares, as plain values."""

    # With marks: "I love my pet [python]". The first 12 marked words are compared.
    sentences: tuple[str, ...]
    anchors: tuple[str, ...] = ()  # words to compare them with, each alone between [CLS] and [SEP]
    pooling: Pooling = "mean"  # how the pieces of a word become one vector
    searched: bool = False  # whether the anchors are nouns that were found, not chosen

    @cached_property
    def marked(self) -> list[MarkedText]:
        """All marked words; of a sentence without a mark its only word."""
        return [mark for one in self.sentences for mark in read_marks(one) or [read_mark(one)]]

    @property
    def words(self) -> list[str]:
        """Short names of the words that are compared: "1 python"."""
        return [f"{i} {one.word}" for i, one in enumerate(self.marked[:MOST_WORDS], start=1)]

    @property
    def names(self) -> list[str]:
        """The same, then the anchors; all different."""
        names = self.words
        for anchor in self.anchors:
            while anchor in names:
                anchor += " (anchor)"
            names.append(anchor)
        return names

    @property
    def groups(self) -> list[list[int]]:
        """Numbers of the words that are one and the same, group by group."""
        found: dict[str, list[int]] = {}
        for number, one in enumerate(self.marked[:MOST_WORDS]):
            found.setdefault(one.word.casefold(), []).append(number)
        return list(found.values())

    def made(self, layer: int) -> dict[str, str | int]:
        """How all numbers at a layer were made, for what is saved."""
        return {"layer": layer, "pooling": self.pooling}

    def followed(self, target: str) -> int:
        """Number of a word in `words`; the first, if the name is not there."""
        return self.words.index(target) if target in self.words else 0

    def others(self, target: str) -> list[int]:
        """What a word can be compared with, as numbers in `names`: what was chosen first."""
        count, number = len(self.words), self.followed(target)
        anchors, words = range(count, len(self.names)), [i for i in range(count) if i != number]
        return [*words, *anchors] if self.searched else [*anchors, *words]

    def pair(self, target: str, against: str) -> tuple[int, int]:
        """A word and what it is compared with, as numbers in `names`."""
        named = {self.names[other]: other for other in self.others(target)}
        return self.followed(target), named.get(against, next(iter(named.values())))


TARGET = Listed(
    "Word to follow",
    lambda comparison: comparison.words,
    about="the word that is followed",
    when=lambda comparison: len(comparison.words) > 1,
)
AGAINST = Listed(
    "Similarity to",
    lambda comparison, target: [comparison.names[i] for i in comparison.others(target)],
    about="what it is compared with",
    when=lambda comparison, target: len(comparison.others(target)) > 1,
)


@dataclass(frozen=True, eq=False)
class Compared:
    """The words as vectors, and their cosines."""

    comparison: Comparison  # what was asked for
    words: list[WordInContext]  # the marked words, sentence by sentence
    anchors: list[WordInContext]  # the anchor words
    cosines: Array  # float32 (n, n, layers), of words then anchors, each with each
    leans: Array  # float32 (words, anchors, layers); see `contextual.leans`
    # The percentile scales of the model; None where it was not measured.
    scales: Scales | None = None

    @property
    def everything(self) -> list[WordInContext]:
        """Words, then anchors."""
        return [*self.words, *self.anchors]

    @property
    def names(self) -> list[str]:
        return self.comparison.names

    @cached_property
    def to_input(self) -> Array:
        """Cosines of the words with their own input embeddings: float32 (words, layers)."""
        curves = [cosine(word.vectors, word.vectors[:1]) for word in self.words]
        return np.stack(curves).astype(np.float32)

    def scale(self, first: int, second: int, pooling: Pooling | None = None) -> Calibration | None:
        """The percentile scale of a pair: of words of as many pieces, pooled in the same way."""
        words = self.everything[first], self.everything[second]
        if self.scales is None or first == second:
            return None
        alone = [word.alone for word in words]
        if all(alone):
            return None
        # A scale with a word alone has it second.
        pieces = [len(word.tokens) for word in (words[::-1] if alone[0] else words)]
        how = pooling or self.comparison.pooling
        return self.scales.between(pieces[0], pieces[1], how, alone=any(alone))

    @cached_property
    def percentiles(self) -> Exact | None:
        """Of all `cosines`, in the same shape, NaN where a pair has no scale; None without any."""
        if self.scales is None:
            return None
        percentiles = np.full_like(self.cosines, np.nan, dtype=np.float64)
        of_scale: dict[Calibration, list[tuple[int, int]]] = {}
        for pair in np.ndindex(*self.cosines.shape[:2]):
            if (scale := self.scale(*pair)) is not None:
                of_scale.setdefault(scale, []).append(pair)
        for scale, pairs in of_scale.items():
            rows, columns = np.array(pairs).T
            for layer in range(self.cosines.shape[-1]):
                cosines = self.cosines[rows, columns, layer]
                percentiles[rows, columns, layer] = scale.percentiles(cosines, layer)
        return percentiles

    def columns(self, title: str, at: Any) -> dict[str, Any]:
        """A table's columns of some of the cosines, and of their percentiles."""
        return cosine_columns(
            title, self.cosines[at], None if self.percentiles is None else self.percentiles[at]
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each word with each anchor; without anchors, each word with each other one."""
        count = len(self.words)
        if self.anchors:
            return [(i, j) for i in range(count) for j in range(count, len(self.names))]
        return list(combinations(range(count), 2))

    @property
    def pair_names(self) -> list[str]:
        """A name for each of `pairs`: "1 python – snake"."""
        return [f"{self.names[i]} – {self.names[j]}" for i, j in self.pairs]

    @property
    def pair_cosines(self) -> Array:
        """Cosine of each of `pairs` at every layer: float32 (layers, number of pairs)."""
        rows, columns = np.array(self.pairs).T
        cosines: Array = self.cosines[rows, columns].T
        return cosines

    def pair_columns(
        self, title: str, cosines: Array, layer: int, pooling: Pooling | None = None
    ) -> dict[str, Any]:
        """A table's columns of other cosines of `pairs` at a layer, and of their percentiles."""
        scales = [self.scale(i, j, pooling) for i, j in self.pairs]
        percentiles = [
            math.nan if scale is None else scale.percentile(cosine, layer)
            for scale, cosine in zip(scales, cosines.tolist(), strict=True)
        ]
        return cosine_columns(title, cosines, np.array(percentiles))

    def excerpt(self, number: int, longest: int) -> tuple[str, str, str]:
        """A word with what comes before and after it in its sentence; see `marks.around`."""
        return around(*self.words[number].span, longest)

    def sentence(self, number: int, longest: int = 32) -> str:
        """A word's sentence, cut around it; marked where others of the same one are compared."""
        before, word, after = self.excerpt(number, longest)
        text = self.words[number].sentence
        several = sum(other.sentence == text for other in self.words) > 1
        return f"{before}[{word}]{after}" if several else f"{before}{word}{after}"


def compared(
    encoder: Encoder, comparison: Comparison, scales: Scales | None = None, least: int = 2
) -> Compared:
    """Run sentences and anchors through a model; `least` is how many words a view needs."""
    if not comparison.sentences:
        raise UserInputError("Type a sentence, and tap a word of it.")
    if len(comparison.marked) + len(comparison.anchors) < least:
        raise UserInputError("Choose a word to compare with, or type a second sentence.")
    return replace(_compared(encoder, comparison), scales=scales)


@once
def _compared(encoder: Encoder, comparison: Comparison) -> Compared:
    marked, groups = comparison.marked[:MOST_WORDS], comparison.groups
    lone = [marked[group[0]].word for group in groups if len(group) == 1]
    by_themselves = [MarkedText(word, 0, len(word)) for word in (*comparison.anchors, *lone)]
    found = words_of_marks(encoder, [*marked, *by_themselves], comparison.pooling)
    count = len(marked)
    words, anchors = found[:count], found[count : len(found) - len(lone)]
    layers = encoder.bert.num_hidden_layers + 1
    cosines = [similarity_matrix([*words, *anchors], layer) for layer in range(layers)]
    leans, alone = np.zeros((count, len(anchors), layers), np.float32), iter(found[-len(lone) :])
    for group in groups if anchors else []:
        # A word that is there once is compared with the word by itself.
        level = next(alone) if len(group) == 1 else None
        leans[group] = lean([words[number] for number in group], anchors, level)
    return Compared(comparison, words, anchors, np.stack(cosines, axis=-1), leans)


class Offer(NamedTuple):
    """Nouns that tell the words apart."""

    pair: tuple[str, str]  # the two that do it best
    each: list[list[str]]  # those that each word leans to most


@once
def nouns_for(encoder: Encoder, comparison: Comparison) -> Offer:
    """The nouns that tell the words of the first group apart, or one from the word by itself."""
    marked, group = comparison.marked[:MOST_WORDS], comparison.groups[0]
    texts = [marked[number] for number in group]
    if len(group) == 1:
        texts.append(MarkedText(texts[0].word, 0, len(texts[0].word)))
    words, nouns = words_of_marks(encoder, texts, comparison.pooling), noun_vectors(encoder)
    each = telling_apart(words, nouns, OFFERED)[: len(group)]
    return Offer(best_pair(words, nouns).nouns, each)


@once
def line_of(encoder: Encoder, word: str, searched: bool) -> Line:
    """How far apart the leans of two sentences of one meaning are; `searched`: with found nouns."""
    return found_pair_line(encoder, word) if searched else same_sense_line(encoder, word)
