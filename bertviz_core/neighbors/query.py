"""The terms of a query such as `dog`, `##ing` or `king - man + woman`, as rows of a vocabulary."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

# Keyboards, slides and books write each sign in several ways: full width, raised, and dashes.
_SIGNS = {"+": 1, "＋": 1, "⁺": 1} | dict.fromkeys("-−‐‑‒–—－⁻", -1)
_SIGN = f"[{re.escape(''.join(_SIGNS))}]"
_END = re.compile(r"(?<=\S)\s*=[\s?]*$")  # "king - man ="
# What looks like arithmetic in a term and would be read as pieces: a sign without a space on one
# side, a product, an equation, and in a sum brackets, a fraction, or a number before a word.
_NOT_COMPUTED = re.compile(rf"{_SIGN}\w|\w{_SIGN}\s|\w\s*[*×÷=^]\s*\w|\s/\s")
_NOT_IN_A_SUM = re.compile(r"[()*×÷/=^]|^[\d.,]+\s")


@dataclass(frozen=True)
class Term:
    """One term of the sum that a query is."""

    sign: int  # +1 or -1
    text: str  # the term as it was typed
    tokens: tuple[str, ...]  # its WordPieces; several where the tokenizer splits the text
    token_ids: tuple[int, ...]  # their rows of the token table


def parse_query(bert: Bert, query: str) -> tuple[Term, ...]:
    """The terms between + and - with spaces around: each is a token, or cut into pieces."""
    words = _END.sub("", without_lone_surrogates(query)).split()
    if not words:
        raise UserInputError(
            "Type a token to search for, such as dog, ##ing or king - man + woman."
        )
    if len(words) == 1:
        return (_term(bert, 1, words[0]),)
    terms, in_sum = list[Term](), not _SIGNS.keys().isdisjoint(words)
    sign, text = 1, list[str]()
    for number, word in enumerate(words):
        if word not in _SIGNS:
            text.append(word)
            continue
        if text:
            terms.append(_term(bert, sign, " ".join(text), in_sum))
        elif number > 0:
            raise UserInputError(
                f"Two signs follow each other before “{word}”; put a word between."
            )
        sign, text = _SIGNS[word], []
    if not text:
        raise UserInputError(f"The query ends in “{words[-1]}”; add the word that comes after it.")
    return (*terms, _term(bert, sign, " ".join(text), in_sum))


def spelled_like(bert: Bert, term: Term) -> list[str]:
    """At most 3 tokens that a misspelt word may mean, the nearest first; none of other terms."""
    word = "".join(piece.removeprefix(CONTINUATION) for piece in term.tokens)
    # Those that begin alike and are about as long: to compare all of them takes a second.
    alike = (one for one in bert.vocabulary.tokens if one[:1] == word[:1])
    near = [one for one in alike if abs(len(one) - len(word)) < 3]
    return get_close_matches(word, near, 3, 0.8) if term.text.isalpha() else []


def _term(bert: Bert, sign: int, text: str, in_sum: bool = False) -> Term:
    ids = bert.vocabulary.ids
    if text in ids:
        return Term(sign, text, (text,), (ids[text],))
    if _NOT_COMPUTED.search(text) or (in_sum and _NOT_IN_A_SUM.search(text)):
        if two := re.fullmatch(rf"(\w+){_SIGN}(\w+)", text):  # a hyphen, or a minus
            raise UserInputError(
                f"“{shortened(text, 40)}” is not computed. Write {two[1]} - {two[2]} for the "
                f"difference, or {two[1]} {two[2]} for the mean of both words."
            )
        raise UserInputError(
            f"“{shortened(text, 40)}” is not computed. A query is a word, several words (their "
            "mean), or a sum with spaces around + and -, such as king - man + woman."
        )
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
