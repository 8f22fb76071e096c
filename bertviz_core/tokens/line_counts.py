"""How many tokens texts have, how far their words are split, and how many stay unknown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import read_only
from bertviz_core.bert import Bert
from bertviz_core.result import Readable, Result
from bertviz_core.tokens import TokenizedText
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

Counts = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class WordCounts(Readable):
    """Counts of one text."""

    words: int  # words and punctuation marks, as the tokenizer splits them
    pieces: int  # WordPieces they became; [CLS] and the [SEP] after each text are not counted
    unknown: int  # how many of the pieces are the unknown token

    @property
    def pieces_per_word(self) -> float:
        """1 where every word is a token of its own; NaN without a word."""
        return self.pieces / self.words if self.words else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class LineCounts(Result):
    """Counts of n lines, each by itself."""

    characters: Counts  # int64 (n,), code points of each line
    lengths: Counts  # int64 (n,), tokens with [CLS] and [SEP], before anything is cut
    words: Counts  # int64 (n,), words and punctuation marks
    pieces: Counts  # int64 (n,), WordPieces of the words
    unknown: Counts  # int64 (n,), how many of the pieces are the unknown token
    cut: Counts  # int64 (n,), tokens beyond the model's last position

    def __len__(self) -> int:
        return int(self.lengths.size)

    @property
    def total(self) -> WordCounts:
        """The counts of all lines together."""
        return WordCounts(int(self.words.sum()), int(self.pieces.sum()), int(self.unknown.sum()))

    @property
    def pieces_per_word(self) -> NDArray[np.float64]:
        """float64 (n,), NaN for a line without a word."""
        return _ratio(self.pieces, self.words)

    @property
    def unknown_rate(self) -> NDArray[np.float64]:
        """float64 (n,), unknown tokens among the words, from 0 to 1; NaN without a word."""
        return _ratio(self.unknown, self.words)

    def columns(self) -> dict[str, Any]:
        """One row a line, numbered from 1."""
        return {
            "line": np.arange(1, len(self) + 1),
            "characters": self.characters,
            "tokens": self.lengths,
            "words": self.words,
            "pieces": self.pieces,
            "pieces per word": self.pieces_per_word,
            "[UNK]": self.unknown,
            "[UNK] rate": self.unknown_rate,
            "tokens cut": self.cut,
        }


def count_words(bert: Bert, text: TokenizedText) -> WordCounts:
    """Count the words and pieces of a text or pair from `tokenize`; what was cut is not counted."""
    unknown = _unknown_id(bert)
    words = {
        (int(segment), word)
        for segment, word in zip(text.token_type_ids, text.word_ids, strict=True)
        if word is not None
    }
    inside = [word is not None for word in text.word_ids]
    return WordCounts(len(words), sum(inside), int((text.input_ids[inside] == unknown).sum()))


def count_lines(bert: Bert, lines: Sequence[str]) -> LineCounts:
    """Tokenize every line by itself and count."""
    unknown = _unknown_id(bert)
    around = bert.tokenizer.num_special_tokens_to_add(False)
    rows = []
    for line in lines:
        encoding = bert.tokenizer.encode(without_lone_surrogates(line), add_special_tokens=False)
        pieces = len(encoding.ids)
        over = max(pieces + around - bert.max_position_embeddings, 0)
        words = len(set(encoding.word_ids))
        rows.append((len(line), pieces + around, words, pieces, encoding.ids.count(unknown), over))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    return LineCounts(*read_only(columns))


def _unknown_id(bert: Bert) -> int:
    model = bert.tokenizer.model
    return int(model.token_to_id(model.unk_token))


def _ratio(part: Counts, whole: Counts) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
