"""What the three parts of an input embedding contribute, and what LayerNorm does to their sum."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, LayerNormSteps, cosine, frozen, layer_norm, ratio
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.weights import read_tensors
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.errors import expect
from bertviz_core.result import Result, top

PARTS = ("word", "token_type", "position")  # the library's order of addition
PART_NAMES = ("token", "segment", "position")  # the same, as pages name them
LAYER_NORM_STEPS = ("sum of the three", "− mean", "÷ deviation", "× weight", "+ bias")
STEPS = ("token", "+ segment", "+ position", *LAYER_NORM_STEPS[1:])


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


class LayerNormLengths(NamedTuple):
    """How LayerNorm changes the length and the direction of each token's sum; all read-only."""

    means: Array  # float32 (seq_len,), what is subtracted from every dimension of the sum
    deviations: Array  # float32 (seq_len,), what the rest is divided by
    lengths: Array  # float32 (5, seq_len), length of the vector after each of `LAYER_NORM_STEPS`
    turned: Array  # (seq_len,), cosine of sum and output: 1 if only the length changed

    def columns(self) -> dict[str, Any]:
        """One row a token."""
        return {
            "position": np.arange(len(self.means)),
            "mean": self.means,
            "deviation": self.deviations,
            **{
                f"length: {step}": row
                for step, row in zip(LAYER_NORM_STEPS, self.lengths, strict=True)
            },
            "cosine of sum and output": self.turned,
        }


def layer_norm_lengths(bert: Bert, parts: InputEmbeddings) -> LayerNormLengths:
    """Follow the length of each token's vector through LayerNorm, in float64. Ba et al. (2016)."""
    _, summed, norm, _ = _normed(bert, parts)
    stages = (summed, norm.centred, norm.divided, norm.scaled, norm.output)
    return LayerNormLengths(
        means=frozen(norm.mean[:, 0]),
        deviations=frozen(norm.deviation[:, 0]),
        lengths=frozen([np.linalg.norm(vectors, axis=-1) for vectors in stages]),
        turned=frozen(cosine(summed, norm.output)),
    )


class Waterfall(NamedTuple):
    """How one token's number in one dimension comes about; one value a step, read-only."""

    operands: Exact  # float64 (7,), what each of `STEPS` adds, subtracts, divides or multiplies by
    changes: Exact  # float64 (7,), by how much each step changes the number
    running: Exact  # (7,), the number after each step; the last is the output, in float64

    def columns(self) -> dict[str, Any]:
        """One row a step."""
        return {
            "step": STEPS,
            "by": self.operands,
            "change": self.changes,
            "number after it": self.running,
        }


def waterfall(bert: Bert, parts: InputEmbeddings, position: int, dimension: int) -> Waterfall:
    """Follow one number from the three tables to the output of LayerNorm, in seven steps."""
    rows, _, whole, _ = _normed(bert, parts)
    norm = LayerNormSteps(*(step[position] for step in whole))
    added = rows[:, position, dimension]
    weight = bert.tables.layer_norm_weight[dimension]
    bias = bert.tables.layer_norm_bias[dimension]
    normed = [a[dimension] for a in (norm.centred, norm.divided, norm.scaled, norm.output)]
    running = np.array([*added.cumsum(), *normed])
    return Waterfall(
        operands=frozen([*added, *norm.mean, *norm.deviation, weight, bias], np.float64),
        changes=frozen(np.diff(running, prepend=0.0), np.float64),
        running=frozen(running, np.float64),
    )


SCORE_KINDS = (  # of the query, of the key
    *("token → token", "position → position", "token → position", "position → token"),
    "bias or segment",
)


def queries_and_keys(bert: Bert, parts: InputEmbeddings, heads: int) -> tuple[Exact, Exact]:
    """The queries and keys of layer 1, as sums of three: from token, position, and all else.

    Each is (3, heads, seq_len, size of a head); queries are scaled. Attention's scores are the
    products of the sums.
    """
    size, start = bert.hidden_size, "encoder.layer.0.attention.self."
    shapes: dict[str, tuple[int, ...]] = {}
    for name in ("query", "key"):
        shapes |= {f"{start}{name}.weight": (size, size), f"{start}{name}.bias": (size,)}
    tensors = read_tensors(bert.checkpoint, shapes)
    held = [tensor.astype(np.float64) for tensor in tensors.values()]
    *_, (token, segment, position) = _normed(bert, parts)
    rows = np.stack([token, position, segment + bert.tables.layer_norm_bias])

    def by_head(weight: Exact, own: Exact) -> Exact:
        vectors = rows @ weight.T
        vectors[2] += own
        return vectors.reshape(3, len(token), heads, -1).swapaxes(1, 2)

    return by_head(*held[:2]) / np.sqrt(size // heads), by_head(*held[2:])


def score_shares(queries: Exact, keys: Exact) -> Exact:
    """Shares of `SCORE_KINDS` in how each head's scores vary over the keys, (5, heads); sum 1.

    A softmax does not see what is the same for all keys. Ke et al. (2021).
    """
    shares = []
    for query, key in zip(queries.swapaxes(0, 1), keys.swapaxes(0, 1), strict=True):
        terms = query[:, None] @ key[None].swapaxes(-1, -2)  # (3, 3, seq_len, seq_len)
        terms -= terms.mean(axis=-1, keepdims=True)
        total = terms.sum(axis=(0, 1))
        shares.append(ratio((terms * total).sum(axis=(-2, -1)), (total**2).sum()))
    each = np.stack(shares, axis=-1)
    named = [each[0, 0], each[1, 1], each[0, 1], each[1, 0]]
    return frozen([*named, each.sum(axis=(0, 1)) - sum(named)], np.float64)


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
