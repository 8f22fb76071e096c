"""The rows of the token table by name: which token stands where, and of what kind it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONTINUATION = "##"
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_UNUSED = re.compile(r"\[unused\d+\]")


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The WordPieces of a checkpoint, one for each row of its token table.

    Attributes:
        tokens: Token of each id; "" for a row of the table that no token names.
        ids: Id of each token.
        is_subword: bool (vocab_size,), true for pieces that continue a word ("##ing").
        is_special: bool (vocab_size,), true for [PAD], [UNK], [CLS], [SEP] and [MASK].
        is_unused: bool (vocab_size,), true for [unused0] and the like, and for unnamed rows.
    """

    tokens: tuple[str, ...]
    ids: Mapping[str, int]
    is_subword: NDArray[np.bool_]
    is_special: NDArray[np.bool_]
    is_unused: NDArray[np.bool_]

    @property
    def is_word(self) -> NDArray[np.bool_]:
        """bool (vocab_size,), true for tokens that can stand alone: whole words and signs."""
        return ~(self.is_subword | self.is_special | self.is_unused)


def vocabulary(ids: Mapping[str, int], vocab_size: int) -> Vocabulary:
    """Order a tokenizer's tokens by id and sort them into kinds.

    Args:
        ids: Id of each token, each at least 0 and below `vocab_size`.
        vocab_size: Number of rows of the token table.

    Returns:
        The vocabulary; its arrays are read-only.

    Raises:
        ValueError: An id lies outside the table.
    """
    tokens = [""] * vocab_size
    for token, token_id in ids.items():
        if not 0 <= token_id < vocab_size:
            raise ValueError(f"token {token!r} has id {token_id}, outside a table of {vocab_size}")
        tokens[token_id] = token
    kinds = np.array(
        [
            (
                token.startswith(CONTINUATION) and token != CONTINUATION,
                token in SPECIAL_TOKENS,
                not token or _UNUSED.fullmatch(token) is not None,
            )
            for token in tokens
        ],
        dtype=bool,
    ).T
    kinds.setflags(write=False)
    return Vocabulary(tuple(tokens), dict(ids), kinds[0], kinds[1], kinds[2])
