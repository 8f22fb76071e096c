"""Open a BERT checkpoint: its settings, its tokenizer and the tables of its embedding layer.

Only `tokenizers`, `safetensors` and NumPy are needed, so this takes a fraction of a second.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from bertviz_core.arrays import Array, frozen
from bertviz_core.checkpoints.checkpoint import Checkpoint, Source, Stamp
from bertviz_core.checkpoints.download import obtain
from bertviz_core.checkpoints.parameters import count_parameters, parameter_shapes
from bertviz_core.checkpoints.settings import read_settings
from bertviz_core.checkpoints.tokenizer import read_tokenizer, special_tokens
from bertviz_core.checkpoints.vocabulary import Vocabulary, vocabulary
from bertviz_core.checkpoints.weights import read_tensors
from bertviz_core.errors import ModelUnavailableError, expect
from bertviz_core.result import Readable

MAX_WEIGHT = 1e6  # a weight of a trained BERT is below 100; sums and squares of these stay finite


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingTables(Readable):
    """All weights of the embedding layer; float32 and read-only."""

    word_embeddings: Array  # (vocab_size, hidden_size), the token table
    position_embeddings: Array  # (max_position_embeddings, hidden_size)
    token_type_embeddings: Array  # (type_vocab_size, hidden_size), one row a segment
    layer_norm_weight: Array  # (hidden_size,), gamma in old files
    layer_norm_bias: Array  # (hidden_size,), beta
    word_norms: Array  # (vocab_size,), length of each row of `word_embeddings`


def _size(name: str) -> "cached_property[int]":
    return cached_property(lambda bert: int(bert.settings[name]))


@dataclass(frozen=True, eq=False, repr=False)
class Bert(Readable):
    """An opened checkpoint; shared by all viewers and never changed.

    Attributes:
        checkpoint: Where its files lie.
        settings: The parsed `config.json`, with the library's values for what it leaves out.
        tokenizer: Its WordPiece tokenizer, without padding or truncation.
        vocabulary: The token of every row of the token table.
        tables: The arrays of the embedding layer.
        stamp: Sizes, times and numbers of its files when it was opened; () if unknown.
    """

    checkpoint: Checkpoint
    settings: dict[str, Any]
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    tables: EmbeddingTables
    stamp: Stamp = ()

    @cached_property
    def name(self) -> str:
        return self.checkpoint.name

    @cached_property
    def source(self) -> Source:
        """Where the files came from: "package", "folder", "cache" or "download"."""
        return self.checkpoint.source

    vocab_size = _size("vocab_size")
    hidden_size = _size("hidden_size")
    num_hidden_layers = _size("num_hidden_layers")
    max_position_embeddings = _size("max_position_embeddings")
    type_vocab_size = _size("type_vocab_size")

    @cached_property
    def layer_norm_eps(self) -> float:
        return float(self.settings["layer_norm_eps"])

    @cached_property
    def padding_row(self) -> int | None:
        """The row that the library does not train; 0 where config.json does not say."""
        row: int | None = self.settings["pad_token_id"]
        return row

    def is_current(self) -> bool:
        """Whether the files on disk still are those that were opened.

        Tensors are mapped from that of the weights: if it is cut short, reading them ends the
        process.
        """
        return not self.stamp or self.checkpoint.stamp() == self.stamp

    @cached_property
    def fingerprint(self) -> str:
        """The exact files that were opened, for the keys of what is kept of them."""
        return self.checkpoint.fingerprint(self.stamp)

    @cached_property
    def tokenizer_hash(self) -> str:
        """SHA-256 of all that decides the ids of a text: the vocabulary and the rules."""
        return hashlib.sha256(self.tokenizer.to_str().encode()).hexdigest()

    def _summary(self) -> str:
        return (
            f"{self.name}, from {self.source}: {self.num_hidden_layers} layers x "
            f"{self.hidden_size:,}, {self.vocab_size:,} tokens, "
            f"{self.max_position_embeddings:,} positions, {self.type_vocab_size} segments"
        )


def load_bert(name_or_folder: str | Path | Checkpoint) -> Bert:
    """Open a checkpoint. One that is not on this machine is downloaded once, with a bar.

    Args:
        name_or_folder: A folder with a checkpoint; a name from `catalog.offered_models`, such as
            "bert-base-uncased" (440 MB, pinned and checked); "org/name" or "org/name@commit" of
            the Hugging Face hub; or what `checkpoint.locate` returned, which downloads nothing.
            Downloads are kept in the local Hugging Face cache (`HF_HUB_CACHE`), and opened from
            there without the network. With `HF_HUB_OFFLINE=1` nothing is downloaded.

    Returns:
        Settings, tokenizer and tables. No torch is imported.

    Raises:
        ModelUnavailableError: The files cannot be had, are incomplete, not a BERT, lack a tensor,
            or hold one of another shape than `config.json` says.

    References:
        Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers".

    Example:
        >>> load_bert("all-MiniLM-L6-v2").tables.word_embeddings.shape
        (30522, 384)
    """
    expect(name_or_folder, (str, Path, Checkpoint), "a name, a folder or a Checkpoint")
    checkpoint = (
        name_or_folder if isinstance(name_or_folder, Checkpoint) else obtain(name_or_folder)
    )
    stamp = checkpoint.stamp()  # before anything is read, so that later changes are noticed
    settings = read_settings(checkpoint)
    count_parameters(checkpoint)  # refuses a file that lacks a tensor of the model
    tables = _read_tables(checkpoint, settings)
    tokenizer, mask = read_tokenizer(checkpoint, settings)
    tokens = vocabulary(tokenizer, settings["vocab_size"], special_tokens(tokenizer), mask)
    return Bert(checkpoint, settings, tokenizer, tokens, tables, stamp)


def _read_tables(checkpoint: Checkpoint, settings: dict[str, Any]) -> EmbeddingTables:
    shapes = parameter_shapes(settings | {"num_hidden_layers": 0}, pooler=False)
    tensors = read_tensors(checkpoint, shapes)
    for name, values in tensors.items():
        if not max(-values.min(), values.max()) <= MAX_WEIGHT:  # nor where it is NaN
            raise ModelUnavailableError(
                f"{checkpoint.weights.name} of {checkpoint.name} holds {name}: no trained weights."
            )
    words, positions, segments, weight, bias = tensors.values()
    squares = np.einsum("ij,ij->i", words, words, dtype=np.float64)
    return EmbeddingTables(words, positions, segments, weight, bias, frozen(np.sqrt(squares)))
