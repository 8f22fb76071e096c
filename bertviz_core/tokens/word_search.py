"""The search for the pieces of a word: from the left, each time the longest in the vocabulary."""

from dataclasses import dataclass
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.result import Result, cut
from bertviz_core.tokens.tokenized_text import without_lone_surrogates


@dataclass(frozen=True)
class Try:
    """One piece that was looked for in the vocabulary."""

    piece: str  # with ## unless it starts the word
    start: int  # first character of the piece in its word
    end: int  # one past its last character
    token_id: int | None  # its row of the token table; None if the vocabulary has no such piece


@dataclass(frozen=True, repr=False)
class WordSearch(Result):
    """The longest-match-first search for the pieces of one word."""

    word: str  # normalized
    matches: tuple[Try, ...]  # the tries that were in the vocabulary, in order
    prefix: str  # of pieces that do not start the word: ##
    tokens: tuple[str, ...]  # the pieces found, or the unknown token alone
    token_ids: tuple[int, ...]  # their rows of the token table
    longest: int  # characters; a longer word is not searched
    stuck_at: int | None  # character at which no piece was found, if any

    @property
    def tries(self) -> tuple[Try, ...]:
        """All pieces looked for, in order; none where the word is too long to be searched.

        They are made anew each time: a word of 100 characters has up to 5,050.
        """
        return tuple(
            Try((self.prefix if start else "") + self.word[start:end], start, end,
                token_id if end == last else None)
            for start, last, token_id in self._starts()
            for end in range(len(self.word), last - 1, -1)
        )  # fmt: skip

    @property
    def try_count(self) -> int:
        """How many `tries` there are."""
        return sum(len(self.word) - last + 1 for _, last, _ in self._starts())

    def _starts(self) -> list[tuple[int, int, int | None]]:
        """The starts of tries: first character, end of the last try there, the id it found."""
        stuck = [] if self.stuck_at is None else [(self.stuck_at, self.stuck_at + 1, None)]
        return [*((match.start, match.end, match.token_id) for match in self.matches), *stuck]

    @property
    def too_long(self) -> bool:
        return len(self.word) > self.longest

    def columns(self) -> dict[str, Any]:
        """One row a try, numbered from 1."""
        tries = self.tries
        return {
            "try": range(1, len(tries) + 1),
            "piece": [tried.piece for tried in tries],
            "from character": [tried.start for tried in tries],
            "to character": [tried.end for tried in tries],
            "in the vocabulary": [tried.token_id is not None for tried in tries],
            "token id": [tried.token_id for tried in tries],
        }

    def _summary(self) -> str:
        return f"{cut(self.word)} in {self.try_count:,} tries: {' '.join(self.tokens[:20])}"


def search_word(bert: Bert, word: str) -> WordSearch:
    """Cut one word into pieces: from the left, each time the longest one in the vocabulary.

    Args:
        bert: The checkpoint whose vocabulary to search.
        word: A word as the normalizer leaves it. It is not split at blanks or punctuation.

    Returns:
        Every piece tried, and those found. Where no piece fits at some character, not even a
        piece of one character, the whole word becomes the unknown token.

    References:
        `WordPiece` in tokenizers; `WordpieceTokenizer` in google-research/bert.

    Example:
        >>> search = search_word(bert, "awesomesauce")
        >>> search.tokens, search.try_count
        (('awesome', '##sau', '##ce'), 10)
    """
    word = without_lone_surrogates(word)
    model: Any = bert.tokenizer.model
    prefix, longest = model.continuing_subword_prefix, model.max_input_chars_per_word
    matches: list[Try] = []
    stuck_at, start = None, 0
    while len(word) <= longest and start < len(word) and stuck_at is None:
        # Pieces longer than every token are tries, too, but need not be looked up.
        for end in range(min(len(word), start + bert.vocabulary.longest), start, -1):
            piece = (prefix if start else "") + word[start:end]
            token_id = model.token_to_id(piece)
            if token_id is not None:
                matches.append(Try(piece, start, end, token_id))
                start = end
                break
        else:
            stuck_at = start
    tokens = tuple(match.piece for match in matches)
    ids = tuple(match.token_id for match in matches if match.token_id is not None)
    if stuck_at is not None or len(word) > longest:
        tokens, ids = (model.unk_token,), (int(model.token_to_id(model.unk_token)),)
    return WordSearch(word, tuple(matches), prefix, tokens, ids, longest, stuck_at)
