"""The terms of a query such as `dog`, `##ing` or `king - man + woman`, as rows of a vocabulary."""

from dataclasses import dataclass
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

_SIGNS = {"+": 1, "-": -1, "−": -1}


@dataclass(frozen=True)
class Term:
    """One term of the sum that a query is."""

    sign: int  # +1 or -1
    text: str  # the term as it was typed
    tokens: tuple[str, ...]  # its WordPieces; several where the tokenizer splits the text
    token_ids: tuple[int, ...]  # their rows of the token table


def parse_query(bert: Bert, query: str) -> tuple[Term, ...]:
    """The terms between + and - with spaces around: each is a token, or cut into pieces."""
    words = without_lone_surrogates(query).split()
    if not words:
        raise UserInputError(
            "Type a token to search for, such as dog, ##ing or king - man + woman."
        )
    if len(words) == 1:
        return (_term(bert, 1, words[0]),)
    terms = []
    sign, text = 1, list[str]()
    for number, word in enumerate(words):
        if word not in _SIGNS:
            text.append(word)
            continue
        if text:
            terms.append(_term(bert, sign, " ".join(text)))
        elif number > 0:
            raise UserInputError(
                f"Two signs follow each other before “{word}”; put a word between."
            )
        sign, text = _SIGNS[word], []
    if not text:
        raise UserInputError(f"The query ends in “{words[-1]}”; add the word that comes after it.")
    return (*terms, _term(bert, sign, " ".join(text)))


def _term(bert: Bert, sign: int, text: str) -> Term:
    ids = bert.vocabulary.ids
    if text in ids:
        return Term(sign, text, (text,), (ids[text],))
    if text.startswith(CONTINUATION):
        raise UserInputError(f"The vocabulary of {bert.name} has no piece “{text}”.")
    encoding = bert.tokenizer.encode(text, add_special_tokens=False)
    if not encoding.ids:
        raise UserInputError(f"“{text}” holds no character that BERT reads; type a word.")
    model: Any = bert.tokenizer.model
    if model.unk_token in encoding.tokens:
        most = model.max_input_chars_per_word
        too_long = any(end - start > most for start, end in encoding.offsets)
        why = "its vocabulary has no piece for it"
        if too_long:
            why = f"it holds a word of more than {most} characters"
        raise UserInputError(
            f"BERT reads “{shortened(text, 40)}” as {model.unk_token}: {why}. "
            f"Search for {model.unk_token} to see that row."
        )
    return Term(sign, text, tuple(encoding.tokens), tuple(encoding.ids))
