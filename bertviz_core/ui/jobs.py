"""Downloads beside the pages: one thread a model for the whole process.

All viewers see the same download; whoever asks for a model that is on its way joins it.
"""

import logging
import threading
from dataclasses import dataclass, replace
from typing import Any, Literal

from bertviz_core.checkpoints.catalog import OfferedModel
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.download import download
from bertviz_core.errors import ModelUnavailableError

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_progress: dict[str, "Progress"] = {}


@dataclass(frozen=True)
class Progress:
    """How far a download is.

    Attributes:
        done_bytes: Bytes of the weights that have arrived.
        total_bytes: Bytes of the weights in all; 0 while unknown.
        state: "running", "done" (the model can be opened) or "failed".
        message: After a failure, the sentence for the user; otherwise "".
        checkpoint: The place of the files, once the state is "done".
    """

    done_bytes: int
    total_bytes: int
    state: Literal["running", "done", "failed"] = "running"
    message: str = ""
    checkpoint: Checkpoint | None = None


def start(model: OfferedModel, endpoint: str | None = None) -> None:
    """Begin to download a model and return at once; nothing happens if it is on its way.

    A finished or failed download of the model is forgotten and begun again.

    Args:
        model: An entry of the list with a `revision`.
        endpoint: Address of the hub; see `download.download`.
    """
    with _lock:
        known = _progress.get(model.name)
        if known is not None and known.state == "running":
            return
        # The thread waits for the lock before its first report, so nothing is overwritten here.
        threading.Thread(
            target=_run, args=(model, endpoint), name=f"download {model.name}", daemon=True
        ).start()
        _progress[model.name] = Progress(
            0, model.weights_bytes or (model.megabytes or 0) * 1_000_000
        )


def progress(name: str) -> Progress | None:
    """Say how far the download of a model is; None if none was started or it was cleared."""
    with _lock:
        return _progress.get(name)


def clear(name: str) -> None:
    """Forget a finished or failed download; a running one stays."""
    with _lock:
        known = _progress.get(name)
        if known is not None and known.state != "running":
            del _progress[name]


def _run(model: OfferedModel, endpoint: str | None) -> None:
    def report(done_bytes: int, total_bytes: int) -> None:
        with _lock:
            _progress[model.name] = Progress(done_bytes, total_bytes)

    try:
        checkpoint = download(model, report, endpoint=endpoint)
    except ModelUnavailableError as error:
        _log.warning("The download of %s failed", model.name, exc_info=True)
        _finish(model.name, state="failed", message=str(error))
    except Exception:  # a defect: nobody waits for this thread, so say it to the log and the user
        _log.exception("The download of %s stopped", model.name)
        _finish(
            model.name,
            state="failed",
            message=f"The download of {model.name} stopped because of an error in the app; "
            "the server's log has the details. Try again.",
        )
    else:
        _finish(model.name, state="done", checkpoint=checkpoint)


def _finish(name: str, **outcome: Any) -> None:
    with _lock:
        _progress[name] = replace(_progress[name], **outcome)
