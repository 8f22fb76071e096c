"""What the page compares, and the one frozen result that all its views share."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine_matrix, frozen
from bertviz_core.calibration import Baseline, Scales
from bertviz_core.calibration.percentiles import column
from bertviz_core.calibration.same_sense import Line, found_pair_line, same_sense_line
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.leans import lean
from bertviz_core.contextual.marks import MarkedText, around, read_mark, read_marks
from bertviz_core.contextual.nouns import noun_vectors, nouns_apart
from bertviz_core.contextual.words import words_of_marks
from bertviz_core.encoder import Encoder, Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.figures.axes import label
from bertviz_core.shared import in_turn, once
from bertviz_core.tokens import TokenizedText
from bertviz_core.views.fields import Listed

PAGE = "Word in Context"
MAX_WORDS = 12  # of the sentences
OFFERED = 3  # nouns for each word
NO_LINE = Line(*frozen(np.empty((2, 0))))  # nothing is told apart
_nouns = once(noun_vectors)


@dataclass(frozen=True)
class Comparison:
    """What the page compares, as plain values."""

    marks: tuple[MarkedText, ...]  # the followed words; the first 12 are compared
    anchors: tuple[str, ...] = ()  # words to compare them with, each by itself; () to find two
    pooling: Pooling = "mean"  # how the pieces of a word become one vector
    # The sentences as they were tokenized when they were read.
    texts: tuple[tuple[str, TokenizedText], ...] = field(default=(), compare=False, repr=False)

    @property
    def words(self) -> tuple[MarkedText, ...]:
        """The words that are compared."""
        return self.marks[:MAX_WORDS]

    @cached_property
    def groups(self) -> list[list[int]]:
        """Numbers of the words that are one and the same, group by group."""
        found: dict[str, list[int]] = {}
        for number, one in enumerate(self.words):
            found.setdefault(one.word.casefold(), []).append(number)
        return list(found.values())


@dataclass(frozen=True, eq=False)
class Compared:
    """The words and anchors of the page as vectors, from one pass, and their cosines."""

    comparison: Comparison
    words: tuple[WordInContext, ...]  # the followed words, sentence by sentence
    anchors: tuple[WordInContext, ...]
    cosines: Array  # float32 (n, n, layers), of words then anchors, each with each
    leans: Array  # float32 (words, anchors, layers); see `contextual.leans`
    offered: list[list[str]]  # by word of the first group, the nouns that it leans to most
    line: Line  # how far apart the leans of two sentences of one meaning are
    # The percentile scales of the model; None where it was not measured.
    scales: Scales | None = None

    @property
    def identity(self) -> Comparison:
        """What tells it from others, for `shared.once`."""
        return self.comparison

    @property
    def searched(self) -> bool:
        """Whether the anchors were found, not chosen."""
        return not self.comparison.anchors

    @cached_property
    def everything(self) -> tuple[WordInContext, ...]:
        """Words, then anchors."""
        return self.words + self.anchors

    @cached_property
    def names(self) -> list[str]:
        """Short names of words and anchors, all different: "1 python", "2 python", "snake"."""
        names = [f"{number} {one.word}" for number, one in enumerate(self.words, start=1)]
        for anchor in self.anchors:
            name = anchor.word
            while name in names:
                name += " (anchor)"
            names.append(name)
        return names

    def made(self, layer: int) -> dict[str, str | int]:
        """How all numbers at a layer were made, for what is saved."""
        return {"layer": layer, "pooling": self.comparison.pooling}

    def followed(self, target: str) -> int:
        """Number of a word by its name; the first, if the name is not there."""
        names = self.names[: len(self.words)]
        return names.index(target) if target in names else 0

    def others(self, target: str) -> list[int]:
        """What a word can be compared with, as numbers in `names`: what was chosen first."""
        count, number = len(self.words), self.followed(target)
        anchors, words = range(count, len(self.names)), [i for i in range(count) if i != number]
        return [*words, *anchors] if self.searched else [*anchors, *words]

    def pair(self, target: str, against: str) -> tuple[int, int]:
        """A word and what it is compared with, as numbers in `names`."""
        named = {self.names[other]: other for other in self.others(target)}
        return self.followed(target), named.get(against, next(iter(named.values())))

    def axes(self, layer: int) -> tuple[int, ...]:
        """Numbers of the two anchors that separate the first word's sentences most at a layer."""
        group, numbers = self.comparison.groups[0], range(len(self.anchors))
        leans = self.leans[group, :, layer]

        def apart(pair: tuple[int, ...]) -> float:
            difference = leans[:, pair[0]] - leans[:, pair[1]]
            return float(np.ptp(difference) if len(group) > 1 else np.abs(difference).max())

        return max(combinations(numbers, 2), key=apart) if len(numbers) > 2 else tuple(numbers)

    def scale(self, first: int, second: int) -> Baseline | None:
        """What a pair is compared with; None for a word in pieces, or for two that are alone."""
        pair = self.everything[first], self.everything[second]
        alone = [word.alone for word in pair]
        whole = all(len(word.tokens) == 1 for word in pair)
        if self.scales is None or first == second or all(alone) or not whole:
            return None
        return self.scales.between(alone=any(alone))

    @cached_property
    def percentiles(self) -> Exact | None:
        """Of all `cosines`, in the same shape, NaN where a pair has no scale; None without any."""
        if self.scales is None:
            return None
        percentiles = np.full_like(self.cosines, np.nan, dtype=np.float64)
        of_scale: dict[Baseline, list[tuple[int, int]]] = {}
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
        columns: dict[str, Any] = {title: self.cosines[at]}
        if self.percentiles is not None and not np.isnan(self.percentiles[at]).all():
            columns[f"{title}, percentile"] = column(self.percentiles[at])
        return columns

    def hints(self, number: int, axes: Sequence[int]) -> list[str]:
        """What the pointer says of a word at each layer: how alike it is to some anchors."""
        anchors = [self.anchors[axis].word for axis in axes]
        cosines = self.cosines[number, [len(self.words) + axis for axis in axes]]
        where = f"{self.words[number].word} ({self.sentence(number)}), layer"
        said = (
            ", ".join(f"{name} {cosine:.2f}" for name, cosine in zip(anchors, at, strict=True))
            for at in cosines.T.tolist()
        )
        return [label(f"{where} {layer}: {one}", 100) for layer, one in enumerate(said)]

    def excerpt(self, number: int, longest: int) -> tuple[str, str, str]:
        """A word with what comes before and after it in its sentence; see `marks.around`."""
        return around(*self.words[number].span, longest)

    def sentence(self, number: int, longest: int = 32) -> str:
        """A word's sentence, cut around it; marked where others of the same one are compared."""
        before, word, after = self.excerpt(number, longest)
        text = self.words[number].sentence
        several = sum(other.sentence == text for other in self.words) > 1
        return f"{before}[{word}]{after}" if several else f"{before}{word}{after}"


