"""One number of one token's input embedding, step by step: what is added, divided, multiplied."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings

# The first four steps add a number; the rest are LayerNorm's, on a scale of their own.
STEPS = ("word", "token_type", "position", "- mean", "/ deviation", "* weight", "+ bias")
ADDED = 4


@dataclass(frozen=True, eq=False)
class Waterfall:
    """How one token's number in one dimension comes about; all read-only, one value a step.

    Attributes:
        dimension: Which dimension.
        operands: float64 (7,), what each of `STEPS` adds, subtracts, divides or multiplies by.
        changes: float64 (7,), by how much each step changes the number.
        running: float64 (7,), the number after each step: the sum of the changes so far. The last
            is the output, up to float32 rounding.
        contributions: float64 (4,), what token, segment, position and LayerNorm's bias bring to
            the output, in the output's unit: weight * (part - mean(part)) / deviation for the
            three parts. Their sum is the output.
    """

    dimension: int
    operands: NDArray[np.float64]
    changes: NDArray[np.float64]
    running: NDArray[np.float64]
    contributions: NDArray[np.float64]

    @property
    def output(self) -> float:
        return float(self.running[-1])


def waterfall(bert: "Bert", parts: "InputEmbeddings", place: int, dimension: int) -> Waterfall:
    """Follow one number from the three tables to the output of LayerNorm.

    Args:
        bert: The checkpoint the parts come from.
        parts: From `input_embeddings`.
        place: Position of the token, 0 to seq_len - 1.
        dimension: 0 to hidden_size - 1.

    Returns:
        Seven steps, computed in float64.

    Raises:
        UserInputError: There is no such token or dimension.

    References:
        `BertEmbeddings` in transformers; Ba et al. (2016), "Layer Normalization".
    """
    seq_len, hidden_size = parts.word.shape
    if not 0 <= place < seq_len:
        raise UserInputError(f"There is no token {place}; choose 0 to {seq_len - 1}.")
    if not 0 <= dimension < hidden_size:
        raise UserInputError(f"There is no dimension {dimension}; choose 0 to {hidden_size - 1}.")
    rows = np.stack([parts.word[place], parts.token_type[place], parts.position[place]])
    rows = rows.astype(np.float64)  # (3, hidden_size)
    summed = rows.sum(axis=0)
    mean, deviation = summed.mean(), np.sqrt(summed.var() + bert.layer_norm_eps)
    weight = float(bert.tables.layer_norm_weight[dimension])
    bias = float(bert.tables.layer_norm_bias[dimension])
    word, token_type, position = rows[:, dimension]
    centred = summed[dimension] - mean
    divided = centred / deviation
    scaled = divided * weight
    running = np.array(
        [
            word,
            word + token_type,
            word + token_type + position,
            centred,
            divided,
            scaled,
            scaled + bias,
        ]
    )
    own = (rows[:, dimension] - rows.mean(axis=1)) / deviation * weight
    found = Waterfall(
        dimension=dimension,
        operands=np.array([word, token_type, position, mean, deviation, weight, bias]),
        changes=np.diff(running, prepend=0.0),
        running=running,
        contributions=np.append(own, bias),
    )
    for array in (found.operands, found.changes, found.running, found.contributions):
        array.setflags(write=False)
    return found
