"""BERT's forward pass on torch's own layers: what `transformers.BertModel` computes in eval mode.

To import that library takes longer than to run most texts, and 150 MB of memory. It is imported
only where a page shows what its own modules return. A test holds that both are equal.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    import torch

    Batch = dict[str, torch.Tensor]

Activation = Callable[["torch.Tensor"], "torch.Tensor"]
BATCH = 128  # texts at most
# Tokens at most, with padding: fewer leave the processor idle, more only take memory.
BATCH_TOKENS = 2048
SHORT = 16  # tokens: of texts as short, a batch of more tokens may have more than BATCH
# The tables that are added, in the library's order, by the numbers of their rows.
TABLES = {
    "input_ids": "word_embeddings",
    "token_type_ids": "token_type_embeddings",
    "position_ids": "position_embeddings",
}
# Names of torch's own layer, and BERT's. The first three matrices of BERT are one there.
OF_BERT = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}
JOINED = ("query", "key", "value")


def batches_by_length(
    texts: Sequence[TokenizedText], max_tokens: int = BATCH_TOKENS
) -> Iterator[list[int]]:
    """Indices of texts of similar length, so that little is padded; the longest texts first."""
    max_texts = max(BATCH, max_tokens // SHORT)
    group: list[int] = []
    for index in sorted(range(len(texts)), key=lambda i: -len(texts[i])):
        # The first of a group is its longest: all others are padded to it.
        if group and (
            len(group) == max_texts or (len(group) + 1) * len(texts[group[0]]) > max_tokens
        ):
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def batch_tensors(texts: Sequence[TokenizedText]) -> "Batch":
    """Texts padded to one length, as arguments of `BertModel`: int64 (batch, longest) each."""
    import torch

    lengths = np.array([len(text) for text in texts])
    real = np.arange(lengths.max()) < lengths[:, None]
    batch: Batch = {}
    for name in (*TABLES, "attention_mask"):
        # Padding is [PAD] = 0 in every tensor; the mask keeps it out of attention.
        rows = np.zeros(real.shape, dtype=np.int64)
        rows[real] = np.concatenate([getattr(text, name) for text in texts])
        batch[name] = torch.from_numpy(rows)
    return batch


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
            ids: parameters[f"embeddings.{table}.weight"] for ids, table in TABLES.items()
        }
        self._device = self._tables["input_ids"].device
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
        self._layers = [
            _layer(bert, parameters, f"encoder.layer.{number}", fused)
            for number in range(bert.num_hidden_layers)
        ]

    def states(
        self, batch: "Batch", rows: "torch.Tensor", positions: "torch.Tensor"
    ) -> "torch.Tensor":
        """Input embedding and output of each layer, (layers + 1, n, hidden), for n tokens.

        Token i is at `positions[i]` of text `rows[i]`.
        """
        import torch

        rows, positions = rows.to(self._device), positions.to(self._device)
        states, padding = self._embedded(batch)
        by_layer = [states[rows, positions]]
        for layer in self._layers:
            states = layer(states, src_key_padding_mask=padding)
            by_layer.append(states[rows, positions])
        return torch.stack(by_layer)

    def attention(self, batch: "Batch", positions: Sequence[int]) -> "torch.Tensor":
        """The softmax at some positions in every layer, (layers, texts, heads, n, longest)."""
        import torch

        states, padding = self._embedded(batch)
        weights = []
        for layer in self._layers:
            weights.append(_attention(layer, states[:, list(positions)], states, padding))
            states = layer(states, src_key_padding_mask=padding)
        return torch.stack(weights)

    def _embedded(self, batch: "Batch") -> "tuple[torch.Tensor, torch.Tensor | None]":
        """LayerNorm of the sum, (texts, longest, hidden), and what is added to attention.

        That is 0 or -inf, (texts, longest); None without padding.
        """
        from torch.nn.functional import embedding

        word, segment, position = (
            embedding(batch[ids].to(self._device), table) for ids, table in self._tables.items()
        )
        real = batch["attention_mask"]
        padding = None if bool(real.all()) else real.log().to(self._device)
        return self._norm(word + segment + position), padding


def _layer(
    bert: Bert, parameters: Mapping[str, "torch.Tensor"], name: str, fused: bool
) -> "torch.nn.TransformerEncoderLayer":
    """Attention, then two dense layers; each result is added to its input.

    Fused, torch computes it in one step. A pass of single steps waits for other threads 130 times:
    in a crowd of 100 (`benchmarks/crowd.py`) it took 53 ms on average, and takes 37.
    """
    import torch

    function = activation(bert)
    layer = torch.nn.TransformerEncoderLayer(
        bert.hidden_size,
        int(bert.settings["num_attention_heads"]),
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
    layer.eval().load_state_dict(weights, assign=True)
    return layer


def _attention(
    layer: "torch.nn.TransformerEncoderLayer",
    asking: "torch.Tensor",
    states: "torch.Tensor",
    padding: "torch.Tensor | None",
) -> "torch.Tensor":
    """The weights of attention, written out: torch's own function does not return them."""
    from torch.nn.functional import linear

    attention = layer.self_attn
    (query, key, _), (of_query, of_key, _) = (
        joined.chunk(3) for joined in (attention.in_proj_weight, attention.in_proj_bias)
    )
    queries, keys = (
        # (texts, heads, tokens, size of a head)
        vectors.unflatten(-1, (attention.num_heads, -1)).transpose(1, 2)
        for vectors in (linear(asking, query, of_query), linear(states, key, of_key))
    )
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if padding is not None:
        scores = scores + padding[:, None, None]
    return scores.softmax(dim=-1)  # (texts, heads, tokens that ask, longest)


def activation(bert: Bert) -> Activation:
    """The function between the two dense layers, one of `settings.ACTIVATIONS`."""
    from torch.nn import functional

    name = str(bert.settings["hidden_act"])
    if name in ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"):
        return partial(functional.gelu, approximate="tanh")
    function: Activation = getattr(functional, name)
    return function
