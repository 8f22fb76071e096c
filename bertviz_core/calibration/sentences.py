"""A baseline for sentence vectors: the cosines of pairs of unrelated sentences."""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, frozen, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.calibration.influence import LENGTHS, length_of
from bertviz_core.calibration.word_scales import SEED, STYLES, style_sentences
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.contextual.sentence_vectors import sentence_vectors
from bertviz_core.disk_cache import key_of, made_once
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import TokenizedText, tokenize

NAMED = ("news", "stories")  # those whose cosines are said: one high, one low
# A cosine is compared with those of sentences as long: among few tokens, [CLS] and [SEP] are a
# large part of the mean.
PAIRS = tuple(combinations_with_replacement(range(len(LENGTHS)), 2))
MAX_TEXTS, MIN_TEXTS = 30, 20  # of each style and length
STOPS = (".", "?", "!")  # at the end of the sentences that are measured
FORMAT = 1  # raise it when the way of measuring changes in more than these


def unrelated_texts(bert: Bert, style: str) -> list[list[str]]:
    """Draw 30 sentences of a style for each of `LENGTHS`, or none of fewer than 20."""
    sentences = style_sentences(style)
    by_length: list[list[str]] = [[] for _ in LENGTHS]
    for i in np.random.default_rng(SEED).permutation(len(sentences)):
        text = tokenize(bert, sentences[i])
        if not text.truncated and (length := length_of(len(text))) >= 0:
            by_length[length].append(sentences[i])
        if min(map(len, by_length)) >= MAX_TEXTS:
            break
    return [texts[:MAX_TEXTS] if len(texts) >= MIN_TEXTS else [] for texts in by_length]


class UnrelatedPairs(NamedTuple):
    """The cosines of pairs of unrelated sentences, by way, layer and the two `LENGTHS`.

    By way float32 (layers, 2, 3, 3, 2): the cosines of nine of ten pairs of each of `NAMED` styles,
    from and to; NaN where too few sentences are as long. There is no percentile: lines made of
    three styles miss the fourth (scripts/scales.py).
    """

    measured: Mapping[str, NDArray[Any]]

    def middles(self, way: str, layer: int, pair: tuple[int, int]) -> dict[str, list[float]]:
        """From and to what cosine nine of ten pairs of each style have; {} without a scale."""
        ends = self.measured[way][(layer, slice(None), *pair)]
        known = min(pair) >= 0 and np.isfinite(ends).all()
        return dict(zip(NAMED, ends.tolist(), strict=True)) if known else {}


def in_one_frame(bert: Bert, texts: Sequence[TokenizedText]) -> NDArray[np.bool_]:
    """Which of n texts open or close alike, which brings unrelated ones nearer: bool (n, n).

    Both first tokens are signs or numbers (quotes, a list), or both second ones are the same sign
    ("Q: ..."), or the first two are the same; likewise the last ones, before one full stop.
    """
    ends = []
    for text in texts:
        kinds = (KINDS[kind] for kind in bert.vocabulary.kinds[text.input_ids[1:-1]])
        pairs = zip(kinds, text.tokens[1:-1], strict=True)
        # One number is as good as another, and one unknown character.
        tokens = ["0" if kind in ("digit", "special") else token for kind, token in pairs] or [""]
        closing = tokens[:-1] if tokens[1:] and tokens[-1] in STOPS else tokens
        ends.append((tokens[:2], closing[:-3:-1]))
    return np.array([[any(map(_alike, one, other)) for other in ends] for one in ends], np.bool_)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one or two tokens at an end, the outer one first, make a frame with another's."""
    signs = [not any(map(str.isalpha, token)) for token in (one[0], other[0], one[-1])]
    same_next = one[1:] == other[1:] != []
    return (signs[0] and signs[1]) or (same_next and (one[0] == other[0] or signs[2]))


def unrelated_pairs(encoder: Encoder) -> UnrelatedPairs:
    """Those of a model: shipped or kept on disk; else they are measured."""
    bert = encoder.bert
    measured = made_once("sentences", pairs_key(bert), lambda: measure(encoder), bert.is_current)
    return UnrelatedPairs(measured)


def pairs_key(bert: Bert) -> str:
    """Hex digest of the model, the sentences and the way of measuring."""
    method = (FORMAT, LENGTHS, MAX_TEXTS, MIN_TEXTS, SEED, NAMED)
    return key_of(method, bert.fingerprint, *map(style_sentences, STYLES))


def measure(encoder: Encoder) -> dict[str, Array]:
    """Measure the cosines of pairs of the styles `NAMED`; see `UnrelatedPairs`."""
    groups = [group for style in NAMED for group in unrelated_texts(encoder.bert, style)]
    texts = tokenize(encoder.bert, [sentence for group in groups for sentence in group])
    ends = np.cumsum([len(group) for group in groups])[:-1]
    count = len(LENGTHS)
    by_way = {}
    for way, vectors in sentence_vectors(encoder, texts).items():
        units = np.split(unit_rows(vectors), ends, axis=1)
        middles = np.full((len(vectors), len(NAMED), count, count, 2), np.nan)
        for style, (i, j) in product(range(len(NAMED)), PAIRS):
            cosines = units[style * count + i] @ units[style * count + j].swapaxes(1, 2)
            each_once = np.tril(np.ones(cosines.shape[1:], np.bool_), -1) | (i != j)
            if cosines.size:
                ends_of_pairs = np.percentile(cosines[:, each_once], (5, 95), axis=1).T
                middles[:, style, [i, j], [j, i]] = ends_of_pairs[:, None]
        by_way[way] = frozen(middles)
    return by_way
