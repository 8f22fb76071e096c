"""What fails in a download, as a sentence for the user."""

import errno
import os

from bertviz_core.checkpoints.catalog import OfferedModel


def explain(model: OfferedModel, error: BaseException) -> str:
    """Say in one sentence what went wrong in a download, and what to do about it.

    Args:
        model: What was to be downloaded.
        error: What huggingface_hub, its transfer library or the file system raised.
    """
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    causes = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    for cause in causes:
        if isinstance(cause, OfflineModeIsEnabled):
            return (
                f"{model.name} cannot be downloaded because HF_HUB_OFFLINE (or "
                "TRANSFORMERS_OFFLINE) is set; unset it and start the app again."
            )
        if isinstance(cause, HfHubHTTPError):
            return _http_sentence(model, cause.response.status_code)
        if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
            need = f" of {model.megabytes:,} MB" if model.megabytes else ""
            return (
                f"The disk is too full for the download{need} of {model.name}; "
                "free some space and try again."
            )
        if isinstance(cause, OSError) and cause.filename is not None:
            return (
                f"{model.name} cannot be stored in the Hugging Face cache "
                f"({os.strerror(cause.errno or 0)}); make that folder writable or set HF_HOME."
            )
        if isinstance(cause, ValueError):
            return (
                f"The hub's address or the repository of {model.name} is not valid; "
                "check BERTVIZ_MODELS and HF_ENDPOINT."
            )
    return (
        f"The hub could not be reached, or the connection broke, while downloading {model.name}; "
        "check the network and try again."
    )


def _http_sentence(model: OfferedModel, status: int) -> str:
    if status in (401, 403):
        return (
            f"The hub does not give access to {model.repo_id} (HTTP {status}), so {model.name} "
            "cannot be downloaded; choose another model or log in to the hub."
        )
    if status == 404:
        return (
            f"The hub does not have the files of {model.name} at the pinned commit (HTTP 404); "
            "choose another model."
        )
    return (
        f"The hub cannot send {model.name} at the moment (HTTP {status}); "
        "try again in a few minutes."
    )
