"""BERT's embedding layer: three look-ups, a sum, a LayerNorm; and what each part contributes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, cosine, frozen, ratio, read_only
from bertviz_core.bert import Bert
from bertviz_core.errors import expect_each
from bertviz_core.result import Result
from bertviz_core.tokens import TokenizedText
from bertviz_core.tokens.tokenized_text import check_each


@dataclass(frozen=True, eq=False, repr=False)
class InputEmbeddings(Result):
    """What enters BERT's first layer, and the parts it is the sum of.

    Each is float32 (seq_len, hidden_size) and read-only; row i belongs to token i.

    Attributes:
        word: Rows of the token table.
        token_type: Rows of the segment table.
        position: Rows of the position table.
        summed: word + token_type + position, before LayerNorm.
        output: LayerNorm of `summed`: the input embedding, equal to `hidden_states[0]`.
    """

    word: Array
    token_type: Array
    position: Array
    summed: Array
    output: Array

    def arrays(self) -> dict[str, Array]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def columns(self) -> dict[str, Any]:
        """One row a token and dimension (long form), one column a part.

        For one column a dimension take an array itself: `pandas.DataFrame(parts.output)`.
        """
        seq_len, hidden_size = self.word.shape
        return {
            "position": np.repeat(np.arange(seq_len), hidden_size),
            "dimension": np.tile(np.arange(hidden_size), seq_len),
            **{f"{name}_embedding": part.ravel() for name, part in self.arrays().items()},
        }


@overload
def input_embeddings(bert: Bert, text: TokenizedText) -> InputEmbeddings: ...
@overload
def input_embeddings(bert: Bert, text: Sequence[TokenizedText]) -> list[InputEmbeddings]: ...
def input_embeddings(
    bert: Bert, text: TokenizedText | Sequence[TokenizedText]
) -> InputEmbeddings | list[InputEmbeddings]:
    """Look up the embeddings that enter BERT's first layer, part by part.

    Args:
        bert: The checkpoint to read the tables from.
        text: A sequence of seq_len tokens, from `tokenize`, or a list of such.

    Returns:
        Five float32 arrays of shape (seq_len, hidden_size), row i for token i. No unit.
        Of a list of texts a list.

    Raises:
        TypeError: `text` is not tokenized.
        UserInputError: `text` was tokenized for another checkpoint, an id is out of range, or the
            model knows one segment only and the text is a pair.

    References:
        Devlin et al. (2019), section 3, figure 2; `BertEmbeddings` in transformers.

    Example:
        >>> from bertviz_core.tokens import tokenize
        >>> parts = input_embeddings(bert, tokenize(bert, "I love pythons"))
        >>> parts.output.shape  # 6 tokens
        (6, 384)
    """
    if not isinstance(text, TokenizedText):
        texts = expect_each(text, TokenizedText, "a TokenizedText, or a list of them")
        return [input_embeddings(bert, one) for one in texts]
    check_each([text], bert)
    tables = bert.tables
    word = tables.word_embeddings[text.input_ids]
    token_type = tables.token_type_embeddings[text.token_type_ids]
    position = tables.position_embeddings[text.position_ids]
    # The library adds in this order; in any other the sum differs in its last bits.
    summed = word + token_type + position
    output = layer_norm(bert, summed).output.astype(np.float32)
    return InputEmbeddings(*map(read_only, (word, token_type, position, summed, output)))


class LayerNormSteps(NamedTuple):
    """The steps of LayerNorm: float64 (..., hidden_size), one mean and one deviation a row."""

    mean: Exact  # (..., 1)
    deviation: Exact  # (..., 1), the square root of the variance plus eps
    centred: Exact  # the row minus its mean
    divided: Exact  # that divided by the deviation
    scaled: Exact  # that times the learned weight
    output: Exact  # that plus the learned bias


def layer_norm(bert: Bert, values: NDArray[Any]) -> LayerNormSteps:
    """Standardize each row, then multiply by the weight and add the bias: `torch.nn.LayerNorm`."""
    exact = values.astype(np.float64)
    mean = exact.mean(axis=-1, keepdims=True)
    centred = exact - mean
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + bert.layer_norm_eps)
    divided = centred / deviation
    scaled = divided * bert.tables.layer_norm_weight
    output = scaled + bert.tables.layer_norm_bias
    return LayerNormSteps(mean, deviation, centred, divided, scaled, output)


PART_NAMES = ("token", "segment", "position")  # in the library's order of addition
STEPS = ("token", "+ segment", "+ position", "− mean", "÷ deviation", "× weight", "+ bias")


@dataclass(frozen=True, eq=False, repr=False)
class PartShares(Result):
    """What the parts of each token's vector contribute to it; one row for each of `PART_NAMES`."""

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
        by_title: dict[str, NDArray[Any]] = {
            "share": self.shares,
            "length": self.norms,
            "cosine with sum": self.cosines,
        }
        return {
            "position": np.arange(len(self.summed_norms)),
            **{
                f"{part}: {title}": row
                for title, rows in by_title.items()
                for part, row in zip(PART_NAMES, rows, strict=True)
            },
            "bias: share of the output": self.bias_shares,
            "sum: length": self.summed_norms,
            "output: length": self.output_norms,
        }


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
        >>> from bertviz_core.tokens import tokenize
        >>> shares = part_shares(bert, input_embeddings(bert, tokenize(bert, "I love pythons")))
        >>> shares.shares[:, 3].round(2).tolist()  # python: token, segment, position
        [0.89, 0.04, 0.07]
    """
    rows = np.stack([parts.word, parts.token_type, parts.position]).astype(np.float64)
    summed = rows.sum(axis=0)
    norm = layer_norm(bert, summed)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    scaled = centred / norm.deviation * bert.tables.layer_norm_weight  # their sum is norm.scaled
    shares = ratio(np.vecdot(scaled, norm.scaled), np.vecdot(norm.scaled, norm.scaled))
    bias = bert.tables.layer_norm_bias.astype(np.float64)
    bias_shares = ratio(np.vecdot(bias, norm.output), np.vecdot(norm.output, norm.output))
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
    rows = np.stack([parts.word, parts.token_type, parts.position])
    added = rows.cumsum(axis=0, dtype=np.float64)
    norm = layer_norm(bert, added[-1])
    vectors = [*added, norm.centred, norm.divided, norm.scaled, norm.output]
    return LayerNormWalk(
        vectors=frozen(vectors, np.float64),
        means=frozen(norm.mean[:, 0], np.float64),
        deviations=frozen(norm.deviation[:, 0], np.float64),
    )
