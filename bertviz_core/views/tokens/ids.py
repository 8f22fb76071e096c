"""From token ids back to text, and a text there and back."""

import re
from typing import Annotated

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import caption, note, program, say, table
from bertviz_core.views.view import View

# What may be around the numbers where a list is pasted from Python.
BETWEEN = re.compile(r"[\s,;()\[\]]+")


def example(bert: Bert) -> str:
    """The ids of a short sentence."""
    return " ".join(map(str, tokenize(bert, "I am Sinan").input_ids))


@view("ids to text", page="Tokens", rank=30)
def ids_to_text(
    bert: Bert,
    typed: InputText,
    ids: Annotated[
        str,
        Line(
            "Token ids, separated by spaces or commas",
            first=example,
            about="token ids to turn into text",
        ),
    ] = "",
) -> View:
    """The tokens and the text of ids, and what a text loses on its way to ids and back."""
    rows = _read(bert, ids or example(bert))
    tokens = [bert.vocabulary.tokens[row] for row in rows]
    text, decode = without_lone_surrogates(typed.text), bert.tokenizer.decode
    returned = decode(bert.tokenizer.encode(text, add_special_tokens=False).ids)
    back = "Text A to ids and back: “{text_a}” returns as “<b>{returned}</b>”"
    if returned == text:
        back += ": the same."
    else:
        back += ". What the tokenizer's first steps take away, no id brings back."
    unnamed = tokens.count("")
    method = "words-and-ids"
    return View(
        say(
            "{ids:,} {verb} <b>{decoded_tokens}</b>, as text: “<b>{decoded_text}</b>”.",
            ids=len(rows),
            verb="id is the token" if len(rows) == 1 else "ids are the tokens",
            decoded_tokens=" ".join(token or "(no token)" for token in tokens),
            decoded_text=decode(rows),
            method=method,
        ),
        note("{unnamed} of the rows belong to no token; they leave no text.", unnamed=unnamed)
        if unnamed
        else [],
        table({"position": range(len(rows)), "token id": rows, "token": tokens}, name="ids"),
        caption(
            "With special tokens: {with_special}",
            with_special=decode(rows, skip_special_tokens=False),
        ),
        say(back, text_a=typed.text, returned=returned, method=method) if returned else [],
        program("tokens/decode", bert, token_ids=rows, name="ids"),
    )


def _read(bert: Bert, typed: str) -> list[int]:
    """Ids separated by blanks or commas, as in "101 1045 102" or "[101, 1045, 102]"."""
    words = [word for word in BETWEEN.split(without_lone_surrogates(typed)) if word]
    if not words:
        raise UserInputError("Type token ids, separated by spaces or commas: 101 1045 2572 102.")
    last, rows = bert.vocab_size - 1, []
    for word in words:
        shown = shortened(word, 24)
        if not re.fullmatch(r"[+-]?[0-9]+", word):
            raise UserInputError(
                f"“{shown}” is not a token id; type whole numbers from 0 to {last:,}, separated "
                "by spaces or commas."
            )
        # Python does not read numbers of thousands of digits; they are not in the table either.
        row = int(word) if len(word) <= 24 else -1
        if not 0 <= row <= last:
            raise UserInputError(
                f"{shown} is not in the token table of {bert.name}; its ids go from 0 to {last:,}."
            )
        rows.append(row)
    return rows
