"""What the three parts of an input embedding contribute, and what LayerNorm does to their sum."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, LayerNormSteps, cosine, frozen, layer_norm, ratio
from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.errors import expect
from bertviz_core.result import Result, top

PARTS = ("word", "token_type", "position")  # the library's order of addition
PART_NAMES = ("token", "segment", "position")  # the same, as pages name them
STEPS = ("token", "+ segment", "+ position", "− mean", "÷ deviation", "× weight", "+ bias")


@dataclass(frozen=True, eq=False, repr=False)
class PartShares(Result):
    """What the three parts of each token's vector contribute to it; row k is `PARTS[k]`."""

    norms: Array  # float32 (3, seq_len), length of each part
    summed_norms: Array  # float32 (seq_len,), length of the sum of the three
    cosines: Array  # float32 (3, seq_len), of each part with the sum
    # float64 (3, seq_len), of the output without LayerNorm's bias. The three of a token add up to
    # 1; a part that points against the output has a share below 0.
    shares: Exact
    bias_shares: Exact  # (seq_len,), of the bias in the whole output: <bias, output> / ||output||²
    output_norms: Array  # float32 (seq_len,), length of the output of LayerNorm

    def columns(self) -> dict[str, Any]:
        """One row a token."""
        by_part = (
            ("share", self.shares),
            ("length", self.norms),
            ("cosine with sum", self.cosines),
        )
        return {
            "position": np.arange(len(self.summed_norms)),
            **{
                f"{part}: {title}": row
                for title, rows in by_part
                for part, row in zip(PART_NAMES, rows, strict=True)
            },
            "bias: share of the output": self.bias_shares,
            "sum: length": self.summed_norms,
            "output: length": self.output_norms,
        }

    def _summary(self) -> str:
        means = top(PART_NAMES, self.shares.mean(axis=1))
        return f"{len(self.summed_norms):,} tokens; mean shares {means}"


def part_shares(bert: Bert, parts: InputEmbeddings) -> PartShares:
    """Measure what token, segment and position contribute to each token's input embedding.

    Given a token's deviation, LayerNorm is linear in the sum before its bias: `output` - bias is
    the sum of three vectors v_k = weight * (part_k - mean(part_k)) / deviation. The share of part
    k is the part of their sum's squared length that it brings:
    <v_k, output - bias> / ||output - bias||². The three add up to 1. The bias is a fourth part of
    the output, and has a share of its own.

    Args:
        bert: The checkpoint the parts come from.
        parts: From `input_embeddings`.

    Returns:
        Lengths, cosines and shares; computed in float64 from the float32 rows. Where
        `output` - bias is zero, its three shares are 0.

    References:
        Kobayashi et al. (2021), "Incorporating Residual and Normalization Layers into Analysis
        of Masked Language Models", for taking LayerNorm apart with the deviation held fixed.

    Example:
        >>> from bertviz_core.embeddings import input_embeddings
        >>> from bertviz_core.tokens import tokenize
        >>> shares = part_shares(bert, input_embeddings(bert, tokenize(bert, "I love pythons")))
        >>> shares.shares[:, 3].round(2).tolist()  # python: token, segment, position
        [0.89, 0.04, 0.07]
    """
    expect(parts, InputEmbeddings, "InputEmbeddings, from input_embeddings")
    rows, summed, norm, scaled = _normed(bert, parts)
    bias, unbiased, output = bert.tables.layer_norm_bias, norm.scaled, norm.output
    shares = ratio(np.vecdot(scaled, unbiased), np.vecdot(unbiased, unbiased))
    bias_shares = ratio(np.vecdot(bias.astype(np.float64), output), np.vecdot(output, output))
    return PartShares(
        norms=frozen(np.linalg.norm(rows, axis=-1)),
        summed_norms=frozen(np.linalg.norm(summed, axis=-1)),
        cosines=frozen(cosine(rows, summed)),
        shares=frozen(shares, np.float64),
        bias_shares=frozen(bias_shares, np.float64),
        output_norms=frozen(np.linalg.norm(norm.output, axis=-1)),
    )


class LayerNormWalk(NamedTuple):
    """How the output of LayerNorm comes about, step by step; float64 and read-only."""

    vectors: Exact  # (7, seq_len, hidden_size), each token's vector after each of `STEPS`
    means: Exact  # (seq_len,), what is subtracted from all numbers of a token's sum
    deviations: Exact  # (seq_len,), what the rest is divided by


def layer_norm_walk(bert: Bert, parts: InputEmbeddings) -> LayerNormWalk:
    """Follow every number from the three tables to the output of LayerNorm. Ba et al. (2016)."""
    rows, _, norm, _ = _normed(bert, parts)
    vectors = [*rows.cumsum(axis=0), norm.centred, norm.divided, norm.scaled, norm.output]
    each = vectors, norm.mean[:, 0], norm.deviation[:, 0]
    return LayerNormWalk(*(frozen(one, np.float64) for one in each))


def _normed(bert: Bert, parts: InputEmbeddings) -> tuple[Exact, Exact, LayerNormSteps, Exact]:
    """The parts (3, seq_len, hidden_size), their sum, its LayerNorm, and that of each part.

    The last ones and the bias add up to the output.
    """
    rows = np.stack([getattr(parts, name) for name in PARTS]).astype(np.float64)
    summed, tables = rows.sum(axis=0), bert.tables
    weight, bias = tables.layer_norm_weight, tables.layer_norm_bias
    norm = layer_norm(summed, weight, bias, bert.layer_norm_eps)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    return rows, summed, norm, centred / norm.deviation * weight
