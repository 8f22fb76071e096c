"""The same checkpoint as the library's own model."""

from typing import TYPE_CHECKING, Any

from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def library_model(bert: "Bert") -> Any:
    """Load `transformers.BertModel` from a checkpoint's safetensors file.

    Args:
        bert: An opened checkpoint.

    Returns:
        The model in eval mode; its weights are float32 and mapped from the file where it stores
        float32. Where the file holds no pooler, the library makes up a random one.

    Raises:
        ModelUnavailableError: transformers refuses the file.
    """
    import torch
    from transformers import BertModel
    from transformers.utils import logging

    # The library reports unused heads (cls.*) on every load.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        model = BertModel.from_pretrained(
            bert.checkpoint.folder,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=torch.float32,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelUnavailableError(
            f"transformers cannot load {bert.name} from "
            f"{bert.checkpoint.weights.name}: {str(error).splitlines()[0]}"
        ) from error
    return model.eval()
