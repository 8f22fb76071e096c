"""The JSON files of a checkpoint; `config.json` is checked before anything is made of its sizes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.errors import ModelUnavailableError, shortened

MOST_BYTES = 64_000_000  # of one JSON file; the largest of a published BERT has 3 MB
USUAL_SPREAD = 0.02  # `BertConfig.initializer_range` where config.json gives none

_SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "max_position_embeddings",
    "type_vocab_size",
)


def read_settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """Read `config.json` and make sure that it describes a BERT.

    Whether the weights have these sizes is for whoever reads them to compare: a size says nothing
    about the memory that may be taken.

    Args:
        checkpoint: Where the file lies.

    Returns:
        All settings; the five sizes of the embedding layer and encoder are whole numbers above 0.

    Raises:
        ModelUnavailableError: The file cannot be read, or describes no BERT.
    """
    where = f"{checkpoint.settings.name} of {checkpoint.name}"
    try:
        settings = read_json(checkpoint.settings)
    except ValueError as error:
        raise ModelUnavailableError(f"{where} cannot be read: {error}.") from error
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if kind != "bert":
        raise ModelUnavailableError(f"{where} says model_type {shown(kind)}; expected “bert”.")
    for size in _SIZES:
        if not is_size(settings.get(size)):
            raise ModelUnavailableError(
                f"{where} gives {size} as {shown(settings.get(size))}; "
                "expected a whole number above 0."
            )
    eps = settings.get("layer_norm_eps", 1e-12)
    # An epsilon of 0 would make a row of equal numbers a row of no numbers.
    if isinstance(eps, bool) or not isinstance(eps, int | float) or not 0 < eps <= 1:
        raise ModelUnavailableError(
            f"{where} gives layer_norm_eps as {shown(eps)}; "
            "expected a number above 0 and at most 1."
        )
    scheme = settings.get("position_embedding_type", "absolute")
    if scheme != "absolute":
        raise ModelUnavailableError(
            f"{where} asks for {shown(scheme)} positions; "
            "expected “absolute”, the positions BERT learns."
        )
    return settings


def initial_spread(settings: Mapping[str, Any]) -> float:
    """Read `initializer_range` of config.json; 0.02 where it is missing or no such number."""
    given = settings.get("initializer_range")
    if isinstance(given, bool) or not isinstance(given, int | float):
        return USUAL_SPREAD
    return float(given) if 0 < given < 1e6 else USUAL_SPREAD


def read_json(path: Path) -> Any:
    """Read one JSON file of a checkpoint, of bounded size.

    Raises:
        ValueError: It cannot be read; the message is the reason, without the file's name.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(error.strerror or "no such file") from error
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES // 1_000_000} MB")
    try:
        return json.loads(content.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except ValueError as error:  # also of text that is no UTF-8, and of numbers of 5,000 digits
        raise ValueError("expected a JSON object") from error


def is_size(value: object) -> bool:
    """Whether a setting is a whole number above 0; JSON's `true` is not."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def shown(value: object) -> str:
    """A value of a file as a message shows it, never long; text in quotation marks."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    if isinstance(value, str):
        return f"“{shortened(value, 40)}”"
    return repr(value)
