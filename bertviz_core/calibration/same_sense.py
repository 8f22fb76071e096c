"""How far apart a word's sentences are, beside sentences in which a word means the same.

For the embedded model the measurements ship; for another one they are made when first needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, cosine, frozen
from bertviz_core.calibration.word_scales import calibration_sentences, content_words
from bertviz_core.contextual import nouns
from bertviz_core.contextual.leans import leans_of, over_layers
from bertviz_core.contextual.word_vectors import (
    WordInContext,
    check_one_model,
    word_in_context,
    words_in_context,
    words_of_marks,
)
from bertviz_core.disk_cache import key_of, made_once
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, expect_each
from bertviz_core.result import Result
from bertviz_core.senses import prepared_set, prepared_words, sense_vectors
from bertviz_core.senses.occurrences import PREPARED

PERCENT = 90  # of the groups of one meaning are within the line
MAX_GROUP = 6  # sentences drawn together; with more, their standard deviation stays as it is
DRAWS = 100  # groups of more than two sentences, of each meaning and other label
MAX_RANGE = 0.25  # between two outside sets; where they differ by more, no share is given
SHARE_OF_NOUNS = 95  # percent, in sentences that have nothing to do with them
UNRELATED = 100  # words in such sentences
Measured = Mapping[str, NDArray[Any]]
ROUNDING = 1e-6  # of cosines of one sentence in two batches
FORMAT = 5  # raise it when the way of measuring changes in more than these


class SameSenseLine(NamedTuple):
    """How far apart sentences of one meaning are: nine in ten pairs, or groups, at most so far."""

    most: float  # of the mean over the layers from 1 on; see `contextual.leans.over_layers`
    by_layer: Array  # float32 (num_hidden_layers + 1,)
    any_layer: float  # share of those pairs that are further apart at one layer at least


@dataclass(frozen=True, eq=False, repr=False)
class Uses(Result):
    """What the sentences of one word do with it, compared with each other.

    Attributes:
        word: The word of the first sentence.
        anchors: The two anchors compared with, of more than two those that tell the sentences
            apart most; () without anchors.
        leans_to: For each sentence the anchor that it draws its word to, compared with the other
            sentences; () without anchors.
        separation: How far apart the sentences are, a mean over the layers from 1 on. Of two
            sentences, how much more the first leans to its anchor than the second does; of more,
            the standard deviation of their leans to one anchor less those to the other; of one,
            its lean to one less that to the other, against the word by itself. Without anchors 1
            less the word's cosine to itself in the other sentences.
        one_meaning: Share of pairs (or groups) of sentences of one meaning that are as far apart
            or further, in [0, 1]; NaN for one sentence, and without anchors.
        two_meanings: The same of pairs of two meanings, the lower and the higher of two outside
            sets; None where these differ by more than 0.25, for more than two sentences, and for
            models that they were not measured for.
        by_layer: `one_meaning` at each layer: float32 (num_hidden_layers + 1,).
        separations: `separation` at each layer: float32 (num_hidden_layers + 1,).
        leans: float32 (sentences, 2, num_hidden_layers + 1), to the two anchors.
        sentence_leans: `leans` of the mean of each sentence's other tokens, without the word.
        sentence_separation: `separation` of these after the last layer; NaN if a sentence has no
            other token. Without anchors, of the three tokens on each side of the word.
        line: What nine in ten pairs (or groups) of one meaning stay within; None where
            `one_meaning` is NaN.
    """

    word: str
    anchors: tuple[str, ...]
    leans_to: tuple[str, ...]
    separation: float
    one_meaning: float
    two_meanings: tuple[float, float] | None
    by_layer: Array
    separations: Array
    leans: Array
    sentence_leans: Array
    sentence_separation: float
    line: SameSenseLine | None

    def columns(self) -> dict[str, Any]:
        """One row a layer."""
        layers = range(len(self.separations))
        return {"layer": layers, "separation": self.separations, "one meaning": self.by_layer}

    def _summary(self) -> str:
        leaning = f" leans to {', '.join(self.leans_to)};" if self.leans_to else ""
        share = "" if self.line is None else f", as are {self.one_meaning:.0%} of one meaning"
        return f"{self.word}{leaning} {self.separation:.3f} apart{share}"


def compare_uses(
    encoder: Encoder,
    words: Sequence[str | WordInContext],
    anchors: Sequence[str | WordInContext] = (),
) -> Uses:
    """Compare the sentences of one word with each other, graded by sentences of one meaning.

    Args:
        encoder: The model. Unless it is the embedded one, the shipped sets are run the first time.
        words: The word in one sentence or more: with its mark, as `word_in_context` takes it, or
            what that returned.
        anchors: Two words or more to compare with, each alone; or none.

    Raises:
        UserInputError: There is no word or one anchor, or one of them cannot be read.

    References:
        docs/methods.md, "Sentences compared with each other".

    Example:
        >>> sentences = ["I love my pet [python]", "I love coding in [python]"]
        >>> uses = compare_uses(encoder, sentences, ["snake", "programming"])
        >>> uses.leans_to, round(uses.separation, 3), round(uses.one_meaning, 2)
        (('snake', 'programming'), 0.187, 0.0)
    """
    expect_each(words, (str, WordInContext), "sentences, each a str with a marked word")
    expect_each(anchors, (str, WordInContext), "anchor words, each a str")
    marked = [one for one in (*words, *anchors) if isinstance(one, str)]
    vectors = iter(words_in_context(encoder, marked))
    read = [next(vectors) if isinstance(one, str) else one for one in (*words, *anchors)]
    in_sentences, others = read[: len(words)], read[len(words) :]
    if not in_sentences:
        raise UserInputError("Give a word in one sentence or more.")
    alone = word_in_context(encoder, in_sentences[0].word) if len(in_sentences) == 1 else None
    return uses_of(measurements(encoder), in_sentences, others, alone)


def uses_of(
    measured: Measured,
    words: Sequence[WordInContext],
    anchors: Sequence[WordInContext],
    alone: WordInContext | None = None,
) -> Uses:
    """`compare_uses` for words that have run; one sentence needs the word `alone`."""
    check_one_model([*words, *anchors, *([alone] if alone else [])])
    if len(anchors) == 1:
        raise UserInputError("Name two words to compare with, or none.")
    of_words, of_others, beside = (
        np.stack([getattr(word, name) for word in words])
        for name in ("vectors", "others", "beside")
    )
    level = None if alone is None else alone.vectors
    names: tuple[str, ...] = ()
    leans = sentence_leans = frozen(np.empty((len(words), 0, of_words.shape[1])))
    if anchors:
        of_anchors = np.stack([anchor.vectors for anchor in anchors])
        leans = leans_of(of_words, of_anchors, level)
        pair = _pair_most_apart(over_layers(leans))
        names = tuple(anchors[number].word for number in pair)
        leans = frozen(leans[:, pair])
        sentence_leans = leans_of(of_others, of_anchors[pair], level)
        gaps, of_sentences = (each[:, 0] - each[:, 1] for each in (leans, sentence_leans))
        separations = size_of(gaps)
        mean = float(size_of(over_layers(gaps)))
        sentence_separation = float(size_of(of_sentences[:, -1]))
    else:
        separations = _unlike(of_words if level is None else np.stack([*of_words, level]))
        mean = float(over_layers(separations))
        sentence_separation = np.nan if len(words) == 1 else float(_unlike(beside)[-1])
    if np.isnan(of_others).any():  # a word is its whole sentence
        sentence_separation = np.nan
    share, by_layer, two_meanings, line = np.nan, np.full_like(separations, np.nan), None, None
    if anchors and len(words) > 1:
        sizes = _sizes_of_one_meaning(measured, words[0].word, len(words))
        if len(sizes):  # a model with few positions reads no sentence of the sets to its word
            *by_layer, share = (sizes >= np.append(separations, mean) - ROUNDING).mean(axis=0)
            line = _line(sizes)
        two_meanings = _of_two_meanings(measured, mean) if len(words) == 2 else None
    return Uses(
        words[0].word,
        anchors=names,
        leans_to=tuple(names[int(gap < 0)] for gap in over_layers(gaps)) if anchors else (),
        separation=mean,
        one_meaning=float(share),
        two_meanings=two_meanings,
        by_layer=frozen(by_layer),
        separations=frozen(separations),
        leans=leans,
        sentence_leans=sentence_leans,
        sentence_separation=sentence_separation,
        line=line,
    )


def same_sense_line(encoder: Encoder, word: str = "", count: int = 2) -> SameSenseLine:
    """How far apart sentences of one meaning are: what `Uses.separation` is compared with.

    They are the sentences of each sense in the shipped sets, `count` at a time, with the labels of
    this sense and of another one as anchors. The set of the `word` itself is left out.

    Example:
        >>> round(same_sense_line(encoder).most, 3)
        0.076
    """
    return _line(_sizes_of_one_meaning(measurements(encoder), word, count))


def _line(sizes: Array) -> SameSenseLine:
    if not len(sizes):
        return SameSenseLine(np.inf, frozen(np.full(sizes.shape[1] - 1, np.inf)), 0.0)
    *by_layer, most = np.percentile(sizes, PERCENT, axis=0)
    beyond = (sizes[:, 1:-1] > by_layer[1:]).any(axis=1)
    return SameSenseLine(float(most), frozen(by_layer), float(beyond.mean()))


def _pair_most_apart(leans: Array) -> list[int]:
    """The two anchors between which sentences are furthest apart, by their leans (n, anchors)."""
    pairs = list(combinations(range(leans.shape[1]), 2))
    sizes = [float(size_of(leans[:, a] - leans[:, b])) for a, b in pairs]
    return list(pairs[int(np.argmax(sizes))])


def size_of(gaps: Array) -> Array:
    """How far apart sentences are by their leans to one anchor less those to another: (n, ...).

    Of two the difference, of more the standard deviation, of one its size.
    """
    if len(gaps) == 1:
        return frozen(np.abs(gaps[0]))
    return frozen(gaps.std(axis=0) * (2 if len(gaps) == 2 else 1))


def _unlike(vectors: Array) -> Array:
    """1 less the mean cosine between (n, layers, hidden_size), each with each: (layers,)."""
    first, second = np.triu_indices(len(vectors), 1)
    return 1 - cosine(vectors[first], vectors[second]).mean(axis=0)


def _sizes_of_one_meaning(measured: Measured, word: str, count: int) -> Array:
    """`size_of` of groups of sentences of one sense: (groups, layers + 1), the last over layers."""
    own = [n for n, name in enumerate(prepared_words()) if nouns.same_word(word.lower(), name)]
    _, starts, available = np.unique(measured["labels"], return_index=True, return_counts=True)
    groups = [
        start + _drawn(sentences, count)
        for start, sentences in zip(starts, available.tolist(), strict=True)
        if measured["sets"][start] not in own
    ]
    gaps = np.column_stack([measured["gaps"], over_layers(measured["gaps"])])
    if not groups:
        return gaps[:0]
    least = min(group.shape[1] for group in groups)
    return size_of(gaps[np.concatenate([group[:, :least] for group in groups]).T])


@cache
def _drawn(available: int, count: int) -> NDArray[np.intp]:
    """Groups of sentences that are compared: (groups, count); all pairs, or some larger groups."""
    if count == 2:
        return np.array([*combinations(range(available), 2)]).reshape(-1, 2)
    random = np.random.default_rng(0)
    count = min(count, MAX_GROUP, available)
    return np.stack([random.permutation(available)[:count] for _ in range(DRAWS)])


def _of_two_meanings(measured: Measured, separation: float) -> tuple[float, float] | None:
    """Shares of pairs of two meanings that are as far apart, in two outside sets."""
    if "two meanings" not in measured:
        return None
    low, high = sorted((measured["two meanings"] >= separation).mean(axis=1).tolist())
    return (low, high) if high - low <= MAX_RANGE else None


def measurements(encoder: Encoder) -> Measured:
    """What `measure` gives: shipped or kept on disk; else it is made, and kept.

    For the embedded model also what outside sets say (scripts/scales.py): "two meanings", float32
    (2, 101), percentiles of the separation of pairs of two meanings in two sets; "own cosine",
    float32 (layers + 1,), what nine in ten pairs of one meaning have at least, of a word to
    itself, in each of four sets.
    """
    return made_once(
        "same-sense", sets_key(encoder), lambda: measure(encoder), encoder.bert.is_current
    )


def sets_key(encoder: Encoder) -> str:
    """Hex digest of the model, the sets, the nouns, unrelated sentences, the way of measuring."""
    sets = ((PREPARED / f"{word}.tsv").read_text(encoding="utf-8") for word in prepared_words())
    return key_of(f"{FORMAT} {nouns.vectors_key(encoder)}", *sets, *calibration_sentences())


def measure(encoder: Encoder) -> dict[str, NDArray[Any]]:
    """Run the shipped sets, and the nouns beside unrelated sentences.

    Returns:
        "gaps": float32 (n, layers), a sentence's cosine to the label of its sense less that to
            another label; "labels": int32 (n,), equal for sentences with both labels in common;
            "sets": int32 (n,), the number of the set; "floor": float32, the cosine, over the
            layers, that nineteen of twenty nouns stay below in unrelated sentences.
    """
    prepared = {word: prepared_set(word).occurrences for word in prepared_words()}
    vectors = sense_vectors(encoder, [one for each in prepared.values() for one in each])
    words = np.array([occurrence.word.lower() for occurrence in vectors.occurrences])
    senses = np.array([occurrence.sense for occurrence in vectors.occurrences])
    names = sorted(set(senses.tolist()))
    by_label = np.stack([label.vectors for label in words_in_context(encoder, names)])
    gaps = [np.empty((0, len(by_label[0])))]
    labels: list[int] = []
    sets: list[int] = []
    for number, word in enumerate(prepared):
        rows = np.flatnonzero(words == word)
        to_labels = cosine(vectors.vectors[rows, None], by_label)
        of_word = [names.index(sense) for sense in sorted(set(senses[rows].tolist()))]
        for own, other in permutations(of_word, 2):
            of_sense = senses[rows] == names[own]
            gaps.append(to_labels[of_sense, own] - to_labels[of_sense, other])
            labels += [len(gaps)] * len(gaps[-1])
            sets += [number] * len(gaps[-1])
    unrelated = content_words(encoder.bert, calibration_sentences())[:UNRELATED]
    of_nouns = nouns.noun_vectors(encoder).vectors
    to_nouns = [
        over_layers(cosine(word.vectors, of_nouns)) for word in words_of_marks(encoder, unrelated)
    ]
    floor = np.percentile(to_nouns, SHARE_OF_NOUNS) if to_nouns else -1
    return {
        "gaps": frozen(np.concatenate(gaps)),
        "labels": np.array(labels, np.int32),
        "sets": np.array(sets, np.int32),
        "floor": np.array(floor, np.float32),
    }
