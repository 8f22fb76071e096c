"""One backward pass: which rows of the three tables would change to make two words more alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.encoder.batches import batch_tensors
from bertviz_core.encoder.model import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    import torch

MAX_TOKENS = 128  # a backward pass keeps the states of all layers in memory
TABLES = ("word_embeddings", "position_embeddings", "token_type_embeddings")


class BackwardPass(NamedTuple):
    """The gradient of one loss with respect to the tables; arrays are float32, read-only."""

    cosine: float  # similarity of the two words after the last layer, in [-1, 1]
    word_rows: Array  # (vocab_size,), length of the gradient of each row of the token table
    position_rows: Array  # (max_position_embeddings,), the same for positions
    token_type_rows: Array  # (type_vocab_size,), the same for segments


def backward_pass(
    encoder: Encoder, text: TokenizedText, first: Sequence[int], second: Sequence[int]
) -> BackwardPass:
    """The gradient of 1 - cosine of two words after the last layer; no parameter is updated."""
    import torch

    text.check_for(encoder.bert)
    if len(text) > MAX_TOKENS:
        raise UserInputError(
            f"The text has {len(text)} tokens; a backward pass takes at most {MAX_TOKENS} here, "
            "because it keeps what every layer computed. Shorten the text."
        )
    model = encoder.model
    tables = [getattr(model.embeddings, name).weight for name in TABLES]
    # Gradient mode is set for this thread alone; autograd.grad writes nothing to the shared model.
    with torch.inference_mode(False), torch.enable_grad():
        states = model(**batch_tensors([text])).last_hidden_state[0]
        words = [states[list(pieces)].mean(dim=0) for pieces in (first, second)]
        cosine = torch.nn.functional.cosine_similarity(words[0], words[1], dim=0)
        gradients = torch.autograd.grad(1 - cosine, tables)
    return BackwardPass(float(cosine.detach()), *map(_lengths, gradients))


def _lengths(gradient: "torch.Tensor") -> Array:
    """The length of each row, summed in float64 without a float64 copy of a large gradient."""
    rows = gradient.numpy()
    return frozen(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)))
