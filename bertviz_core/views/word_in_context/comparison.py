"""What the page compares, and the one frozen result that all its views share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bertviz_core.arrays import Array, cosine_matrix, frozen
from bertviz_core.calibration import Scales
from bertviz_core.calibration.same_sense import found_pair_line, same_sense_line
from bertviz_core.checkpoints.vocabulary import UNKNOWN
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.leans import over_layers
from bertviz_core.contextual.marks import MarkedText, around, read_mark, read_marks
from bertviz_core.contextual.nouns import noun_vectors, nouns_apart
from bertviz_core.contextual.word_vectors import Pooling, words_of_marks
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.drawing import label
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import TokenizedText
from bertviz_core.views.fields import Listed
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import joined, note, truncated

MAX_WORDS = 12  # of the sentences
OFFERED = 3  # nouns for each word
MIN_LEAN = 0.02  # of a word in one sentence, for which no line was measured
_nouns = once_in_turn(noun_vectors)


@dataclass(frozen=True)
class WordsToCompare:
    """What the page compares, as plain values."""

    marks: tuple[MarkedText, ...]  # the followed words; the first 12 are compared
    anchors: tuple[str, ...] = ()  # words to compare with; nouns are added to fewer than two
    pooling: Pooling = "mean"  # how the pieces of a word become one vector
    # The sentences as they were tokenized when they were read.
    texts: tuple[tuple[str, TokenizedText], ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The words and anchors of the page as vectors, from one pass, and their cosines."""

    request: WordsToCompare
    words: tuple[WordInContext, ...]  # the followed words, sentence by sentence
    anchors: tuple[WordInContext, ...]  # at least two, each by itself
    all_words: tuple[WordInContext, ...]  # words, then anchors
    names: list[str]  # of these, all different: "1 python", "2 python", "snake"
    groups: list[list[int]]  # numbers of the words that are one and the same
    cosines: Array  # float32 (n, n, layers), of all words, each with each
    axes: tuple[str, str]  # the two anchors that the plane shows
    to_axes: Array  # float32 (words, 2, layers), cosines of the words to these two
    leans: Array  # float32 (words, 2, layers), to these two; see `contextual.leans`
    # By word the number of the axis that it leans to; None where its sentences are alike.
    leaning: list[int | None]
    # By word of the first group, the nouns that it leans to most; none where no noun tells.
    offered: list[list[str]]
    # The percentile scales of the model; None where it was not measured.
    scales: Scales | None = None

    @property
    def identity(self) -> WordsToCompare:
        """The key of results of this comparison, for `@once`."""
        return self.request

    def pair(self, target: str, against: str = "") -> tuple[int, int]:
        """A word and what it is compared with, as numbers in `names`.

        The first of the words, and of the `others`, where there is none of these names.
        """
        words = self.names[: len(self.words)]
        others = self.others(target)
        first = target if target in words else words[0]
        second = against if against in others else others[0]
        return self.names.index(first), self.names.index(second)

    def others(self, target: str) -> list[str]:
        """Names of what a word can be compared with: what was chosen first."""
        words = self.names[: len(self.words)]
        anchors = self.names[len(self.words) :]
        words.remove(target if target in words else words[0])
        return anchors + words if self.request.anchors else words + anchors

    def hints(self, number: int) -> list[str]:
        """Hover texts of a word, one a layer: its cosines to the two anchors of the plane."""
        x, y = self.axes
        where = f"{self.words[number].word} ({self.sentence(number)}), layer"
        return [
            label(f"{where} {layer}: {x} {to_x:.2f}, {y} {to_y:.2f}", 100)
            for layer, (to_x, to_y) in enumerate(self.to_axes[number].T.tolist())
        ]

    def sentence(self, number: int, longest: int = 32) -> str:
        """A word's sentence, cut around it; marked where others of the same one are compared."""
        text, start, end = self.words[number].span
        before, word, after = around(text, start, end, longest)
        several = sum(other.sentence == text for other in self.words) > 1
        return f"{before}[{word}]{after}" if several else f"{before}{word}{after}"


def not_read(texts: Iterable[tuple[str, TokenizedText]]) -> list[Sentence]:
    """Notes on what BERT does not read of some sentences: tokens that are cut, unknown words."""
    notes: list[Sentence] = []
    unknown: dict[str, None] = {}
    for sentence, text in texts:
        notes += truncated(text)
        for token, (start, end) in zip(text.tokens, text.offsets.tolist(), strict=True):
            if token == UNKNOWN:
                unknown[sentence[start:end]] = None
    if unknown:
        reads = "BERT reads [UNK] for {unknown}: not in the vocabulary, so it says nothing."
        notes.append(note(reads, unknown=joined(unknown)))
    return notes


TARGET = Listed(
    "Word to follow",
    lambda page: page["comparison"].names[: len(page["comparison"].words)],
    about="the word that is followed",
    when=lambda page: len(page["comparison"].words) > 1,
)
AGAINST = Listed(
    "Similarity to",
    lambda page: page["comparison"].others(page["target"]),
    about="what it is compared with",
    when=lambda page: len(page["comparison"].others(page["target"])) > 1,
)


