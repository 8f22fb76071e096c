"""The rows of the vocabulary: those of a word, or of token ids, which become text again."""

import re
from typing import Annotated

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import UNREACHED
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.views.declare import view
from bertviz_core.views.fields import TextLine
from bertviz_core.views.view import View, caption, program, say, table

METHOD = "words-and-ids"
# What may be around the numbers where a list is pasted from Python.
SEPARATORS = re.compile(r"[\s,;()\[\]]+")
NUMBER = re.compile(r"[+-]?[0-9]+")


@view("words and ids", page="Tokens", rank=20)
def vocabulary(
    bert: Bert,
    lookup: Annotated[
        str,
        TextLine(
            "A word, or token ids (1996 3899 102)",
            about="a word to look up in the vocabulary, or token ids to turn into text",
        ),
    ] = "sinan",
) -> View:
    """Whether a word is in the vocabulary, and which tokens some ids are."""
    words = [word for word in SEPARATORS.split(without_lone_surrogates(lookup)) if word]
    if words and all(map(NUMBER.fullmatch, words)):
        return _view_of_ids(bert, [_token_id(bert, word) for word in words])
    return _view_of_word(bert, *_looked_up(bert, lookup))


def _view_of_word(bert: Bert, word: str, normalized: str) -> View:
    ids = bert.vocabulary.ids
    pieces = bert.tokenizer.encode(word, add_special_tokens=False).tokens
    continuation = bert.vocabulary.prefix + normalized
    rows = ids.get(normalized), ids.get(continuation)
    starts, continues = (row is not None and not bert.vocabulary.is_unused[row] for row in rows)
    answer = "Yes, as two different tokens" if starts and continues else "Yes"
    if not starts:
        answer = "Only as a continuation" if continues else "No"

    def known(row: int | None, name: str, role: str) -> str:
        if row is None:
            return "is not in the vocabulary"
        reached = not bert.vocabulary.is_unused[row]
        return f"is row <b>{{{name}}}</b>" + (f" and {role}" if reached else f", but {UNREACHED}")

    return View(
        say(
            ("“{typed}” becomes “{normalized}” first. " if word != normalized else "")
            + f"{answer}: <b>{{word}}</b> "
            + known(rows[0], "word_id", "starts a word")
            + ", <b>{continuation}</b> "
            + known(rows[1], "continuation_id", "goes on")
            + ". "
            + ("BERT reads it as <b>{pieces}</b>." if pieces != [normalized] else ""),
            typed=word,
            normalized=normalized,
            word=normalized,
            continuation=continuation,
            word_id=rows[0],
            continuation_id=rows[1],
            pieces=" ".join(pieces),
            method=METHOD,
        ),
        program(WORD_PROGRAM, bert, word=word, normalized=normalized, name="vocabulary"),
    )


def _looked_up(bert: Bert, typed: str) -> tuple[str, str]:
    """The word without a leading ##, and as it is looked for; special tokens keep case."""
    typed = without_lone_surrogates(typed).strip()
    prefix = bert.vocabulary.prefix
    word = typed.removeprefix(prefix) or typed
    if not word:
        raise UserInputError(f"Type a word to look for, such as sinan, an or {prefix}an.")
    special = {added.content for added in bert.tokenizer.get_added_tokens_decoder().values()}
    normalizer = None if word in special else bert.tokenizer.normalizer
    normalized = word if normalizer is None else str(normalizer.normalize_str(word)).strip()
    if not normalized:
        raise UserInputError(f"BERT reads no character of “{typed}”. Type a word.")
    return word, normalized


def _view_of_ids(bert: Bert, rows: list[int]) -> View:
    tokens = [bert.vocabulary.tokens[row] for row in rows]
    decode = bert.tokenizer.decode
    return View(
        say(
            "{ids:,} {verb} <b>{decoded_tokens}</b>, as text: “<b>{decoded_text}</b>”.",
            ids=len(rows),
            verb="id is the token" if len(rows) == 1 else "ids are the tokens",
            decoded_tokens=" ".join(token or "(no token)" for token in tokens),
            decoded_text=decode(rows),
            method=METHOD,
        ),
        table({"position": range(len(rows)), "token id": rows, "token": tokens}, name="ids"),
        caption(
            "With special tokens: {with_special}",
            with_special=decode(rows, skip_special_tokens=False),
        ),
        program(IDS_PROGRAM, bert, token_ids=rows, name="ids"),
    )


def _token_id(bert: Bert, number: str) -> int:
    last = bert.vocab_size - 1
    # Python does not read numbers of thousands of digits.
    if len(number) > 24 or not 0 <= int(number) <= last:
        raise UserInputError(
            f"“{shortened(number, 24)}” is not a token id of {bert.name}; type whole numbers "
            f"from 0 to {last:,}, separated by spaces or commas."
        )
    return int(number)


WORD_PROGRAM = '''
"""A word looked up in the vocabulary, and its pieces."""

word = ...
normalized = ...  # the word as the tokenizer changes it before it looks it up
tokenizer = ...
vocabulary = tokenizer.get_vocab()
continuation = tokenizer.backend_tokenizer.model.continuing_subword_prefix + normalized
print(normalized, vocabulary.get(normalized), vocabulary.get(continuation))
print(*tokenizer.tokenize(word))
'''


IDS_PROGRAM = '''
"""Tokens and text of token ids."""

token_ids = ...
tokenizer = ...
print(*tokenizer.convert_ids_to_tokens(token_ids))
print(tokenizer.decode(token_ids))
print(tokenizer.decode(token_ids, skip_special_tokens=True))
'''
