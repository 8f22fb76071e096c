"""A text with two marked words: `The [king] spoke to the [queen]`."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bertviz_core.contextual.marks import MarkedText, read_marks
from bertviz_core.contextual.words import pieces_of
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText, tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


@dataclass(frozen=True, eq=False)
class WordPair:
    """Two words of one text, and their tokens.

    Attributes:
        text: The text, with the second one if there is one, as tokens.
        first: The first marked word and its sentence.
        second: The second marked word, of the same sentence.
        first_positions: Where the pieces of the first word stand in `text`, rising.
        second_positions: Where those of the second stand.
    """

    text: TokenizedText
    first: MarkedText
    second: MarkedText
    first_positions: tuple[int, ...]
    second_positions: tuple[int, ...]


def read_word_pair(bert: "Bert", marked: str, text_pair: str | None = None) -> WordPair:
    """Find the tokens of the two marked words of a text.

    Args:
        bert: The checkpoint whose tokenizer to use.
        marked: A sentence with two words in brackets.
        text_pair: A second text without marks, which BERT reads as segment B; None for none.

    Raises:
        UserInputError: Not two words are marked, one of them leaves no token or lies beyond the
            tokens the model can take, or both share a token.
    """
    if not marked.strip():
        raise UserInputError("The sentence is empty; type one with two words in [brackets].")
    words = read_marks(marked)
    if len(words) != 2:
        count = {0: "no word", 1: "one word only"}.get(len(words), f"{len(words)} words")
        raise UserInputError(f"“{marked.strip()}” marks {count}; put [brackets] around two words.")
    text = tokenize(bert, words[0].text, text_pair)
    # Characters are counted anew in the second text, where no word is marked.
    offsets = text.offsets.copy()
    offsets[text.token_type_ids > 0] = 0
    own = replace(text, offsets=offsets)
    first, second = (pieces_of(word, own) for word in words)
    if set(first) & set(second):
        raise UserInputError(
            f"“{words[0].word}” and “{words[1].word}” are parts of one token, "
            f"“{text.tokens[second[0]]}”; mark two words that stand apart."
        )
    return WordPair(text, words[0], words[1], first, second)
