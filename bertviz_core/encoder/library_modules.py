"""The library's own model: its pooler, and one backward pass through it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen
from bertviz_core.encoder.forward import batch_tensors
from bertviz_core.encoder.model import Encoder
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.tokens import TokenizedText
from bertviz_core.tokens.tokenized_text import check_each

if TYPE_CHECKING:
    import torch


class PoolerSteps(NamedTuple):
    """The steps from the [CLS] vector to the pooler's output; float32 (hidden_size,), read-only."""

    cls: Array  # the vector of [CLS] after the last layer
    dense: Array  # W cls + b, with the weights of the pooler
    output: Array  # tanh of `dense`, in [-1, 1]
    pooled: Array  # `pooler_output` of the model's own forward pass
    difference: float  # largest absolute one of `output` and `pooled`
    cosine: float  # cosine similarity of `cls` and `output`, in [-1, 1]
    zero_bias: bool  # as in a fresh model: most likely the pooler was never trained

    def columns(self) -> dict[str, Any]:
        """One row a dimension."""
        return {
            "dimension": np.arange(self.cls.size),
            "[CLS], last layer": self.cls,
            "after dense": self.dense,
            "after tanh": self.output,
            "pooler_output": self.pooled,
        }


def pooler_steps(encoder: Encoder, text: TokenizedText) -> PoolerSteps:
    """Run a text through the model, then compute by hand what `BertPooler` does."""
    import torch

    if not encoder.has_pooler:
        raise ModelUnavailableError(
            f"{encoder.bert.checkpoint.weights.name} of {encoder.bert.name} has no pooler: this "
            "checkpoint was trained or saved without one. Choose another model for this view."
        )
    check_each([text], encoder.bert)
    layer = encoder.model.pooler.dense
    with torch.inference_mode():
        result = encoder.model(**batch_tensors([text]))
        cls = result.last_hidden_state[:, 0]  # (1, hidden_size)
        dense = torch.nn.functional.linear(cls, layer.weight, layer.bias)
        output = torch.tanh(dense)
    by_hand = frozen(output[0].numpy())
    pooled = frozen(result.pooler_output[0].numpy())
    return PoolerSteps(
        cls=frozen(cls[0].numpy()),
        dense=frozen(dense[0].numpy()),
        output=by_hand,
        pooled=pooled,
        difference=float(np.abs(by_hand - pooled).max()),
        cosine=float(cosine(cls[0].numpy(), by_hand)),
        zero_bias=not bool(layer.bias.detach().any()),
    )


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

    check_each([text], encoder.bert)
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
