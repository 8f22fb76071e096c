"""The same checkpoint as the library's own model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bertviz_core.bert import Bert
from bertviz_core.encoder.weights import encoder_settings, first_line
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    import torch


_SETTINGS = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"),
    *("intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size"),
    *("layer_norm_eps", "hidden_dropout_prob", "attention_probs_dropout_prob"),
)


def library_model(bert: Bert, parameters: "Mapping[str, torch.Tensor]") -> Any:
    """Make `transformers.BertModel` of what `weights.read_parameters` gave.

    The model takes these tensors, so that nothing lies in memory twice.

    Returns:
        The model in eval mode. Where the file holds no pooler, the library makes up a random one.

    Raises:
        ModelUnavailableError: transformers refuses the file.
    """
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
            own = {name: settings[name] for name in _SETTINGS}
            config = BertConfig(**own, pad_token_id=_padding(bert))
            model = BertModel.from_pretrained(
                None, config=config, state_dict=dict(parameters), dtype=torch.float32
            )
        except (OSError, ValueError, RuntimeError, StrictDataclassError) as error:
            raise ModelUnavailableError(
                f"transformers cannot load {bert.name} from "
                f"{bert.checkpoint.weights.name}: {first_line(error)}"
            ) from error
    return model.eval()


def _padding(bert: Bert) -> int | None:
    """The row that the library keeps out of training; as there, 0 where config.json is silent."""
    given = bert.settings.get("pad_token_id", 0)
    known = isinstance(given, int) and 0 <= given < bert.vocab_size
    return int(given) if known else None
