"""How alike unrelated words are at each layer: the baseline for cosines of words."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, cosine_matrix, frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import PERCENTS, Baseline
from bertviz_core.contextual.marks import MarkedText, pieces_of
from bertviz_core.contextual.words import words_of_marks
from bertviz_core.disk_cache import kept_file, key_of, known_arrays, write_arrays
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize

CALIBRATION_FILE = Path(__file__).parents[1] / "data" / "calibration.txt"
FUNCTION_WORDS = CALIBRATION_FILE.with_name("function_words.txt")
# Letters only, and nothing that belongs to the word beside them: not "didn't", not "half-time".
WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])")
MAX_WORDS, MIN_WORDS = 300, 50  # fewer than 50 words give no baseline
MAX_TOKENS = 26  # of a sentence; the few longer sentences would take a third more time
SEED = 0
STEP = 60  # words that are run before others may use the model
FORMAT = 4  # raise it when the way of measuring changes in more than these
KINDS = {
    False: "pairs of different content words",
    True: "pairs of different content words, one of them alone",
}


class Scales(NamedTuple):
    """The baselines of a model, by whether the second word of a pair is alone in its text.

    Empty where the tokenizer leaves fewer than 50 of the words whole.
    """

    by_kind: dict[bool, Baseline]

    def between(self, *, alone: bool = False) -> Baseline | None:
        """The baseline for two whole words in sentences, or for one of them `alone`."""
        return self.by_kind.get(alone)

    def percentiles(self, cosine: float) -> dict[bool, Exact]:
        """The percentile of one cosine on each baseline, at every layer: float64 (layers,)."""
        return {
            alone: np.array([own.percentile(cosine, layer) for layer in range(own.layers)])
            for alone, own in self.by_kind.items()
        }


def calibration_sentences() -> tuple[str, ...]:
    """The sentences this project measures with: English, about unrelated things."""
    lines = CALIBRATION_FILE.read_text(encoding="utf-8").split("\n")
    return tuple(line.strip() for line in lines if line.strip())


@cache
def function_words() -> frozenset[str]:
    """English words that hold a sentence together, and numbers."""
    return frozenset(FUNCTION_WORDS.read_text(encoding="utf-8").split())


def content_words(bert: Bert, sentences: Sequence[str]) -> list[MarkedText]:
    """Draw up to 300 content words, at their first occurrence, that are one token of the model."""
    seen, special = set(function_words()), bert.vocabulary.is_special
    found: list[tuple[MarkedText, bool]] = []  # and whether it is one token
    for sentence in sentences:
        text = tokenize(bert, sentence)
        for match in WORD.finditer(sentence) if len(text) <= MAX_TOKENS else ():
            if match.group().lower() in seen:
                continue
            seen.add(match.group().lower())
            mark = MarkedText(sentence, *match.span())
            positions = list(pieces_of(mark, text))
            if not special[text.input_ids[positions]].any():
                # A tokenizer that is not BERT's may cut a word that is alone in another way.
                alone = tokenize(bert, match.group()).tokens[1:-1]
                whole = len(positions) == 1 and alone == (text.tokens[positions[0]],)
                found.append((mark, whole))
    order = np.random.default_rng(SEED).permutation(len(found)).tolist()
    return [found[i][0] for i in order if found[i][1]][:MAX_WORDS]


def measure(
    encoder: Encoder,
    sentences: Sequence[str] | None = None,
    *,
    turn: Callable[[], AbstractContextManager[object]] = nullcontext,
    report: Callable[[int, int], object] = lambda done, total: None,
) -> Scales:
    """Measure how alike unrelated words are at every layer, always the same.

    Args:
        encoder: The model.
        sentences: Texts to draw words from, in place of this project's own.
        turn: Entered for each step, so that others may use the model between two steps.
        report: Called before each step with how many steps are done and how many there are.
    """
    marks = content_words(encoder.bert, calibration_sentences() if sentences is None else sentences)
    if len(marks) < MIN_WORDS:
        return Scales({})
    every = [*marks, *(MarkedText(mark.word, 0, len(mark.word)) for mark in marks)]
    vectors = []
    for start in range(0, len(every), STEP):
        report(start // STEP, -(-len(every) // STEP))
        with turn():
            words = words_of_marks(encoder, every[start : start + STEP])
            vectors += [word.vectors for word in words]
    first, alone = np.split(np.stack(vectors, axis=1), 2, axis=1)
    texts = np.array([mark.text for mark in marks])
    apart = texts[:, None] != texts
    return Scales(
        {
            False: baseline(first, first, np.triu(apart, 1), KINDS[False]),  # each pair once
            True: baseline(first, alone, apart, KINDS[True]),
        },
    )


def baseline(first: Array, second: Array, counted: NDArray[np.bool_], kind: str) -> Baseline:
    """The spread of the cosines of n vectors with m others, over the pairs that are `counted`.

    `first` is (layers, n, hidden_size), `second` (layers, m, hidden_size), `counted` (n, m).
    """
    quantiles, means = [], []
    for left, right in zip(first, second, strict=True):
        among = np.sort(cosine_matrix(left, right)[counted])
        ranks = np.linspace(0, 100, len(among))
        quantiles.append(np.interp(PERCENTS, ranks, among).astype(np.float32))
        means.append(among.mean(dtype=np.float64))
    pairs = int(np.count_nonzero(counted))
    return Baseline(kind, pairs, frozen(quantiles), frozen(means, np.float32))


def known(bert: Bert) -> Scales | None:
    """The shipped baselines of a model, or those this machine measured before; without torch."""
    found = known_arrays("words", scales_key(bert))
    if found is None:
        return None
    return Scales(
        {
            bool(alone): Baseline(KINDS[bool(alone)], int(pairs), frozen(quantiles), frozen(means))
            for alone, pairs, quantiles, means in zip(
                *(found[name] for name in ("alone", "pairs", "quantiles", "anisotropy")),
                strict=True,
            )
        },
    )


def keep(bert: Bert, scales: Scales) -> bool:
    """Write a model's baselines to disk, unless its weights have changed; whether it was done."""
    key = scales_key(bert)
    return bert.is_current() and write_arrays(kept_file("words", key), key, as_arrays(scales))


def as_arrays(scales: Scales) -> dict[str, NDArray[Any]]:
    """Baselines as they are written; in float16 quantiles would move percentiles by 0.03."""
    own = scales.by_kind.values()
    return {"alone": np.array(list(scales.by_kind), bool)} | {
        name: np.array([getattr(one, name) for one in own])
        for name in ("pairs", "quantiles", "anisotropy")
    }


def scales_key(bert: Bert) -> str:
    """Hex digest of the model, the sentences and the way of measuring; the key of the file."""
    method = (FORMAT, MAX_TOKENS, MAX_WORDS, MIN_WORDS, SEED, PERCENTS.tolist())
    read = (*sorted(function_words()), *calibration_sentences())
    return key_of(method, bert.checkpoint.fingerprint(), *read)
