"""Whether a model can be used now, and which one the app starts with."""

import os
from collections.abc import Mapping
from functools import lru_cache

from bertviz_core.checkpoints.catalog import EMBEDDED, UNKNOWN, OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import Checkpoint, Stamp, locate, origin_of
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.checkpoints.settings import read_settings
from bertviz_core.checkpoints.tokenizer import read_tokenizer
from bertviz_core.errors import ModelUnavailableError


def why_unavailable(model: OfferedModel) -> str | None:
    """Say in a sentence why a model cannot be used now; None where its files are those of a BERT.

    What is there may not be a BERT: `config.json` and the header of the weights are opened, and
    the tokenizer of a model that this app does not know.
    """
    try:
        checkpoint = locate(model)
        count_parameters(checkpoint)
        if origin_of(checkpoint) is UNKNOWN:
            _try_tokenizer(checkpoint, checkpoint.stamp())
    except ModelUnavailableError as error:
        return str(error)
    return None


@lru_cache(64)  # it takes up to a third of a second
def _try_tokenizer(checkpoint: Checkpoint, stamp: Stamp) -> None:
    read_tokenizer(checkpoint, read_settings(checkpoint))


def default_model(environ: Mapping[str, str] = os.environ) -> str:
    """The name in `BERTVIZ_MODEL`, else bert-base-uncased if it is here, else the embedded one."""
    models = offered_models(environ)
    name = environ.get("BERTVIZ_MODEL", "").strip()
    if name and name not in models:
        raise ModelUnavailableError(
            f"BERTVIZ_MODEL is “{name}”; expected one of {', '.join(models)}."
        )
    base = "bert-base-uncased"
    return name or (base if why_unavailable(models[base]) is None else EMBEDDED)
