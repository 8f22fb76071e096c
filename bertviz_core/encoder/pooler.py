"""The pooler, step by step: the last [CLS] vector, a dense layer, tanh."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_core.encoder.batches import batch_tensors
from bertviz_core.encoder.model import Array, Encoder
from bertviz_core.errors import ModelUnavailableError, UserInputError

if TYPE_CHECKING:
    import torch

    from bertviz_core.tokens import TokenizedText


@dataclass(frozen=True, eq=False)
class PoolerSteps:
    """What the pooler makes of the [CLS] vector; float32 (hidden_size,) each, read-only.

    Attributes:
        cls: The vector of [CLS] after the last layer.
        dense: W cls + b, with the weights of the pooler.
        output: tanh of `dense`, in [-1, 1].
        own: `pooler_output` of the model's own forward pass.
        difference: Largest absolute difference between `output` and `own`.
        equal: Whether the two are equal to the last bit.
        cosine: Cosine similarity of `cls` and `output`, in [-1, 1].
        zero_bias: Whether every number of the dense layer's bias is 0, where a fresh model
            starts; then the pooler was most likely never trained.
    """

    cls: Array
    dense: Array
    output: Array
    own: Array
    difference: float
    equal: bool
    cosine: float
    zero_bias: bool


def pooler_steps(encoder: Encoder, text: "TokenizedText") -> PoolerSteps:
    """Run a text through the model, then do what the pooler does by hand.

    Args:
        encoder: The model of the checkpoint the text was tokenized for.
        text: From `tokenize`.

    Returns:
        The steps, and how the last one compares with the model's own output.

    Raises:
        ModelUnavailableError: The checkpoint holds no trained pooler, or transformers refuses it.
        UserInputError: `text` was tokenized for another checkpoint.

    References:
        `BertPooler` in transformers; Devlin et al. (2019), section 3.1, task 2, trains it to tell
        whether one sentence follows another.
    """
    import torch

    if not encoder.has_pooler:
        raise ModelUnavailableError(
            f"{encoder.bert.checkpoint.weights.name} of {encoder.bert.name} has no pooler: this "
            "checkpoint was trained or saved without one. Choose another model for this view."
        )
    if text.checkpoint != encoder.bert.name:
        raise UserInputError(
            f"The text was cut into tokens for {text.checkpoint}, not for {encoder.bert.name}; "
            "tokenize it again."
        )
    layer = encoder.model.pooler.dense
    with torch.inference_mode():
        result = encoder.model(**batch_tensors([text]))
        cls = result.last_hidden_state[:, 0]  # (1, hidden_size)
        dense = torch.nn.functional.linear(cls, layer.weight, layer.bias)
        output = torch.tanh(dense)
    by_hand, own = _leave(output), _leave(result.pooler_output)
    return PoolerSteps(
        cls=_leave(cls),
        dense=_leave(dense),
        output=by_hand,
        own=own,
        difference=float(np.abs(by_hand - own).max()),
        equal=bool(np.array_equal(by_hand, own)),
        cosine=_cosine(_leave(cls), by_hand),
        zero_bias=not bool(layer.bias.detach().any()),
    )


def _cosine(a: Array, b: Array) -> float:
    exact: NDArray[np.float64] = np.stack([a, b]).astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1).prod()
    return float(np.clip(exact[0] @ exact[1] / lengths, -1, 1)) if lengths else 0.0


def _leave(tensor: "torch.Tensor") -> Array:
    array: Array = tensor[0].numpy().copy()
    array.setflags(write=False)
    return array
