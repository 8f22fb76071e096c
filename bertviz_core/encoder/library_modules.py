"""The library's own modules: the embedding layer, for the sum in every order, and the pooler."""

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine, frozen
from bertviz_core.encoder.batches import batch_tensors, to_numpy
from bertviz_core.encoder.model import Encoder
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import TokenizedText

# The first two are added, then the third; the library's order first.
ORDERS = tuple(permutations(("word", "token_type", "position")))


class OrderComparison(NamedTuple):
    """The sum of the three embeddings in each of `ORDERS` beside `model.embeddings`; read-only."""

    sum_differences: Exact  # (6,), the largest between the sum and that in the library's order
    differences: Exact  # (6,), the largest between LayerNorm of the sum and the module's output
    equal_cells: Exact  # float64 (6,), share of numbers equal to the last bit, 0 to 1
    largest: float  # largest absolute number the module returns
    cells: int  # how many numbers were compared


def sums_in_all_orders(encoder: Encoder, text: TokenizedText) -> OrderComparison:
    """Add the three embeddings in each of six orders, in float32, and compare with the module."""
    import torch

    own = encoder.embedding_layer(text)
    layer = encoder.model.embeddings
    ids = batch_tensors([text])
    with torch.inference_mode():
        rows = {
            "word": layer.word_embeddings(ids["input_ids"]),
            "token_type": layer.token_type_embeddings(ids["token_type_ids"]),
            "position": layer.position_embeddings(ids["position_ids"]),
        }
        sums = [rows[a] + rows[b] + rows[c] for a, b, c in ORDERS]
        outputs = [layer.LayerNorm(summed)[0].numpy() for summed in sums]
    apart = [np.abs((summed - sums[0]).numpy()).max() for summed in sums]
    return OrderComparison(
        sum_differences=frozen(apart, np.float64),
        differences=frozen([np.abs(output - own).max() for output in outputs], np.float64),
        equal_cells=frozen([np.mean(output == own) for output in outputs], np.float64),
        largest=float(np.abs(own).max()),
        cells=own.size,
    )


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
