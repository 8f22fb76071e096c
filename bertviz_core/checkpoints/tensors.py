"""The weights of the embedding layer, and the lengths of their rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.parameters import parameter_shapes
from bertviz_core.checkpoints.weights import read_tensors
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.result import Readable

MAX_WEIGHT = 1e6  # a weight of a trained BERT is below 100; sums and squares of these stay finite


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingTables(Readable):
    """All weights of the embedding layer; float32 and read-only."""

    word_embeddings: Array  # (vocab_size, hidden_size), the token table
    position_embeddings: Array  # (max_position_embeddings, hidden_size)
    token_type_embeddings: Array  # (type_vocab_size, hidden_size), one row a segment
    layer_norm_weight: Array  # (hidden_size,), gamma in old files
    layer_norm_bias: Array  # (hidden_size,), beta
    word_norms: Array  # (vocab_size,), length of each row of `word_embeddings`


def read_tables(checkpoint: Checkpoint, settings: dict[str, Any]) -> EmbeddingTables:
    """Read the embedding layer's arrays, and nothing else."""
    shapes = parameter_shapes(settings | {"num_hidden_layers": 0}, pooler=False)
    tensors = read_tensors(checkpoint, shapes)
    for name, values in tensors.items():
        if not max(-values.min(), values.max()) <= MAX_WEIGHT:  # nor where it is NaN
            raise ModelUnavailableError(
                f"{checkpoint.weights.name} of {checkpoint.name} holds {name}: no trained weights."
            )
    words, positions, segments, weight, bias = tensors.values()
    squares = np.einsum("ij,ij->i", words, words, dtype=np.float64)
    return EmbeddingTables(words, positions, segments, weight, bias, frozen(np.sqrt(squares)))
