"""The parameters of a checkpoint as tensors, mapped from its file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from safetensors import SafetensorError, safe_open

from bertviz_core.census import BERT_BASE, count_parameters, parameter_shapes
from bertviz_core.encoder.forward import ACTIVATIONS, ForwardPass
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    import torch

    from bertviz_core.bert import Bert

POOLER = ("pooler.dense.weight", "pooler.dense.bias")


def read_forward_pass(bert: "Bert") -> tuple[ForwardPass, bool]:
    """Take the weights of a checkpoint's layers from its file.

    Args:
        bert: An opened checkpoint: the tables of its embedding layer have been checked.

    Returns:
        Its layers; their weights are float32, mapped from the file where it stores float32. And
        whether the file holds a pooler.

    Raises:
        ModelUnavailableError: The file lacks a tensor, holds one of another shape than
            `config.json` says, or the settings ask for what no BERT has.
    """
    settings, file_name = bert.settings, bert.checkpoint.weights.name
    heads = int(settings.get("num_attention_heads", 12))
    activation = str(settings.get("hidden_act", "gelu"))
    if heads < 1 or bert.hidden_size % heads:
        raise _refused(
            bert, f"config.json asks for {heads} heads, which do not divide {bert.hidden_size}"
        )
    if activation not in ACTIVATIONS:
        raise _refused(
            bert,
            f"config.json asks for the activation {activation}; expected one of "
            f"{', '.join(ACTIVATIONS)}",
        )
    sizes = {**BERT_BASE, **settings}  # what config.json leaves out is as in BERT-base
    expected = {
        name: shape for name, shape in parameter_shapes(sizes).items() if name not in POOLER
    }
    stored = {
        parameter.name: parameter for parameter in count_parameters(bert.checkpoint).parameters
    }
    if lacking := sorted(set(expected) - set(stored)):
        raise ModelUnavailableError(
            f"{file_name} of {bert.name} lacks {len(lacking)} tensors of the "
            f"encoder, {lacking[0]} first; expected a complete BertModel."
        )
    for name, shape in expected.items():
        if stored[name].shape != shape:
            raise _refused(
                bert,
                f"{stored[name].stored_as} has shape {stored[name].shape}; expected {shape} by "
                "config.json",
            )
    tensors = _read(bert, {name: stored[name].stored_as for name in expected})
    layers = ForwardPass(
        tensors,
        layers=bert.num_hidden_layers,
        heads=heads,
        eps=bert.layer_norm_eps,
        activation=activation,
    )
    return layers, all(name in stored for name in POOLER)


def _read(bert: "Bert", stored_as: Mapping[str, str]) -> "dict[str, torch.Tensor]":
    try:
        with safe_open(bert.checkpoint.weights, framework="pt") as file:
            return {name: file.get_tensor(stored).float() for name, stored in stored_as.items()}
    except (SafetensorError, OSError) as error:
        raise _refused(bert, str(error).splitlines()[0]) from error


def _refused(bert: "Bert", why: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"The encoder of {bert.name} cannot be loaded from {bert.checkpoint.weights.name}: {why}."
    )
