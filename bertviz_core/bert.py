"""Open a BERT checkpoint: its settings, its tokenizer and the tables of its embedding layer.

Only `tokenizers`, `safetensors` and NumPy are needed, so this takes a fraction of a second.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from bertviz_core.arrays import Array
from bertviz_core.checkpoints import tables
from bertviz_core.checkpoints.checkpoint import Checkpoint, Source, locate
from bertviz_core.checkpoints.tables import EmbeddingTables
from bertviz_core.checkpoints.vocabulary import Vocabulary, vocabulary
from bertviz_core.errors import ModelUnavailableError

_SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "max_position_embeddings",
    "type_vocab_size",
)


@dataclass(frozen=True, eq=False)
class Bert:
    """An opened checkpoint; shared by all viewers and never changed.

    Attributes:
        checkpoint: Where its files lie.
        settings: The parsed `config.json`.
        tokenizer: Its WordPiece tokenizer, without padding or truncation.
        vocabulary: The token of every row of the token table.
        tables: The arrays of the embedding layer.
        other_tensors: Tensors of the file that are no part of the model: heads trained for a
            task, which nothing here uses.
    """

    checkpoint: Checkpoint
    settings: dict[str, Any]
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    tables: EmbeddingTables
    other_tensors: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.checkpoint.name

    @property
    def source(self) -> Source:
        """Where the files came from: "package", "folder", "cache" or "download"."""
        return self.checkpoint.source

    @property
    def vocab_size(self) -> int:
        return int(self.settings["vocab_size"])

    @property
    def hidden_size(self) -> int:
        return int(self.settings["hidden_size"])

    @property
    def num_hidden_layers(self) -> int:
        return int(self.settings["num_hidden_layers"])

    @property
    def max_position_embeddings(self) -> int:
        return int(self.settings["max_position_embeddings"])

    @property
    def type_vocab_size(self) -> int:
        return int(self.settings["type_vocab_size"])

    @property
    def layer_norm_eps(self) -> float:
        return float(self.settings.get("layer_norm_eps", 1e-12))

    def mean_token_row(self) -> Array:
        """Take the mean of the token table without special tokens and unused rows.

        Returns:
            float32 (hidden_size,).
        """
        ordinary = self.vocabulary.is_ordinary
        weights = np.zeros(ordinary.shape, dtype=np.float32)
        weights[ordinary] = 1 / max(int(ordinary.sum()), 1)
        # As a product with the table, which copies none of its rows.
        return weights @ self.tables.word_embeddings


def load_bert(name_or_folder: str | Path | Checkpoint) -> Bert:
    """Open a checkpoint that is on this machine.

    Args:
        name_or_folder: A name from `catalog.offered_models`, a folder with a checkpoint, or what
            `checkpoint.locate` or `download.download` returned.

    Returns:
        Settings, tokenizer and tables. No torch is imported.

    Raises:
        ModelUnavailableError: The files are missing, incomplete, not a BERT, lack a tensor, or
            hold one of another shape than `config.json` says.

    References:
        Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers".
    """
    checkpoint = (
        name_or_folder if isinstance(name_or_folder, Checkpoint) else locate(name_or_folder)
    )
    settings = _read_settings(checkpoint)
    tokenizer = _read_tokenizer(checkpoint)
    try:
        words = vocabulary(tokenizer.get_vocab(with_added_tokens=True), settings["vocab_size"])
    except ValueError as error:
        raise ModelUnavailableError(
            f"The tokenizer of {checkpoint.name} does not fit config.json: {error}."
        ) from error
    return Bert(
        checkpoint,
        settings,
        tokenizer,
        words,
        tables.read_tables(checkpoint, settings),
        tables.other_tensors(checkpoint),
    )


def _read_settings(checkpoint: Checkpoint) -> dict[str, Any]:
    path = checkpoint.settings
    where = f"{path.name} of {checkpoint.name}"
    try:
        settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelUnavailableError(f"{where} cannot be read; expected a JSON object.") from error
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if kind != "bert":
        raise ModelUnavailableError(f"{where} says model_type “{kind}”; expected “bert”.")
    for size in _SIZES:
        value = settings.get(size)
        if not isinstance(value, int) or value < 1:
            raise ModelUnavailableError(
                f"{where} gives {size} as {value!r}; expected a whole number above 0."
            )
    eps = settings.get("layer_norm_eps", 1e-12)
    if isinstance(eps, bool) or not isinstance(eps, int | float) or eps < 0:
        raise ModelUnavailableError(
            f"{where} gives layer_norm_eps as {eps!r}; expected a number from 0."
        )
    scheme = settings.get("position_embedding_type", "absolute")
    if scheme != "absolute":
        raise ModelUnavailableError(
            f"{where} asks for “{scheme}” positions; "
            "expected “absolute”, the positions BERT learns."
        )
    return settings


def _read_tokenizer(checkpoint: Checkpoint) -> Tokenizer:
    folder = checkpoint.folder
    try:
        if (folder / "tokenizer.json").is_file():
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        else:
            tokenizer = _from_vocabulary_file(folder)
    except Exception as error:  # tokenizers raises bare Exception for any unreadable file
        raise ModelUnavailableError(
            f"The tokenizer of {checkpoint.name} cannot be read; "
            "expected tokenizer.json or vocab.txt of a BERT."
        ) from error
    if type(tokenizer.model).__name__ != "WordPiece":
        raise ModelUnavailableError(
            f"tokenizer.json of {checkpoint.name} holds a {type(tokenizer.model).__name__} model; "
            "expected WordPiece."
        )
    # Published files may carry padding and truncation for another use.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _from_vocabulary_file(folder: Path) -> Tokenizer:
    from tokenizers import BertWordPieceTokenizer

    options: dict[str, Any] = {}
    settings = folder / "tokenizer_config.json"
    if settings.is_file():
        options = json.loads(settings.read_text(encoding="utf-8"))
    wordpiece = BertWordPieceTokenizer(
        str(folder / "vocab.txt"),
        lowercase=options.get("do_lower_case", True),
        strip_accents=options.get("strip_accents"),
        handle_chinese_chars=options.get("tokenize_chinese_chars", True),
    )
    tokenizer: Tokenizer = wordpiece._tokenizer
    return tokenizer
