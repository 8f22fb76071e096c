"""BERT's forward pass, written out: what `transformers.BertModel` computes in eval mode.

To import the library takes longer than to run most texts, and 150 MB of memory. It is imported
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


class ForwardPass:
    """The layers of a checkpoint. Batches are on the CPU, results where the weights are."""

    def __init__(self, bert: Bert, parameters: Mapping[str, "torch.Tensor"]) -> None:
        """Take the weights by transformers' names, all of one dtype and on one device."""
        self._tables = {
            name: parameters[f"embeddings.{name}.weight"]
            for name in ("word_embeddings", "token_type_embeddings", "position_embeddings")
        }
        self._device = self._tables["word_embeddings"].device
        self._norm = _norm(bert, parameters, "embeddings.LayerNorm")
        self._layers = [
            _Layer(bert, parameters, f"encoder.layer.{n}") for n in range(bert.num_hidden_layers)
        ]

    def states(
        self, batch: "Batch", rows: "torch.Tensor", positions: "torch.Tensor"
    ) -> "torch.Tensor":
        """Input embedding and output of each layer, (layers + 1, n, hidden), for n tokens.

        Token i is at `positions[i]` of text `rows[i]`; rows rise. The last layer runs for these
        tokens alone.
        """
        import torch

        mask, states = self._mask(batch), self._embedded(batch)
        picked = [states[rows, positions]]
        for layer in self._layers[:-1]:
            states = layer(states, mask)
            picked.append(states[rows, positions])
        picked.append(self._layers[-1].at(rows, picked[-1], states, mask))
        return torch.stack(picked)

    def attention(self, batch: "Batch", positions: Sequence[int]) -> "torch.Tensor":
        """The softmax at some positions in every layer, (layers, texts, heads, n, longest)."""
        import torch

        mask, states = self._mask(batch), self._embedded(batch)
        weights = []
        for layer in self._layers:
            weights.append(layer.weights(states[:, list(positions)], states, mask))
            states = layer(states, mask)
        return torch.stack(weights)

    def _embedded(self, batch: "Batch") -> "torch.Tensor":
        """LayerNorm of the sum, (texts, longest, hidden).

        `inputs_embeds` in a batch replaces the token rows, as in transformers.
        """
        from torch.nn.functional import embedding

        def rows(ids: str, table: str) -> "torch.Tensor":
            return embedding(batch[ids].to(self._device), self._tables[table])

        given = batch.get("inputs_embeds")
        word = rows("input_ids", "word_embeddings") if given is None else given.to(self._device)
        segment = rows("token_type_ids", "token_type_embeddings")
        return self._norm(word + segment + rows("position_ids", "position_embeddings"))

    def _mask(self, batch: "Batch") -> "torch.Tensor | None":
        """What attention may look at, bool (texts, 1, 1, longest); None without padding."""
        real = batch["attention_mask"].bool()
        return None if bool(real.all()) else real[:, None, None].to(self._device)


class _Layer:
    """Attention, then two dense layers; each result is added to its input."""

    def __init__(self, bert: Bert, parameters: Mapping[str, "torch.Tensor"], name: str) -> None:
        self._query, self._key, self._value = (
            _dense(parameters, f"{name}.attention.self.{part}")
            for part in ("query", "key", "value")
        )
        self._joined = _dense(parameters, f"{name}.attention.output.dense")
        self._joined_norm = _norm(bert, parameters, f"{name}.attention.output.LayerNorm")
        self._wide = _dense(parameters, f"{name}.intermediate.dense")
        self._narrow = _dense(parameters, f"{name}.output.dense")
        self._narrow_norm = _norm(bert, parameters, f"{name}.output.LayerNorm")
        self._heads = int(bert.settings["num_attention_heads"])
        self._activation = activation(bert)

    def __call__(self, states: "torch.Tensor", mask: "torch.Tensor | None") -> "torch.Tensor":
        seen = self._attention(self._query(states), states, mask)
        return self._feed_forward(seen, states)  # (texts, longest, hidden)

    def at(
        self,
        rows: "torch.Tensor",
        picked: "torch.Tensor",
        states: "torch.Tensor",
        mask: "torch.Tensor | None",
    ) -> "torch.Tensor":
        """The output for the picked tokens alone, which attend to their whole text."""
        import torch

        counts = torch.bincount(rows, minlength=len(states))
        # The number of each token among those of its text. Texts with fewer have empty slots.
        slots = torch.arange(len(rows)) - (counts.cumsum(0) - counts)[rows]
        queries = states.new_zeros(len(states), int(counts.max()), states.shape[-1])
        queries[rows, slots] = self._query(picked)
        seen = self._attention(queries, states, mask)[rows, slots]
        return self._feed_forward(seen, picked)  # (n, hidden)

    def _attention(
        self, queries: "torch.Tensor", states: "torch.Tensor", mask: "torch.Tensor | None"
    ) -> "torch.Tensor":
        from torch.nn.functional import scaled_dot_product_attention

        queries, keys, values = map(
            self._by_head, (queries, self._key(states), self._value(states))
        )
        seen = scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return seen.transpose(1, 2).flatten(2)  # (texts, tokens that ask, hidden)

    def weights(
        self, asking: "torch.Tensor", states: "torch.Tensor", mask: "torch.Tensor | None"
    ) -> "torch.Tensor":
        """The weights of attention, written out: torch's own function does not return them."""
        queries, keys = self._by_head(self._query(asking)), self._by_head(self._key(states))
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return scores.softmax(dim=-1)  # (texts, heads, tokens that ask, longest)

    def _by_head(self, vectors: "torch.Tensor") -> "torch.Tensor":
        # (texts, heads, tokens, size of a head)
        return vectors.view(*vectors.shape[:2], self._heads, -1).transpose(1, 2)

    def _feed_forward(self, seen: "torch.Tensor", states: "torch.Tensor") -> "torch.Tensor":
        attended = self._joined_norm(self._joined(seen) + states)
        wide = self._activation(self._wide(attended))  # (..., intermediate_size)
        return self._narrow_norm(self._narrow(wide) + attended)


def activation(bert: Bert) -> Activation:
    """The function between the two dense layers, one of `settings.ACTIVATIONS`."""
    from torch.nn import functional

    name = str(bert.settings["hidden_act"])
    if name in ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"):
        return partial(functional.gelu, approximate="tanh")
    function: Activation = getattr(functional, name)
    return function


def _dense(parameters: Mapping[str, "torch.Tensor"], name: str) -> Activation:
    from torch.nn.functional import linear

    return partial(linear, weight=parameters[f"{name}.weight"], bias=parameters[f"{name}.bias"])


def _norm(bert: Bert, parameters: Mapping[str, "torch.Tensor"], name: str) -> Activation:
    from torch.nn.functional import layer_norm

    weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
    how = {"normalized_shape": weight.shape, "eps": bert.layer_norm_eps}
    return partial(layer_norm, weight=weight, bias=bias, **how)
