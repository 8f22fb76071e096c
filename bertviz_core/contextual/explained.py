"""How much of a token's vector follows from its row, its position and its sentence, by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, frozen
from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.batches import batches_by_length
from bertviz_core.errors import UserInputError
from bertviz_core.result import Result
from bertviz_core.tokens import tokenize

PARTS = ("token row", "position", "sentence")
# Of the ridge, as a share of the mean variance of the numbers of a part.
STRENGTHS = (0.01, 0.1, 1.0)
FOLDS = 5
LEAST_SENTENCES = 2 * FOLDS
SEED = 0
MOST_BYTES = 250_000_000  # of all vectors: every sentence of the embedded model takes 115 MB


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedVariance(Result):
    """What predicts the vectors of tokens in sentences that were held out, layer by layer.

    R² = 1 - squared error / squared distance from the mean: 1 is perfect, 0 as good as the mean.
    """

    tokens: int  # how many were predicted
    sentences: int  # how many they are in
    alone: Exact  # float64 (3, num_hidden_layers + 1), from each of `PARTS` alone
    together: Exact  # the same from the first part, the first two, all three

    @property
    def added(self) -> Exact:
        """What each part adds to those before it: float64 (3, num_hidden_layers + 1)."""
        return np.diff(self.together, axis=0, prepend=0)

    @property
    def rest(self) -> Exact:
        """What all three leave unexplained: float64 (num_hidden_layers + 1,)."""
        return 1 - self.together[-1]

    def columns(self) -> dict[str, Any]:
        """One row a layer; a part with "+" is what it adds to those before it."""
        first, *others = PARTS
        titles = [first, *(f"+ {name}" for name in others)]
        return {
            "layer": np.arange(len(self.rest)),
            **dict(zip(titles, self.added, strict=True)),
            "not explained": self.rest,
            **{f"{name} alone": row for name, row in zip(PARTS, self.alone, strict=True)},
        }


class ExplainedRun:
    """Run sentences, and predict the vectors of their tokens, in steps; see `explained_at`."""

    def __init__(self, bert: Bert, sentences: Sequence[str]) -> None:
        """Choose the sentences; no model is run yet."""
        self.bert = bert
        special = bert.vocabulary.is_special
        every = [tokenize(bert, sentence) for sentence in sentences]
        ordinary = [np.flatnonzero(~special[text.input_ids]) for text in every]
        order = np.random.default_rng(SEED).permutation(len(every)).tolist()
        long = [number for number in order if len(ordinary[number]) > 1]
        ends = np.cumsum([len(ordinary[number]) for number in long])
        kept = long[: np.searchsorted(ends, most_tokens(bert), side="right")]
        if len(kept) < LEAST_SENTENCES:
            raise UserInputError(
                f"{LEAST_SENTENCES} sentences with two or more tokens that {bert.name} knows are "
                f"needed; of {len(sentences)} there are {len(kept)}."
            )
        self._texts = [every[number] for number in kept]
        self._positions = [ordinary[number] for number in kept]
        counts = [len(own) for own in self._positions]
        self._sentence_of = np.repeat(np.arange(len(kept)), counts)
        chosen = zip(self._texts, self._positions, strict=True)
        self._ids = np.concatenate([text.input_ids[own] for text, own in chosen])
        self._at = np.concatenate(self._positions)
        self.layers = range(bert.num_hidden_layers + 1)
        self._states = np.empty((len(self.layers), len(self._ids), bert.hidden_size), np.float32)
        self.batches = list(batches_by_length(self._texts))
        self._found: list[tuple[Exact, Exact]] = []

    def run(self, encoder: Encoder, batch: Sequence[int]) -> None:
        """Run the sentences of one of `batches`."""
        texts = [self._texts[number] for number in batch]
        for index, layers in encoder.iter_hidden_states(texts):
            number = batch[index]
            self._states[:, self._sentence_of == number] = layers[:, self._positions[number]]

    def explain(self, layer: int) -> None:
        """Predict the vectors of the next layer, once all batches were run; no model is needed."""
        rows = self.bert.tables.word_embeddings[self._ids]
        self._found.append(explained_at(self._states[layer], rows, self._at, self._sentence_of))

    @property
    def result(self) -> ExplainedVariance:
        """What was found, once all `layers` are explained."""
        alone, together = (np.stack(parts, axis=1) for parts in zip(*self._found, strict=True))
        return ExplainedVariance(
            tokens=self._states.shape[1],
            sentences=len(self._texts),
            alone=frozen(alone, np.float64),
            together=frozen(together, np.float64),
        )


def most_tokens(bert: Bert) -> int:
    """How many tokens a model's vectors are kept of."""
    return MOST_BYTES // (4 * bert.hidden_size * (bert.num_hidden_layers + 1))


