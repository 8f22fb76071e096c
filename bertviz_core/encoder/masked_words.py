"""The head that predicts masked words: dense, activation, LayerNorm, one product with each row."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import check_shapes, count_parameters, model_name
from bertviz_core.encoder.batches import to_numpy
from bertviz_core.encoder.forward import Activation
from bertviz_core.encoder.weights import activation, encoder_settings, tensors_of
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    import torch

_DENSE, _NORM = "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"
_BIAS, _ROWS = "cls.predictions.bias", "cls.predictions.decoder.weight"
_TABLE = "embeddings.word_embeddings.weight"
# transformers keeps the bias under either name, and runs the second where a file holds both.
_BIAS_OF_ROWS = "cls.predictions.decoder.bias"


class MaskedWordHead(NamedTuple):
    """The head of a checkpoint, ready to run."""

    tensors: "Mapping[str, torch.Tensor]"  # its tensors by name, float32
    activation: Activation  # that of config.json
    eps: float  # LayerNorm's

    def logits(self, vectors: Array) -> Array:
        """Score each token for vectors (n, hidden_size): `BertForMaskedLM(...).cls`."""
        import torch
        from torch.nn.functional import layer_norm, linear

        with torch.inference_mode():
            dense = linear(torch.tensor(vectors), *self._pair(_DENSE))
            weight, bias = self._pair(_NORM)
            ready = layer_norm(self.activation(dense), weight.shape, weight, bias, self.eps)
            return to_numpy(linear(ready, self.tensors[_ROWS], self.tensors[_BIAS]))

    def _pair(self, name: str) -> "tuple[torch.Tensor, torch.Tensor]":
        return self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]


def lacking(bert: Bert) -> tuple[str, ...]:
    """Tensors of the head that a checkpoint's file lacks, by transformers' names."""
    held = held_tensors(bert)
    needed = [f"{part}.{kind}" for part in (_DENSE, _NORM) for kind in ("weight", "bias")]
    if bert.settings.get("tie_word_embeddings") is False:
        needed.append(_ROWS)
    if _BIAS_OF_ROWS not in held:
        needed.append(_BIAS)
    return tuple(name for name in needed if name not in held)


def masked_word_head(bert: Bert) -> MaskedWordHead:
    """Read the head of a checkpoint, mapped from the file where it stores float32."""
    if missing := lacking(bert):
        raise ModelUnavailableError(
            f"{bert.checkpoint.weights.name} of {bert.name} holds no head for masked words: "
            f"{missing[0]} is missing."
        )
    held, size, rows = held_tensors(bert), bert.hidden_size, bert.vocab_size
    held[_BIAS] = held.get(_BIAS_OF_ROWS) or held[_BIAS]
    shapes: dict[str, tuple[int, ...]] = {f"{_DENSE}.weight": (size, size)}
    shapes |= dict.fromkeys((f"{_DENSE}.bias", f"{_NORM}.weight", f"{_NORM}.bias"), (size,))
    shapes |= {_BIAS: (rows,), _TABLE: (rows, size)}
    shapes |= {_ROWS: (rows, size)} if _ROWS in held else {}
    tensors = head_tensors(bert, shapes, held)
    tensors.setdefault(_ROWS, tensors[_TABLE])
    settings = encoder_settings(bert)
    return MaskedWordHead(tensors, activation(bert, settings["hidden_act"]), bert.layer_norm_eps)


def held_tensors(bert: Bert) -> dict[str, str]:
    """The name in the file of each tensor of a task head, by transformers' name."""
    return {model_name(stored): stored for stored in bert.other_tensors}


def head_tensors(
    bert: Bert, shapes: Mapping[str, tuple[int, ...]], held: Mapping[str, str]
) -> "dict[str, torch.Tensor]":
    """Read tensors of a head, `held` in the file, and of the model that it needs; all checked."""
    census = count_parameters(bert.checkpoint)
    stored_as = {p.name: p.stored_as for p in census.parameters} | dict(held)
    shape_of = {one.stored_as: one.shape for one in census.parameters}
    shape_of |= {one.stored_as: one.shape for one in census.ignored}
    found = {name: shape_of[stored_as[name]] for name in shapes if name in stored_as}
    check_shapes(bert.checkpoint, found, shapes)
    return tensors_of(bert, {name: stored_as[name] for name in shapes})
