"""BERT's forward pass on torch's own layers: what `transformers.BertModel` computes in eval mode.

To import that library takes longer than to run most texts, and 150 MB of memory. It is imported
only where a page shows what its own modules return. A test holds that both are equal.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from bertviz_core.bert import Bert

if TYPE_CHECKING:
    import torch

    from bertviz_core.encoder.batches import Batch

Activation = Callable[["torch.Tensor"], "torch.Tensor"]
# Names of torch's own layer, and BERT's. The first three matrices of BERT are one there.
OF_BERT = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}
JOINED = ("query", "key", "value")


class ForwardPass:
    """The layers of a checkpoint. Batches are on the CPU, results where the weights are."""

    def __init__(
        self, bert: Bert, parameters: Mapping[str, "torch.Tensor"], *, fused: bool | None = None
    ) -> None:
        """Take the weights by transformers' names, all of one dtype and on one device.

        `fused` says whether torch may compute a layer in one step; None: on the CPU only.
        """
        from torch.nn.functional import layer_norm

        self._tables = {
            name: parameters[f"embeddings.{name}.weight"]
            for name in ("word_embeddings", "token_type_embeddings", "position_embeddings")
        }
        self._device = self._tables["word_embeddings"].device
        self._norm = partial(
            layer_norm,
            normalized_shape=(bert.hidden_size,),
            weight=parameters["embeddings.LayerNorm.weight"],
            bias=parameters["embeddings.LayerNorm.bias"],
            eps=bert.layer_norm_eps,
        )
        # On CUDA that step computes GELU by its approximation with tanh, whatever the layer's
        # activation is: hidden states were 0.032 off transformers', without it 8.5e-6 (torch 2.11
        # on an H200; on the CPU 6e-6 with and without it).
        fused = self._device.type == "cpu" if fused is None else fused
        names = [f"encoder.layer.{number}" for number in range(bert.num_hidden_layers)]
        self._layers = [_Layer(bert, parameters, name, fused) for name in names]

    def states(
        self, batch: "Batch", rows: "torch.Tensor", positions: "torch.Tensor"
    ) -> "torch.Tensor":
        """Input embedding and output of each layer, (layers + 1, n, hidden), for n tokens.

        Token i is at `positions[i]` of text `rows[i]`.
        """
        import torch

        rows, positions = rows.to(self._device), positions.to(self._device)
        padding = self._padding(batch)
        states = self._embedded(batch)
        by_layer = [states[rows, positions]]
        for layer in self._layers:
            states = layer(states, padding)
            by_layer.append(states[rows, positions])
        return torch.stack(by_layer)

    def attention(self, batch: "Batch", positions: Sequence[int]) -> "torch.Tensor":
        """The softmax at some positions in every layer, (layers, texts, heads, n, longest)."""
        import torch

        padding = self._padding(batch)
        states = self._embedded(batch)
        weights = []
        for layer in self._layers:
            weights.append(layer.weights(states[:, list(positions)], states, padding))
            states = layer(states, padding)
        return torch.stack(weights)

    def _embedded(self, batch: "Batch") -> "torch.Tensor":
        """LayerNorm of the sum, (texts, longest, hidden)."""
        from torch.nn.functional import embedding

        def rows(ids: str, table: str) -> "torch.Tensor":
            return embedding(batch[ids].to(self._device), self._tables[table])

        word = rows("input_ids", "word_embeddings")
        segment = rows("token_type_ids", "token_type_embeddings")
        return self._norm(word + segment + rows("position_ids", "position_embeddings"))

    def _padding(self, batch: "Batch") -> "torch.Tensor | None":
        """What is added to attention, 0 or -inf, (texts, longest); None without padding."""
        real = batch["attention_mask"]
        return None if bool(real.all()) else real.log().to(self._device)


class _Layer:
    """Attention, then two dense layers; each result is added to its input.

    Fused, torch computes it in one step. A pass of single steps waits for other threads 130 times:
    in a crowd of 100 (`benchmarks/crowd.py`) it took 53 ms on average, and takes 37.
    """

    def __init__(
        self, bert: Bert, parameters: Mapping[str, "torch.Tensor"], name: str, fused: bool
    ) -> None:
        import torch

        function = activation(bert)
        self._heads = int(bert.settings["num_attention_heads"])
        self._whole = torch.nn.TransformerEncoderLayer(
            bert.hidden_size,
            self._heads,
            int(bert.settings["intermediate_size"]),
            dropout=0,
            # torch fuses a layer only where the activation is its own function itself.
            activation=function if fused else partial(function),
            layer_norm_eps=bert.layer_norm_eps,
            batch_first=True,
            device="meta",
        )
        weights = {
            f"{part}.{kind}": parameters[f"{name}.{of_bert}.{kind}"]
            for part, of_bert in OF_BERT.items()
            for kind in ("weight", "bias")
        }
        for kind in ("weight", "bias"):
            each = [parameters[f"{name}.attention.self.{part}.{kind}"] for part in JOINED]
            weights[f"self_attn.in_proj_{kind}"] = torch.cat(each)
        self._whole.eval().load_state_dict(weights, assign=True)

    def __call__(self, states: "torch.Tensor", padding: "torch.Tensor | None") -> "torch.Tensor":
        """What goes on to the next layer, (texts, longest, hidden)."""
        after: torch.Tensor = self._whole(states, src_key_padding_mask=padding)
        return after

    def weights(
        self, asking: "torch.Tensor", states: "torch.Tensor", padding: "torch.Tensor | None"
    ) -> "torch.Tensor":
        """The weights of attention, written out: torch's own function does not return them."""
        from torch.nn.functional import linear

        attention = self._whole.self_attn
        (query, key, _), (of_query, of_key, _) = (
            joined.chunk(3) for joined in (attention.in_proj_weight, attention.in_proj_bias)
        )
        queries = self._by_head(linear(asking, query, of_query))
        keys = self._by_head(linear(states, key, of_key))
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5
        if padding is not None:
            scores = scores + padding[:, None, None]
        return scores.softmax(dim=-1)  # (texts, heads, tokens that ask, longest)

    def _by_head(self, vectors: "torch.Tensor") -> "torch.Tensor":
        # (texts, heads, tokens, size of a head)
        return vectors.view(*vectors.shape[:2], self._heads, -1).transpose(1, 2)


def activation(bert: Bert) -> Activation:
    """The function between the two dense layers, one of `settings.ACTIVATIONS`."""
    from torch.nn import functional

    name = str(bert.settings["hidden_act"])
    if name in ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"):
        return partial(functional.gelu, approximate="tanh")
    function: Activation = getattr(functional, name)
    return function
