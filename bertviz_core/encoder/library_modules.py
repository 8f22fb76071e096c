"""The library's pooler, step by step."""

from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, cosine
from bertviz_core.encoder.batches import batch_tensors, to_numpy
from bertviz_core.encoder.model import Encoder
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import TokenizedText


class PoolerSteps(NamedTuple):
    """The steps from the [CLS] vector to the pooler's output; float32 (hidden_size,), read-only."""

    cls: Array  # the vector of [CLS] after the last layer
    dense: Array  # W cls + b, with the weights of the pooler
    output: Array  # tanh of `dense`, in [-1, 1]
    own: Array  # `pooler_output` of the model's own forward pass
    difference: float  # largest absolute one of `output` and `own`
    cosine: float  # cosine similarity of `cls` and `output`, in [-1, 1]
    zero_bias: bool  # as in a fresh model: most likely the pooler was never trained

    def columns(self) -> dict[str, Any]:
        """One row a dimension."""
        return {
            "dimension": np.arange(self.cls.size),
            "[CLS], last layer": self.cls,
            "after dense": self.dense,
            "after tanh": self.output,
            "pooler_output": self.own,
        }


def pooler_steps(encoder: Encoder, text: TokenizedText) -> PoolerSteps:
    """Run a text through the model, then compute by hand what `BertPooler` does."""
    import torch

    if not encoder.has_pooler:
        raise ModelUnavailableError(
            f"{encoder.bert.checkpoint.weights.name} of {encoder.bert.name} has no pooler: this "
            "checkpoint was trained or saved without one. Choose another model for this view."
        )
    text.check_for(encoder.bert)
    layer = encoder.model.pooler.dense
    with torch.inference_mode():
        result = encoder.model(**batch_tensors([text]))
        cls = result.last_hidden_state[:, 0]  # (1, hidden_size)
        dense = torch.nn.functional.linear(cls, layer.weight, layer.bias)
        output = torch.tanh(dense)
        # A copy, so that the states of all other tokens need not stay in memory.
        cls = cls.clone()
    by_hand, own = to_numpy(output[0]), to_numpy(result.pooler_output[0])
    return PoolerSteps(
        cls=to_numpy(cls[0]),
        dense=to_numpy(dense[0]),
        output=by_hand,
        own=own,
        difference=float(np.abs(by_hand - own).max()),
        cosine=float(cosine(to_numpy(cls[0]), by_hand)),
        zero_bias=not bool(layer.bias.detach().any()),
    )
