"""The settings of a checkpoint: `config.json` must be that of a BERT."""

from typing import Any

from bertviz_core.checkpoints.checkpoint import SETTINGS, Checkpoint, read_json
from bertviz_core.errors import ModelUnavailableError, shortened

# Encoders that look like a BERT, by model_type, and why they are refused. What each would need is
# in docs/hosting.md.
OTHERS = {
    "distilbert": "DistilBERT has no segment table and no pooler",
    "roberta": "RoBERTa reads byte-level pieces in place of WordPieces",
    "xlm-roberta": "XLM-RoBERTa reads SentencePiece pieces in place of WordPieces",
    "modernbert": "ModernBERT has no position table and no segment table",
    "electra": "ELECTRA's table may be narrower than its layers",
    "albert": "ALBERT's table is narrower than its layers, which share their weights",
    "mpnet": "MPNet has no segment table, and attention adds a bias for each distance",
    "ernie": "ERNIE adds a table of tasks",
    "camembert": "CamemBERT reads SentencePiece pieces in place of WordPieces",
    "deberta-v2": "DeBERTa reads SentencePiece pieces, and its attention has tables of distances",
    "nomic_bert": "Nomic BERT has no position table",
}
_SIZES = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "max_position_embeddings"),
    *("type_vocab_size", "num_attention_heads", "intermediate_size"),
)
MAX_LAYERS = 1_000
ACTIVATIONS = ("gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "relu", "silu", "tanh")
# What `BertConfig` takes where config.json is silent. The sizes of the tables must be given.
_DEFAULTS: dict[str, Any] = {
    "model_type": "bert",  # old files do not name it
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "initializer_range": 0.02,
    "pad_token_id": 0,
}


def read_settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """Read `config.json`, with the library's values for what it leaves out.

    Its sizes are then whole numbers above 0 that fit each other; `pad_token_id` is a row or None.
    """
    try:
        settings: dict[str, Any] = _DEFAULTS | read_json(checkpoint.folder / SETTINGS)
    except ValueError as error:
        raise ModelUnavailableError(
            f"{SETTINGS} of {checkpoint.name} cannot be read: {error}."
        ) from error

    def expect(name: str, fits: bool, expected: str) -> None:
        if not fits:
            raise ModelUnavailableError(
                f"{SETTINGS} of {checkpoint.name} gives {name} as {brief(settings.get(name))}; "
                f"expected {expected}."
            )

    why = OTHERS.get(str(settings["model_type"]), "other models are built in another way")
    expect("model_type", settings["model_type"] == "bert", f"“bert”: {why}")
    kind = settings["position_embedding_type"]
    expect("position_embedding_type", kind == "absolute", "“absolute”")
    expect("is_decoder", not settings["is_decoder"], "an encoder")
    expect("hidden_act", settings["hidden_act"] in ACTIVATIONS, f"one of {', '.join(ACTIVATIONS)}")
    for name in _SIZES:
        size = settings.get(name)
        expect(name, type(size) is int and size > 0, "a whole number above 0")
    few = settings["num_hidden_layers"] <= MAX_LAYERS  # each gets names of its parameters
    expect("num_hidden_layers", few, f"at most {MAX_LAYERS:,}")
    hidden = settings["hidden_size"]
    divides = hidden % settings["num_attention_heads"] == 0
    expect("num_attention_heads", divides, f"a divisor of hidden_size, {brief(hidden)}")
    for name in ("layer_norm_eps", "initializer_range"):
        value = settings[name]
        expect(name, type(value) in (int, float) and 0 <= value <= 1, "a number from 0 to 1")
    row = settings["pad_token_id"]
    if not isinstance(row, int) or not 0 <= row < settings["vocab_size"]:
        row = None
    spread = settings["initializer_range"] or _DEFAULTS["initializer_range"]
    return settings | {"pad_token_id": row, "initializer_range": spread}


def brief(value: object) -> str:
    """A value as a message shows it: short, text in quotation marks."""
    return f"“{shortened(value, 40)}”" if isinstance(value, str) else shortened(repr(value), 40)
