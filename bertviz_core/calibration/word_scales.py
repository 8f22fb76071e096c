"""How alike unrelated words are at each layer: the baseline for cosines of words."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, cosine_matrix, frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration import influence
from bertviz_core.calibration.percentiles import PERCENTS, Baseline
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.nouns import listed_nouns
from bertviz_core.contextual.occlusion import REMOVALS, Removal
from bertviz_core.contextual.word_vectors import words_of_marks
from bertviz_core.disk_cache import kept_file, key_of, known_arrays, write_arrays
from bertviz_core.encoder import Encoder
from bertviz_core.senses.occurrences import function_words
from bertviz_core.tokens import tokenize

CALIBRATION_FILE = Path(__file__).parents[1] / "data" / "calibration.txt"
TEXTS = CALIBRATION_FILE.with_name("texts")
STYLES = ("plain", "news", "stories", "questions")
# Letters only, and nothing that belongs to the word beside them: not "didn't", not "half-time".
CONTENT_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")
MAX_WORDS = 300
MIN_WORDS = 50  # fewer give no baseline
MAX_TOKENS = 26  # of a sentence; the few longer sentences would take a third more time
SEED = 0
STEP = 60  # words that are run before others may use the model
FORMAT = 8  # raise it when the way of measuring changes in more than these
PAIRS = {
    False: "pairs of mixed content words",
    True: "pairs of mixed content words, one of them alone",
}
NOTHING = frozen([])


class Scales(NamedTuple):
    """The baselines of a model, by whether the second word of a pair is alone in its text.

    Empty where the tokenizer leaves fewer than 50 of the words whole.
    """

    by_kind: dict[bool, Baseline]
    influence: Array = NOTHING  # float32 (lengths, removals, layers); see `influence.lines`

    def baseline(self, *, alone: bool = False) -> Baseline | None:
        """The baseline for two whole words in sentences, or for one of them `alone`."""
        return self.by_kind.get(alone)

    def largest_change(self, removal: Removal, tokens: int) -> Array | None:
        """What the largest change stays below in 90% of unrelated sentences: float32 (layers,)."""
        length = influence.length_of(tokens)
        if length < 0 or not self.influence.size:
            return None
        line: Array = self.influence[length, REMOVALS.index(removal)]
        return None if np.isnan(line).any() else line


def calibration_sentences() -> tuple[str, ...]:
    """The sentences this project measures with: English, about unrelated things."""
    return style_sentences("plain")


def style_sentences(style: str) -> tuple[str, ...]:
    """This project's whole sentences of one of `STYLES`, about unrelated things."""
    file = CALIBRATION_FILE if style == "plain" else TEXTS / f"{style}.txt"
    return tuple(line for line in file.read_text(encoding="utf-8").split("\n") if line)


def scale_sentences() -> tuple[str, ...]:
    """Those that the words of the scales are drawn from, of two styles.

    In stories words are more alike: with plain sentences alone 9% of unrelated pairs of words of
    stories lay above the 95th percentile.
    """
    return calibration_sentences() + style_sentences("stories")


def content_words(
    bert: Bert, sentences: Sequence[str], longest: int = MAX_TOKENS
) -> list[MarkedText]:
    """Draw up to 300 content words, at their first occurrence, that are one token of the model.

    From sentences of up to `longest` tokens.
    """
    seen = set(function_words())
    special = bert.vocabulary.is_special
    words: list[tuple[MarkedText, bool]] = []  # and whether it is one token
    for sentence in sentences:
        text = tokenize(bert, sentence)
        short = len(text) <= longest and not text.truncated
        for match in CONTENT_WORD.finditer(sentence) if short else ():
            if match.group().lower() in seen:
                continue
            mark = MarkedText(sentence, *match.span())
            positions = list(pieces_of(mark, text))
            seen.add(match.group().lower())
            if not special[text.input_ids[positions]].any():
                # A tokenizer that is not BERT's may cut a word that is alone in another way.
                alone = tokenize(bert, match.group()).tokens[1:-1]
                whole = len(positions) == 1 and alone == (text.tokens[positions[0]],)
                words.append((mark, whole))
    order = np.random.default_rng(SEED).permutation(len(words)).tolist()
    return [words[i][0] for i in order if words[i][1]][:MAX_WORDS]


def unrelated_nouns() -> list[str]:
    """What the words of sentences are compared with, where nothing is to be found."""
    return np.random.default_rng(SEED).permutation(listed_nouns()).tolist()[:STEP]


