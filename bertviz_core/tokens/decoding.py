"""From token ids back to text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.result import Result
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

# What may be around the numbers where a list is pasted from Python.
_BETWEEN = re.compile(r"[\s,;()\[\]]+")


@dataclass(frozen=True, repr=False)
class DecodedIds(Result):
    """Token ids, read."""

    token_ids: tuple[int, ...]  # the ids
    tokens: tuple[str, ...]  # the token of each; "" for a row of the table that no token names
    text: str  # all of them as text, pieces joined
    text_without_special: str  # the same without [CLS], [SEP] and the other special tokens

    def columns(self) -> dict[str, Any]:
        """One row an id."""
        return {
            "position": range(len(self.token_ids)),
            "token id": self.token_ids,
            "token": self.tokens,
        }


def read_ids(bert: Bert, typed: str) -> tuple[int, ...]:
    """Read ids separated by blanks or commas, as in "101 1045 102" or "[101, 1045, 102]"."""
    words = [word for word in _BETWEEN.split(without_lone_surrogates(typed)) if word]
    if not words:
        raise UserInputError("Type token ids, separated by spaces or commas: 101 1045 2572 102.")
    ids = []
    for word in words:
        shown = shortened(word, 24)
        if not re.fullmatch(r"[+-]?[0-9]+", word):
            raise UserInputError(
                f"“{shown}” is not a token id; type whole numbers from 0 to "
                f"{bert.vocab_size - 1:,}, separated by spaces or commas."
            )
        # Python refuses to read numbers of thousands of digits; those are not in the table either.
        ids.append(_row(bert, int(word) if len(word) <= 24 else -1, shown))
    return tuple(ids)


def decode_ids(bert: Bert, token_ids: Sequence[int]) -> DecodedIds:
    """Turn ids into tokens and text.

    Upper case, accents and the blanks around punctuation do not come back: no token holds them.
    As `convert_ids_to_tokens` and `decode` of `BertTokenizer`.
    """
    ids = [_row(bert, int(token_id), str(token_id)) for token_id in token_ids]
    return DecodedIds(
        tuple(ids),
        tuple(bert.vocabulary.tokens[token_id] for token_id in ids),
        bert.tokenizer.decode(ids, skip_special_tokens=False),
        bert.tokenizer.decode(ids, skip_special_tokens=True),
    )


def _row(bert: Bert, token_id: int, shown: str) -> int:
    """An id that is a row of the table."""
    if not 0 <= token_id < bert.vocab_size:
        raise UserInputError(
            f"{shown} is not in the token table of {bert.name}; "
            f"its ids go from 0 to {bert.vocab_size - 1:,}."
        )
    return token_id
