"""Dimensions: the tokens at the ends of one, and the few that are far from all others."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.embeddings import InputEmbeddings

MOST = 100


class DimensionExtremes(NamedTuple):
    """The tokens with the largest and smallest numbers in one dimension; read-only."""

    highest: Ids  # int64 (k,), ids of the tokens with the largest values, the largest first
    lowest: Ids  # the same of the smallest
    values: Array  # float32 (vocab_size,), the whole column of the table, in order of id
    candidates: NDArray[np.bool_]  # bool (vocab_size,), which rows `keep` allows
    mean: float  # mean of the candidates' values
    deviation: float  # their standard deviation


def extreme_tokens(
    bert: Bert, dimension: int, k: int = 10, keep: Keep = "all"
) -> DimensionExtremes:
    """The k tokens, up to 100, with the largest and the smallest number in one dimension."""
    allowed = bert.vocabulary.allowed(keep)
    values = frozen(bert.tables.word_embeddings[:, dimension])
    ids = np.flatnonzero(allowed)
    rising = np.argsort(values[ids], kind="stable")
    falling = np.argsort(-values[ids], kind="stable")
    exact = values[ids].astype(np.float64)
    return DimensionExtremes(
        highest=frozen(ids[falling[:k]], np.int64),
        lowest=frozen(ids[rising[:k]], np.int64),
        values=values,
        candidates=read_only(allowed),
        mean=float(exact.mean()) if exact.size else 0.0,
        deviation=float(exact.std()) if exact.size else 0.0,
    )


class OutlierDimensions(NamedTuple):
    """How far every dimension is from the others, and which are outliers; read-only."""

    weight_scores: Array  # LayerNorm's weight in standard deviations from the mean of all
    bias_scores: Array  # float32 (hidden_size,), the same of LayerNorm's bias
    output_scores: Array  # the same of the token's output that is furthest from the mean
    dimensions: Ids  # int64, those with a score above the threshold, the furthest first
    held: float  # share of the outputs' squared length that lies in those dimensions, 0 to 1
    threshold: float  # the score beyond which a dimension counts


def outlier_dimensions(
    bert: Bert, parts: InputEmbeddings, threshold: float = 6.0
) -> OutlierDimensions:
    """Find the dimensions that differ most in LayerNorm's weight, its bias, or its outputs."""
    weight, bias = _scores(bert.tables.layer_norm_weight), _scores(bert.tables.layer_norm_bias)
    outputs = _scores(parts.output)
    furthest = outputs[np.abs(outputs).argmax(axis=0), np.arange(outputs.shape[1])]
    height = np.abs(np.stack([weight, bias, furthest])).max(axis=0)
    order = np.argsort(-height, kind="stable")
    outliers = order[height[order] > threshold].astype(np.int64)
    squares = np.square(parts.output, dtype=np.float64).sum(axis=0)
    held = float(squares[outliers].sum() / (squares.sum() or 1.0))
    return OutlierDimensions(
        read_only(weight),
        read_only(bias),
        read_only(furthest),
        read_only(outliers),
        held,
        threshold,
    )


def _scores(values: Array) -> Array:
    exact = values.astype(np.float64)
    spread = exact.std()
    centred = exact - exact.mean()
    return np.asarray(centred / spread if spread > 0 else centred * 0, dtype=np.float32)
