"""What the page compares, and the one frozen result that all its views share."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, cosine_matrix, frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.calibration.same_sense import Uses, measurements, uses_of
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.marks import MarkedText, around, read_mark, read_marks
from bertviz_core.contextual.nouns import noun_vectors, nouns_near, same_word
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
MAX_ANCHORS = 6
OFFERED = 3  # nouns for each word
_nouns = once_in_turn(noun_vectors)
_measured = once_in_turn(measurements)


@dataclass(frozen=True)
class WordsToCompare:
    """What the page compares, as plain values."""

    marks: tuple[MarkedText, ...]  # the followed words; the first 12 are compared
    anchors: tuple[str, ...] = ()  # words to compare with
    pooling: Pooling = "mean"  # how the pieces of a word become one vector
    # The sentences as they were tokenized when they were read.
    texts: tuple[tuple[str, TokenizedText], ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The words and anchors of the page as vectors, from one pass, and their cosines."""

    request: WordsToCompare
    words: tuple[WordInContext, ...]  # the followed words, sentence by sentence
    anchors: tuple[WordInContext, ...]  # each alone; for one word without any, that word alone
    all_words: tuple[WordInContext, ...]  # words, then anchors
    names: list[str]  # of these, all different: "1 python", "2 python", "snake"
    groups: list[list[int]]  # numbers of the words that are one and the same
    cosines: Array  # float32 (n, n, layers), of all words, each with each
    uses: list[Uses]  # of each group, by the two anchors that tell the first one apart most
    near: list[list[str]]  # by word of the first group, nouns to choose from
    # Of the word to itself, what nine in ten pairs of one meaning have at least: (layers,); None
    # where it is not compared with itself, or was not measured.
    own_edge: Array | None = None
    # The percentile scales of the model; None where it was not measured.
    scales: Scales | None = None

    @property
    def identity(self) -> WordsToCompare:
        """The key of results of this comparison, for `@once`."""
        return self.request

    @property
    def axes(self) -> tuple[str, ...]:
        """The two anchors of the pictures; () where fewer were named."""
        return self.uses[0].anchors

    @cached_property
    def to_axes(self) -> Array:
        """The cosines of the words to these: float32 (words, 2, layers)."""
        numbers = [self.names.index(name, len(self.words)) for name in self.axes]
        return self.cosines[: len(self.words)][:, numbers]

    def by_word(self, of: Callable[[Uses], Sequence[Any]]) -> list[Any]:
        """What `uses` has of each sentence, in the order of the words."""
        values = {
            number: value
            for group, uses in zip(self.groups, self.uses, strict=True)
            for number, value in zip(group, of(uses), strict=True)
        }
        return [values[number] for number in range(len(self.words))]

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
        """Hover texts of a word, one a layer: its cosines to the two anchors of the pictures."""
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


def not_followed(texts: Iterable[str], followed: Collection[str]) -> list[Sentence]:
    """Say first which sentences have no word in common with the others."""
    numbers = [str(n) for n, text in enumerate(texts, 1) if text.strip() and text not in followed]
    nothing = "Sentence {numbers} has no word in common with the others. Tap a word of it."
    return [note(nothing, numbers=joined(numbers))] if numbers and followed else []


def not_read(bert: Bert, texts: Iterable[tuple[str, TokenizedText]]) -> list[Sentence]:
    """Notes on what BERT does not read of some sentences: tokens that are cut, unknown words."""
    notes: list[Sentence] = []
    unknown: dict[str, None] = {}
    for sentence, text in texts:
        notes += truncated(text)
        for token, (start, end) in zip(text.tokens, text.offsets.tolist(), strict=True):
            if token == bert.vocabulary.unknown:
                unknown[sentence[start:end]] = None
    if unknown:
        reads = "BERT reads {token} for {unknown}: not in the vocabulary, so it says nothing."
        notes.append(note(reads, token=bert.vocabulary.unknown, unknown=joined(unknown)))
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
    """Run sentences and anchors through a model in one batch, and compare them."""
    marks = request.marks[:MAX_WORDS]
    if not marks:
        raise UserInputError("Type a sentence, and tap a word of it.")
    groups: list[list[int]] = []  # of one word, in any form
    for number, mark in enumerate(marks):
        own = next((g for g in groups if same_word(marks[g[0]].name, mark.name)), None)
        if own is None:
            groups.append(own := [])
        own.append(number)
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
    alone_by_group = dict(zip(lone, alone, strict=True))
    if not anchors and len(words) == 1:
        anchors = (alone[0],)
    names = {mark.name for mark in marks}  # a lean to the word itself says nothing
    chosen = tuple(anchor for anchor in anchors if anchor.word.casefold() not in names)
    chosen = chosen if len(chosen) > 1 and request.anchors else ()
    measured = _measured(encoder)
    uses: list[Uses] = []
    for group in groups:
        of_group = [words[number] for number in group]
        uses.append(uses_of(measured, of_group, chosen, alone_by_group.get(group[0])))
        chosen = tuple(anchor for anchor in chosen if anchor.word in uses[0].anchors)
    all_words = words + anchors
    vectors = np.stack([word.vectors for word in all_words], axis=1)
    first = [words[number] for number in groups[0]]
    is_read = all(set(word.tokens) != {encoder.bert.vocabulary.unknown} for word in first)
    return Comparison(
        request,
        words,
        anchors,
        all_words,
        names=[
            *(f"{number} {word.word}" for number, word in enumerate(words, start=1)),
            *(f"{one.word} alone" if one in alone else one.word for one in anchors),
        ],
        groups=groups,
        cosines=frozen(np.stack([cosine_matrix(rows, rows) for rows in vectors], axis=-1)),
        uses=uses,
        own_edge=None if chosen or len(first) < 2 else measured.get("own cosine"),
        near=nouns_near(
            first if len(first) > 1 else [*first, alone[0]],
            _nouns(encoder),
            OFFERED,
            float(measured["floor"]),
        )[: len(first)]
        if is_read
        else [[]] * len(first),
    )


def compare(
    encoder: AnyEncoder,
    sentences: Sequence[str],
    anchors: Sequence[str] = (),
    pooling: Pooling = "mean",
) -> Comparison:
    """`compared` for sentences with their words in [brackets]; a lone word needs none.

    Example:
        >>> found = compare(encoder, ["I love my pet [python]", "I love coding in [python]"])
        >>> [nouns[0] for nouns in found.near]
        ['snake', 'programming']
    """
    marks = [mark for one in sentences for mark in read_marks(one) or [read_mark(one)]]
    return compared(encoder, WordsToCompare(tuple(marks), tuple(anchors), pooling))
