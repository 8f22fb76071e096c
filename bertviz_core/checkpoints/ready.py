"""Whether a model can be used now, and which one the app starts with."""

import os
from collections.abc import Mapping

from bertviz_core.checkpoints.catalog import EMBEDDED, OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.errors import ModelUnavailableError


def why_unavailable(model: OfferedModel) -> str | None:
    """Say in a sentence why a model cannot be used now; None where its files are those of a BERT.

    `config.json` and the header of the weights are opened: a file that is there may not be a BERT.
    """
    try:
        count_parameters(locate(model))
    except ModelUnavailableError as error:
        return str(error)
    return None


def default_model(environ: Mapping[str, str] = os.environ) -> str:
    """The name in `BERTVIZ_MODEL`, else bert-base-uncased if it is here, else the embedded one."""
    models = offered_models(environ)
    wanted = environ.get("BERTVIZ_MODEL", "").strip()
    if wanted and wanted not in models:
        raise ModelUnavailableError(
            f"BERTVIZ_MODEL is “{wanted}”; expected one of {', '.join(models)}."
        )
    base = "bert-base-uncased"
    return wanted or (base if why_unavailable(models[base]) is None else EMBEDDED)
