"""The segment of each token: by the text it came from, and by counting [SEP] before it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Ids, read_only
from bertviz_core.bert import Bert
from bertviz_core.result import Result
from bertviz_core.tokens import TokenizedText

SEPARATOR = "[SEP]"


@dataclass(frozen=True, eq=False, repr=False)
class SegmentReading(Result):
    """The segments of seq_len tokens, two ways."""

    # int64 (seq_len,), the tokenizer's `token_type_ids`: 0 where the token belongs to the first
    # text, 1 where it belongs to the second.
    by_text: Ids
    by_counting: Ids  # int64 (seq_len,), how many [SEP] are before the token
    # Positions of the [SEP] that were typed, without those the tokenizer added.
    typed: tuple[int, ...]
    rows: int  # how many rows the segment table has

    @property
    def differing(self) -> int:
        """How many tokens the two ways disagree about."""
        return int((self.by_text != self.by_counting).sum())

    @property
    def without_row(self) -> int:
        """How many tokens counting puts into a segment that the table lacks."""
        return int((self.by_counting >= self.rows).sum())

    def columns(self) -> dict[str, Any]:
        """One row a token: its segment, 0 for the first, by either way."""
        return {
            "position": range(len(self.by_text)),
            "by text": self.by_text,
            "by counting": self.by_counting,
        }


def segments_two_ways(bert: Bert, text: TokenizedText) -> SegmentReading:
    """Compare `token_type_ids` with a count of the separators.

    Devlin et al. (2019), section 3; `token_type_ids` of `BertTokenizer`.
    """
    separators = np.array([token == SEPARATOR for token in text.tokens], dtype=np.int64)
    counted = np.cumsum(separators) - separators
    typed = tuple(
        position
        for position, (token, word) in enumerate(zip(text.tokens, text.word_ids, strict=True))
        if token == SEPARATOR and word is not None
    )
    return SegmentReading(text.token_type_ids, read_only(counted), typed, bert.type_vocab_size)