TARGET = Listed(
    "Word to follow",
    lambda page: page["found"].names[: len(page["found"].words)],
    about="the word that is followed",
    when=lambda page: len(page["found"].words) > 1,
)
AGAINST = Listed(
    "Similarity to",
    lambda page: [page["found"].names[i] for i in page["found"].others(page["target"])],
    about="what it is compared with",
    when=lambda page: len(page["found"].others(page["target"])) > 1,
)


@once
def compared(model: Encoder, comparison: Comparison) -> Compared:
    """Run sentences and anchors through a model in one batch, and compare them.

    Where no anchors are chosen, they are the two nouns that separate the first word's sentences
    most; or, where it is in one sentence, those that it leans to most.
    """
    marks, groups = comparison.words, comparison.groups
    if not marks:
        raise UserInputError("Type a sentence, and tap a word of it.")
    # A word that is there once is compared with the word by itself.
    lone = [marks[group[0]].word for group in groups if len(group) == 1]
    by_themselves = [by_itself(word) for word in (*comparison.anchors, *lone)]
    with in_turn(model) as encoder:  # for the pass alone, so that others wait a shorter time
        found = words_of_marks(
            encoder, [*marks, *by_themselves], comparison.pooling, dict(comparison.texts)
        )
    count, last = len(marks), len(found) - len(lone)
    words, anchors, alone = found[:count], tuple(found[count:last]), iter(found[last:])
    levels = [next(alone) if len(group) == 1 else None for group in groups]
    sides = [[words[number] for number in group] for group in groups]
    first = [*sides[0], *([levels[0]] if levels[0] else [])]
    nouns = nouns_apart(first, _nouns(model), OFFERED)
    if not anchors:
        pair = nouns.pair if len(sides[0]) > 1 else tuple(nouns.each[0][:2])
        anchors = _found(model, tuple(dict.fromkeys(pair)), comparison.pooling)
    leans = np.zeros((count, len(anchors), len(words[0].vectors)), np.float32)
    for group, own, level in zip(groups, sides, levels, strict=True):
        leans[group] = lean(own, anchors, level)
    vectors = np.stack([word.vectors for word in (*words, *anchors)], axis=1)
    tells = len(sides[0]) > 1 and len(anchors) > 1
    return Compared(
        comparison,
        tuple(words),
        anchors,
        frozen(np.stack([cosine_matrix(at, at) for at in vectors], axis=-1)),
        frozen(leans),
        nouns.each[: len(sides[0])],
        _line(model, words[0].word, bool(comparison.anchors)) if tells else NO_LINE,
    )


def compare(
    encoder: Encoder,
    sentences: Sequence[str],
    anchors: Sequence[str] = (),
    pooling: Pooling = "mean",
) -> Compared:
    """Do `compared` with sentences whose words are in [brackets]; of a lone word without them.

    Example:
        >>> found = compare(encoder, ["I love my pet [python]", "I love coding in [python]"])
        >>> [anchor.word for anchor in found.anchors]
        ['snake', 'mathematics']
    """
    marks = [mark for one in sentences for mark in read_marks(one) or [read_mark(one)]]
    return compared(encoder, Comparison(tuple(marks), tuple(anchors), pooling))


@once
def _line(encoder: Encoder, word: str, chosen: bool) -> Line:
    return (same_sense_line if chosen else found_pair_line)(encoder, word)


@once
def _found(encoder: Encoder, nouns: tuple[str, ...], pooling: Pooling) -> tuple[WordInContext, ...]:
    """Nouns that were found; the same pair is often found again."""
    return tuple(words_of_marks(encoder, [by_itself(noun) for noun in nouns], pooling))


def by_itself(word: str) -> MarkedText:
    """A word as all of its text."""
    return MarkedText(word, 0, len(word))
