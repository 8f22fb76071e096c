"""How much each of the three parts of an input embedding puts into it, and what LayerNorm adds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings

Array = NDArray[np.float32]
Exact = NDArray[np.float64]
PARTS = ("word", "token_type", "position")  # the library's order of addition


@dataclass(frozen=True, eq=False)
class PartShares:
    """What the three parts of each token's vector contribute to it; all read-only.

    In the arrays of three rows, row k belongs to `PARTS[k]`.

    Attributes:
        norms: float32 (3, seq_len), Euclidean length of each part.
        summed_norms: float32 (seq_len,), length of the sum of the three.
        cosines: float32 (3, seq_len), cosine of each part with the sum, in [-1, 1]; 0 where
            either has no length.
        shares: float64 (3, seq_len), share of each part in the output; the three of a token add
            up to 1. A share is below 0 where the part points against the output.
        output_norms: float32 (seq_len,), length of the output of LayerNorm.
        bias_norm: Length of LayerNorm's bias, which belongs to no part.
    """

    norms: Array
    summed_norms: Array
    cosines: Array
    shares: Exact
    output_norms: Array
    bias_norm: float


def part_shares(bert: "Bert", parts: "InputEmbeddings") -> PartShares:
    """Measure what token, segment and position contribute to each token's input embedding.

    Given a token's deviation, LayerNorm is linear in the sum before its bias: `output` - bias is
    the sum of three vectors v_k = weight * (part_k - mean(part_k)) / deviation. The share of part
    k is the part of their sum's squared length that it brings:
    <v_k, output - bias> / ||output - bias||². The three add up to 1.

    Args:
        bert: The checkpoint the parts come from.
        parts: From `input_embeddings`.

    Returns:
        Lengths, cosines and shares; computed in float64 from the float32 rows. Where
        `output` - bias is zero, its three shares are 0.

    References:
        Kobayashi et al. (2021), "Incorporating Residual and Normalization Layers into Analysis
        of Masked Language Models", for taking LayerNorm apart with the deviation held fixed.
    """
    rows = _exact_rows(parts)
    summed = rows.sum(axis=0)
    norms, summed_norms = _lengths(rows), _lengths(summed)
    scaled = _scaled_parts(bert, rows)
    output = scaled.sum(axis=0)
    return PartShares(
        norms=_frozen(norms),
        summed_norms=_frozen(summed_norms),
        cosines=_frozen(_ratio(_dots(rows, summed), norms * summed_norms)),
        shares=_ratio(_dots(scaled, output), _dots(output, output)),
        output_norms=_frozen(_lengths(output + bert.tables.layer_norm_bias)),
        bias_norm=float(np.linalg.norm(bert.tables.layer_norm_bias.astype(np.float64))),
    )


@dataclass(frozen=True, eq=False)
class LayerNormStages:
    """What LayerNorm does to each token's sum, step by step.

    Attributes:
        means: float32 (seq_len,), what is subtracted from every dimension of the sum.
        deviations: float32 (seq_len,), what the rest is divided by.
        lengths: float32 (5, seq_len), length of the vector after each of `STAGES`.
        turned: float32 (seq_len,), cosine of the sum with the output: 1 where LayerNorm only
            changed the length.
    """

    means: Array
    deviations: Array
    lengths: Array
    turned: Array


STAGES = ("sum", "- mean", "/ deviation", "* weight", "+ bias")


def layer_norm_stages(bert: "Bert", parts: "InputEmbeddings") -> LayerNormStages:
    """Follow each token's vector through the steps of LayerNorm.

    Args:
        bert: The checkpoint the parts come from.
        parts: From `input_embeddings`.

    Returns:
        Means, deviations and lengths; computed in float64, rounded once.

    References:
        Ba et al. (2016), "Layer Normalization"; `torch.nn.LayerNorm`.
    """
    summed = _exact_rows(parts).sum(axis=0)
    deviations = _deviations(summed, bert.layer_norm_eps)
    means = summed.mean(axis=-1, keepdims=True)
    centred = summed - means
    divided = centred / deviations
    scaled = divided * bert.tables.layer_norm_weight
    output = scaled + bert.tables.layer_norm_bias
    lengths = np.stack([_lengths(v) for v in (summed, centred, divided, scaled, output)])
    return LayerNormStages(
        means=_frozen(means[:, 0]),
        deviations=_frozen(deviations[:, 0]),
        lengths=_frozen(lengths),
        turned=_frozen(_ratio(_dots(summed, output), lengths[0] * lengths[-1])),
    )


def _exact_rows(parts: "InputEmbeddings") -> Exact:
    return np.stack([getattr(parts, name) for name in PARTS]).astype(np.float64)


def _scaled_parts(bert: "Bert", rows: Exact) -> Exact:
    """(3, seq_len, hidden_size): each part as it stands in the output, without the bias."""
    deviations = _deviations(rows.sum(axis=0), bert.layer_norm_eps)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    return np.asarray(centred / deviations * bert.tables.layer_norm_weight)


def _deviations(summed: Exact, eps: float) -> Exact:
    return np.asarray(np.sqrt(summed.var(axis=-1, keepdims=True) + eps))


def _dots(left: Exact, right: Exact) -> Exact:
    return np.asarray(np.einsum("...ij,...ij->...i", left, right))


def _lengths(vectors: Exact) -> Exact:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def _ratio(above: Exact, below: Exact) -> Exact:
    below = np.broadcast_to(below, above.shape)
    found: Exact = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    found.setflags(write=False)
    return found


def _frozen(values: Exact) -> Array:
    array: Array = values.astype(np.float32)
    array.setflags(write=False)
    return array
