"""The same checkpoint as the library's own model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bertviz_core.encoder.weights import first_line
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    import torch

    from bertviz_core.bert import Bert


def library_model(bert: "Bert", parameters: "Mapping[str, torch.Tensor]") -> Any:
    """Load `transformers.BertModel` from a checkpoint's safetensors file.

    Args:
        bert: An opened checkpoint.
        parameters: From `weights.read_parameters`; the model takes these, so that nothing lies in
            memory twice.

    Returns:
        The model in eval mode. Where the file holds no pooler, the library makes up a random one.

    Raises:
        ModelUnavailableError: transformers refuses the file.
    """
    import torch
    from huggingface_hub.errors import StrictDataclassError
    from transformers import BertModel
    from transformers.utils import logging

    # The library reports unused heads (cls.*) on every load.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    # Whoever asks may be in inference mode; what is made there could never have a gradient.
    with torch.inference_mode(False):
        try:
            model = BertModel.from_pretrained(
                bert.checkpoint.folder,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=torch.float32,
            )
        except (OSError, ValueError, RuntimeError, StrictDataclassError) as error:
            raise ModelUnavailableError(
                f"transformers cannot load {bert.name} from "
                f"{bert.checkpoint.weights.name}: {first_line(error)}"
            ) from error
        for name, parameter in model.named_parameters():
            if name in parameters:
                parameter.data = parameters[name]
    return model.eval()