@once_in_turn
def compared(encoder: Encoder, request: WordsToCompare) -> Comparison:
    """Run sentences and anchors through a model in one batch, and compare them.

    Where fewer than two anchors are chosen, the two nouns are added that separate the first word's
    sentences most; or, where it is in one sentence, those that it leans to most.
    """
    marks = request.marks[:MAX_WORDS]
    if not marks:
        raise UserInputError("Type a sentence, and tap a word of it.")
    by_name: dict[str, list[int]] = {}
    for number, mark in enumerate(marks):
        by_name.setdefault(mark.name, []).append(number)
    groups = list(by_name.values())
    # A word that is there once is compared with the word by itself.
    lone = [group[0] for group in groups if len(group) == 1]
    by_themselves = [
        MarkedText(word, 0, len(word))
        for word in (*request.anchors, *(marks[number].word for number in lone))
    ]
    in_context = words_of_marks(
        encoder, [*marks, *by_themselves], request.pooling, dict(request.texts)
    )
    count = len(marks)
    words = tuple(in_context[:count])
    anchors = tuple(in_context[count : count + len(request.anchors)])
    alone = in_context[count + len(request.anchors) :]
    first = groups[0]
    sides = [words[number] for number in first]
    nouns = nouns_apart(sides if len(first) > 1 else [*sides, alone[0]], _nouns(encoder), OFFERED)
    if len(request.anchors) < 2:
        pair = nouns.pair if len(first) > 1 else tuple(nouns.each[0][:2])
        missing = tuple(noun for noun in pair if noun not in request.anchors)
        anchors += _noun_anchors(encoder, missing, request.pooling)

    all_words = words + anchors
    vectors = np.stack([word.vectors for word in (*all_words, *alone)], axis=1)
    cosines = np.stack([cosine_matrix(rows, rows) for rows in vectors], axis=-1)  # (n, n, layers)
    to_anchors = cosines[:, count : len(all_words)]
    leans = to_anchors[:count].copy()  # as `contextual.leans.lean` has them
    for group in groups:
        compared_with = group if len(group) > 1 else [len(all_words) + lone.index(group[0])]
        leans[group] -= to_anchors[compared_with].mean(axis=0)
    axes = _axes(over_layers(leans[first]), len(request.anchors))
    several = [words[group[0]].word for group in groups if len(group) > 1]
    line = _line(encoder, several[0], len(request.anchors) > 1) if several else np.inf
    # Whatever is chosen, by the line of nouns that a search gave.
    tells = len(first) == 1 or (
        over_layers(nouns.separation) > _line(encoder, words[first[0]].word, False)
    )
    return Comparison(
        request,
        words,
        anchors,
        all_words,
        names=[
            *(f"{number} {word.word}" for number, word in enumerate(words, start=1)),
            *(anchor.word for anchor in anchors),
        ],
        groups=groups,
        cosines=frozen(cosines[: len(all_words), : len(all_words)]),
        axes=(anchors[axes[0]].word, anchors[axes[1]].word),
        to_axes=frozen(to_anchors[:count, axes]),
        leans=frozen(leans[:, axes]),
        leaning=_leaning(over_layers(leans[:, axes]), groups, line),
        offered=nouns.each[: len(first)] if tells else [],
    )


def _axes(leans: Array, chosen: int) -> list[int]:
    """The two anchors that separate a word's sentences most, by their leans (words, anchors).

    An anchor that was chosen alone is one of them.
    """
    gaps = leans[:, :, None] - leans[:, None, :]
    apart = np.ptp(gaps, axis=0) if len(leans) > 1 else np.abs(gaps[0])
    apart = apart[:1] if chosen == 1 else apart
    return sorted(int(axis) for axis in np.unravel_index(apart.argmax(), apart.shape))


def _leaning(leans: Array, groups: Sequence[Sequence[int]], line: float) -> list[int | None]:
    """Which of two anchors each word leans to; None if its sentences are not beyond the line.

    `leans` are (words, 2), over the layers: a test at each layer would find something at one.
    """
    gaps = leans[:, 0] - leans[:, 1]
    leaning: list[int | None] = [None] * len(leans)
    for group in groups:
        one_sentence = len(group) == 1
        if leans[group].max() >= MIN_LEAN if one_sentence else np.ptp(gaps[group]) > line:
            for number in group:
                leaning[number] = int(gaps[number] < 0)
    return leaning


def compare(
    encoder: AnyEncoder,
    sentences: Sequence[str],
    anchors: Sequence[str] = (),
    pooling: Pooling = "mean",
) -> Comparison:
    """`compared` for sentences with their words in [brackets]; a lone word needs none.

    Example:
        >>> found = compare(encoder, ["I love my pet [python]", "I love coding in [python]"])
        >>> [anchor.word for anchor in found.anchors]
        ['snake', 'programming']
    """
    marks = [mark for one in sentences for mark in read_marks(one) or [read_mark(one)]]
    return compared(encoder, WordsToCompare(tuple(marks), tuple(anchors), pooling))


@once_in_turn
def _line(encoder: Encoder, word: str, chosen: bool) -> float:
    return (same_sense_line if chosen else found_pair_line)(encoder, word).most


@once_in_turn
def _noun_anchors(
    encoder: Encoder, nouns: tuple[str, ...], pooling: Pooling
) -> tuple[WordInContext, ...]:
    """The vectors of nouns that a search gave; the same pair is often needed again."""
    marks = [MarkedText(noun, 0, len(noun)) for noun in nouns]
    return tuple(words_of_marks(encoder, marks, pooling))
