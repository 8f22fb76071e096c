"""The parameters of a checkpoint as tensors, mapped from its file, and the models made of them."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import (
    BERT_BASE,
    check_shapes,
    count_parameters,
    parameter_shapes,
)
from bertviz_core.checkpoints.settings import shown
from bertviz_core.encoder.forward import Activation, ForwardPass
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    import torch

_DEFAULTS: Mapping[str, Any] = {
    "num_attention_heads": 12,
    "hidden_act": "gelu",
}
_LIBRARY_SETTINGS = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"),
    *("intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size"),
    "layer_norm_eps",
)
POOLER = ("pooler.dense.weight", "pooler.dense.bias")


def read_parameters(bert: Bert) -> "dict[str, torch.Tensor]":
    """The parameters in a checkpoint's file by transformers' names, float32."""
    stored = {p.name: p for p in count_parameters(bert.checkpoint).parameters}
    has_pooler = all(name in stored for name in POOLER)
    expected = {
        name: shape
        for name, shape in parameter_shapes(encoder_settings(bert)).items()
        if has_pooler or name not in POOLER
    }
    check_shapes(bert.checkpoint, {name: p.shape for name, p in stored.items()}, expected)
    return tensors_of(bert, {name: stored[name].stored_as for name in expected})


def tensors_of(bert: Bert, stored_as: Mapping[str, str]) -> "dict[str, torch.Tensor]":
    """Map tensors from the file of a checkpoint; `stored_as` has the name there of each."""
    try:
        with safe_open(bert.checkpoint.weights, framework="pt") as file:
            return {name: file.get_tensor(stored).float() for name, stored in stored_as.items()}
    except (SafetensorError, OSError, RuntimeError) as error:  # torch: no room to map or to widen
        raise _refused(bert, first_line(error)) from error


def forward_pass(bert: Bert, parameters: "Mapping[str, torch.Tensor]") -> ForwardPass:
    """Make the layers of a checkpoint from what `read_parameters` gave."""
    settings = encoder_settings(bert)
    if settings.get("is_decoder"):
        raise _refused(bert, "config.json says is_decoder; expected an encoder")
    return ForwardPass(
        parameters,
        layers=bert.num_hidden_layers,
        heads=settings["num_attention_heads"],
        eps=bert.layer_norm_eps,
        activation=activation(bert, settings["hidden_act"]),
    )


def first_line(error: Exception) -> str:
    """What an error of a library says, in one line."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def encoder_settings(bert: Bert) -> dict[str, Any]:
    """The settings of config.json, and of BERT-base where it leaves one out."""
    settings = {**_DEFAULTS, **BERT_BASE, **bert.settings}
    return settings | {
        "layer_norm_eps": bert.layer_norm_eps,
        "hidden_act": str(settings["hidden_act"]),
    }


def activation(bert: Bert, name: str) -> Activation:
    """The function that config.json names: gelu in all BERTs of Google, others elsewhere."""
    from torch.nn.functional import gelu, relu

    by_tanh = partial(gelu, approximate="tanh")
    known: dict[str, Activation] = {
        "gelu": gelu,
        "gelu_new": by_tanh,
        "gelu_pytorch_tanh": by_tanh,
        "relu": relu,
    }
    if name in known:
        return known[name]
    from transformers.activations import ACT2FN

    if name not in ACT2FN:
        raise _refused(
            bert, f"config.json asks for the activation {shown(name)}, which transformers lacks"
        )
    function = ACT2FN[name]
    if any(True for _ in function.parameters()):
        raise _refused(bert, f"config.json asks for {name!r}, an activation with weights")
    other: Activation = function
    return other


def library_model(bert: Bert, parameters: "Mapping[str, torch.Tensor]") -> Any:
    """Make `transformers.BertModel` of these very tensors, so that nothing lies in memory twice."""
    import torch
    from huggingface_hub.errors import StrictDataclassError
    from transformers import BertConfig, BertModel
    from transformers.utils import logging

    # The library reports unused heads (cls.*) on every load.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    settings = encoder_settings(bert)
    # Whoever asks may be in inference mode; what is made there could never have a gradient.
    with torch.inference_mode(False):
        try:
            # Of config.json the library takes what makes up the model, and nothing that could name
            # other files or ways to load them.
            own = {name: settings[name] for name in _LIBRARY_SETTINGS}
            config = BertConfig(**own, pad_token_id=bert.padding_row)
            model = BertModel.from_pretrained(
                None, config=config, state_dict=dict(parameters), dtype=torch.float32
            )
        except (OSError, ValueError, RuntimeError, StrictDataclassError) as error:
            raise ModelUnavailableError(
                f"transformers cannot load {bert.name} from "
                f"{bert.checkpoint.weights.name}: {first_line(error)}"
            ) from error
    return model.eval()


def _refused(bert: Bert, why: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"The encoder of {bert.name} cannot be loaded from {bert.checkpoint.weights.name}: {why}."
    )
