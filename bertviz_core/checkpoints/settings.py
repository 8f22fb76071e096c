"""The JSON files of a checkpoint; `config.json` must be that of a BERT."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.checkpoint import SETTINGS, Checkpoint
from bertviz_core.errors import ModelUnavailableError, shortened

USUAL_SPREAD = 0.02  # `BertConfig.initializer_range` where config.json gives none

# Encoders that look like a BERT, by model_type, and why they are refused. What each would need is
# in docs/hosting.md.
_OTHERS = {
    "distilbert": "DistilBERT has no segment table and no pooler",
    "roberta": "RoBERTa reads byte-level pieces in place of WordPieces",
    "xlm-roberta": "XLM-RoBERTa reads SentencePiece pieces in place of WordPieces",
    "modernbert": "ModernBERT has no position table and no segment table",
}
_SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "max_position_embeddings",
    "type_vocab_size",
)
_USUAL_SIZES = {"num_attention_heads": 12, "intermediate_size": 3072}  # where none are given


def read_settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """Read `config.json`; its sizes are then whole numbers above 0 that fit each other."""
    where = f"{SETTINGS} of {checkpoint.name}"
    try:
        settings: dict[str, Any] = read_json(checkpoint.settings)
    except ValueError as error:
        raise ModelUnavailableError(f"{where} cannot be read: {error}.") from error
    for name, expected in (("model_type", "bert"), ("position_embedding_type", "absolute")):
        given = settings.get(name, None if name == "model_type" else expected)
        if given != expected:
            why = f": {_OTHERS[given]}" if given in _OTHERS else ""
            raise ModelUnavailableError(
                f"{where} gives {name} as {shown(given)}; expected “{expected}”{why}."
            )
    for name in (*_SIZES, *(set(_USUAL_SIZES) & set(settings))):
        if not is_size(settings.get(name)):
            raise ModelUnavailableError(
                f"{where} gives {name} as {shown(settings.get(name))}; "
                "expected a whole number above 0."
            )
    heads = settings.get("num_attention_heads", _USUAL_SIZES["num_attention_heads"])
    if settings["hidden_size"] % heads:
        raise ModelUnavailableError(
            f"{where} gives num_attention_heads as {shown(heads)}; "
            f"expected a divisor of hidden_size, {shown(settings['hidden_size'])}."
        )
    for name in ("layer_norm_eps", "initializer_range"):
        value = settings.get(name, USUAL_SPREAD)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ModelUnavailableError(
                f"{where} gives {name} as {shown(value)}; expected a number from 0 to 1."
            )
    return settings


def initial_spread(settings: Mapping[str, Any]) -> float:
    """Read `initializer_range` of config.json; 0.02 where it is missing."""
    return float(settings.get("initializer_range") or USUAL_SPREAD)


def read_json(path: Path) -> dict[str, Any]:
    """Read a file with one JSON object; a ValueError says why, without the file's name."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(error.strerror or "no such file") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("expected a JSON object") from error
    if not isinstance(values, dict):
        raise ValueError("expected a JSON object")
    return values


def is_size(value: object) -> bool:
    """Whether a setting is a whole number above 0; JSON's `true` is not."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def shown(value: object) -> str:
    """A value of a file as a message shows it, never long; text in quotation marks."""
    return f"“{shortened(value, 40)}”" if isinstance(value, str) else shortened(repr(value), 40)
