"""Whether the vocabulary holds a word: as a word, as a ## piece, in another case, as a start."""

from dataclasses import dataclass
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.errors import UserInputError
from bertviz_core.result import Result
from bertviz_core.tokens.tokenized_text import without_lone_surrogates


@dataclass(frozen=True)
class Form:
    """One way to write the word, and its rows of the token table."""

    written: str  # the word, without ##
    word_id: int | None  # row of the token that starts a word with it; None if there is none
    # Row of the ## token that continues a word with it; None if there is none.
    continuation_id: int | None


@dataclass(frozen=True, repr=False)
class Lookup(Result):
    """What the vocabulary holds of a word."""

    word: str  # the word as typed, without a leading ##
    normalized: str  # the word as the tokenizer looks for it, after its normalizer
    # `normalized` first, then the word as typed and in other cases, each once.
    forms: tuple[Form, ...]
    pieces: tuple[str, ...]  # the WordPieces the tokenizer makes of it
    # The longest beginning of `normalized` that some token begins with too; the word itself where a
    # token begins with it.
    shared: str
    beginning: tuple[int, ...]  # ids of the tokens that begin with `shared`, in order
    continuing: tuple[int, ...]  # ids of the ## tokens that begin with it, in order

    def columns(self) -> dict[str, Any]:
        """One row a form of the word."""
        return {
            "written": [form.written for form in self.forms],
            "id as a word": [form.word_id for form in self.forms],
            "id after ##": [form.continuation_id for form in self.forms],
        }


def look_up(bert: Bert, word: str) -> Lookup:
    """Look for a word in the vocabulary, with or without ##; special tokens keep their case.

    `an` and `##an` are different tokens with rows of their own: the first starts a word, the
    second continues one. A leading ## is taken off, and both are looked for.
    """
    typed = without_lone_surrogates(word).strip()
    word = typed.removeprefix(CONTINUATION) or typed
    if not word:
        raise UserInputError("Type a word to look for, such as sinan, an or ##an.")
    special = {added.content for added in bert.tokenizer.get_added_tokens_decoder().values()}
    normalizer = None if word in special else bert.tokenizer.normalizer
    normalized = word if normalizer is None else str(normalizer.normalize_str(word)).strip()
    if not normalized:
        raise UserInputError(f"“{typed}” holds no character that BERT reads; type a word.")
    ids = bert.vocabulary.ids
    forms = dict.fromkeys([normalized, word, word.lower(), word.capitalize(), word.upper()])
    shared, beginning, continuing = _longest_shared(bert, normalized)
    return Lookup(
        word,
        normalized,
        tuple(Form(form, ids.get(form), ids.get(CONTINUATION + form)) for form in forms),
        tuple(bert.tokenizer.encode(word, add_special_tokens=False).tokens),
        shared,
        beginning,
        continuing,
    )


def _longest_shared(bert: Bert, word: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Tokens that share the longest beginning with a word; "" and none if no token shares any."""
    words, first = bert.vocabulary, (word[:1], CONTINUATION + word[:1])
    usable = [
        (i, token)
        for i, token in enumerate(words.tokens)
        if token.startswith(first) and not words.is_unused[i]
    ]
    plain = [(i, token) for i, token in usable if not words.is_subword[i]]
    joined = [(i, token.removeprefix(CONTINUATION)) for i, token in usable if words.is_subword[i]]
    # Each further letter leaves fewer tokens.
    shared = ""
    for end in range(1, len(word) + 1):
        fewer = [[t for t in tokens if t[1].startswith(word[:end])] for tokens in (plain, joined)]
        if not any(fewer):
            break
        shared, (plain, joined) = word[:end], fewer
    if not shared:
        return "", (), ()
    return shared, tuple(i for i, _ in plain), tuple(i for i, _ in joined)