def explained_at(
    vectors: Array, token_rows: Array, positions: Ids, sentence_of: Ids
) -> tuple[Exact, Exact]:
    """R² by ridge regression, from each part alone, and from the first, the first two and all."""
    from scipy import linalg  # noqa: F401  # the limit below holds for what is loaded by then
    from threadpoolctl import threadpool_limits

    parts = (
        token_rows,
        np.eye(positions.max() + 1)[positions],
        mean_of_others(vectors, sentence_of),
    )
    order = np.random.default_rng(SEED).permutation(sentence_of.max() + 1)
    features = np.hstack([_scaled(part) for part in parts])
    # Of each part the columns from the first to the one past its last.
    ends = np.cumsum([0, *(part.shape[1] for part in parts)]).tolist()
    penalties = np.empty(ends[-1], np.float32)
    alone = np.empty(len(parts))
    with threadpool_limits(limits=1):  # several threads wait longer than they work
        folds = _Folds(features, vectors, order[sentence_of] % FOLDS)
        for part, (start, end) in enumerate(pairwise(ends)):
            tried = [
                folds.r2(start, np.full(end - start, strength, np.float32))
                for strength in STRENGTHS
            ]
            alone[part] = max(tried)
            penalties[start:end] = STRENGTHS[int(np.argmax(tried))]
        further = [folds.r2(0, penalties[:end]) for end in ends[2:]]
    return alone, np.array([alone[0], *further])


def mean_of_others(vectors: Array, sentence_of: Ids) -> Array:
    """Of each token the mean vector of the other tokens in its sentence, (n, hidden_size)."""
    counts = np.bincount(sentence_of)
    sums = np.add.reduceat(vectors, np.cumsum([0, *counts[:-1]]), axis=0)
    others = (sums[sentence_of] - vectors) / (counts[sentence_of, None] - 1)
    return others.astype(np.float32, copy=False)


def _scaled(part: NDArray[Any]) -> Array:
    """Centred, the mean variance of its numbers 1, so that strengths of parts compare."""
    centred = part - part.mean(axis=0, dtype=np.float64)
    spread = float(np.sqrt((centred**2).mean()))
    return (centred / (spread or 1)).astype(np.float32)


class _Folds:
    """Products of features and targets in each fold, from which every regression follows."""

    def __init__(self, features: Array, targets: Array, fold: Ids) -> None:
        centred = targets - targets.mean(axis=0, dtype=np.float64).astype(np.float32)
        ones = np.ones((len(features), 1), np.float32)
        rows = (
            np.hstack([part[fold == number] for part in (ones, features, centred)])
            for number in range(FOLDS)
        )
        held = [part.T @ part for part in rows]
        every = sum(held)
        self._folds = []
        for own in held:
            others = every - own
            means = others[0] / others[0, 0]
            self._folds.append((_around(others, means) / others[0, 0], _around(own, means)))
        self._targets = slice(1 + features.shape[1], None)

    def r2(self, start: int, penalties: Array) -> float:
        """R² on each fold in turn, weights from the others; features are those from `start` on."""
        from scipy.linalg import solve

        error = total = 0.0
        x, y = slice(1 + start, 1 + start + len(penalties)), self._targets
        for others, own in self._folds:
            scatter = others[x, x] + np.diag(penalties)
            weights = solve(scatter, others[x, y], assume_a="pos", overwrite_a=True)
            # (y - x w)² = y² - 2 w x y + w x x w, summed over the tokens of the fold.
            change = own[x, x] @ weights - 2 * own[x, y]
            squares = float(np.trace(own[y, y], dtype=np.float64))
            error += squares + float(np.einsum("ij,ij->", weights, change, dtype=np.float64))
            total += squares
        return 1 - error / total if total > 0 else 0.0


def _around(products: Array, means: Array) -> Array:
    """Products of columns, the first of which is of ones, once their means are taken away."""
    away = np.outer(products[0], means)
    return products - away - away.T + products[0, 0] * np.outer(means, means)