def measure(
    encoder: Encoder,
    sentences: Sequence[str] | None = None,
    *,
    turn: Callable[[], AbstractContextManager[object]] = nullcontext,
    report: Callable[[int, int], object] = lambda done, total: None,
) -> Scales:
    """Measure how alike unrelated words of the `sentences` are at every layer, always the same.

    `turn` is entered for each step, so that others may use the model in between. `report` is called
    before each with how many steps are done and how many there are.
    """
    bert = encoder.bert
    marks = content_words(bert, scale_sentences() if sentences is None else sentences)
    if len(marks) < MIN_WORDS:
        return Scales({})
    texts = [*chain(*map(style_sentences, STYLES))] if sentences is None else sentences
    followed = influence.to_follow(bert, content_words(bert, texts, longest=influence.LONGEST))
    sources = np.array([mark.text for mark in marks])
    unrelated = unrelated_nouns()
    by_themselves = [
        MarkedText(word, 0, len(word)) for word in (*(mark.word for mark in marks), *unrelated)
    ]
    every = [*marks, *by_themselves]
    steps = [every[start : start + STEP] for start in range(0, len(every), STEP)]
    total = len(steps) + len(followed)
    numbers = count()

    def one_by_one(items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            report(next(numbers), total)
            with turn():
                yield item

    words = [word for step in one_by_one(steps) for word in words_of_marks(encoder, step)]
    vectors = np.stack([word.vectors for word in words[: -len(unrelated)]], axis=1)
    first, alone = np.split(vectors, 2, axis=1)
    apart = sources[:, None] != sources
    by_kind = {
        False: _baseline_of_pairs(first, first, np.triu(apart, 1), PAIRS[False]),
        True: _baseline_of_pairs(first, alone, apart, PAIRS[True]),
    }
    nouns = words[-len(unrelated) :]
    changes = influence.largest_changes(encoder, one_by_one(followed), nouns)
    return Scales(by_kind, influence.lines(changes))


def _baseline_of_pairs(
    first: Array, second: Array, counted: NDArray[np.bool_], kind: str
) -> Baseline:
    """The spread of the cosines of n vectors with m others, over the pairs that are `counted`.

    `first` is (layers, n, hidden_size), `second` (layers, m, hidden_size), `counted` (n, m).
    """
    quantiles = []
    means = []
    for left, right in zip(first, second, strict=True):
        among = np.sort(cosine_matrix(left, right)[counted])
        ranks = np.linspace(0, 100, len(among))
        quantiles.append(np.interp(PERCENTS, ranks, among).astype(np.float32))
        means.append(among.mean(dtype=np.float64))
    pairs = int(np.count_nonzero(counted))
    return Baseline(kind, pairs, frozen(quantiles), frozen(means, np.float32))


def known(bert: Bert) -> Scales | None:
    """The shipped baselines of a model, or those this machine measured before; without torch."""
    arrays = known_arrays("words", scales_key(bert))
    if arrays is None:
        return None
    columns = (arrays[name] for name in ("alone", "pairs", "quantiles", "anisotropy"))
    by_kind = {
        bool(alone): Baseline(PAIRS[bool(alone)], int(pairs), frozen(quantiles), frozen(means))
        for alone, pairs, quantiles, means in zip(*columns, strict=True)
    }
    return Scales(by_kind, frozen(arrays["influence"]))


def keep(bert: Bert, scales: Scales) -> bool:
    """Write a model's baselines to disk, unless its files have changed; whether it was done."""
    key = scales_key(bert)
    return bert.is_current() and write_arrays(kept_file("words", key), key, as_arrays(scales))


def as_arrays(scales: Scales) -> dict[str, NDArray[Any]]:
    """Baselines as they are written; in float16 quantiles would move percentiles by 0.03."""
    baselines = scales.by_kind.values()
    return {
        "alone": np.array(list(scales.by_kind), bool),
        "influence": scales.influence,
        "pairs": np.array([one.pairs for one in baselines]),
        "quantiles": np.array([one.quantiles for one in baselines]),
        "anisotropy": np.array([one.anisotropy for one in baselines]),
    }


def scales_key(bert: Bert) -> str:
    """Hex digest of the model, the sentences and the way of measuring; the key of the file."""
    method = (FORMAT, MAX_TOKENS, MAX_WORDS, MIN_WORDS, SEED, PERCENTS.tolist())
    read = (*sorted(function_words()), *listed_nouns(), *chain(*map(style_sentences, STYLES)))
    return key_of(method, bert.fingerprint, *read)
