"""The parts of a view, one function a kind; and phrases and numbers for its sentences."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.view import (
    Arrays,
    Beside,
    Kind,
    Part,
    Picture,
    Program,
    Sentence,
    Table,
    flat,
)


def _sentence(kind: Kind, template: str, /, *, method: str = "", **values: object) -> Sentence:
    """A sentence with values in it.

    `template` is HTML of ours, with `{names}` for the values, which are escaped; `{name:.2f}`
    formats one. `method` is the heading of docs/methods.md that explains them, as in its address.
    """
    return Sentence(kind, template, values, method)


say = partial(_sentence, "finding")  # what the numbers mean, above their picture
note = partial(_sentence, "note")  # what to know before reading on: what was cut, what is not shown
caption = partial(_sentence, "caption")  # in a small line what else is known of a picture
# At the size of a text; files to take home leave it out.
verdict = partial(_sentence, "verdict")


def alert(problem: str) -> Sentence:
    """Say what is wrong with what a visitor typed."""
    return Sentence("alert", "{problem}", {"problem": problem})


picture = Picture  # called as the other parts are
table = Table


def program(
    template: str,
    bert: Bert,
    typed: InputText | None = None,
    /,
    *,
    name: str,
    arrays: Arrays | None = None,
    about: str = "",
    **values: Any,
) -> Program:
    """The program that prints the same numbers; see `Program`.

    Values are given by their names in the template; those of `typed` are `text` and `text_pair`.
    """
    values |= {} if typed is None else {"text": typed.text, "text_pair": typed.text_pair}
    return Program(template, bert, values, name, arrays, about)


def beside(
    *columns: Iterable[Part] | Part, widths: Sequence[int] = (), presented: int = 0
) -> Beside:
    """Parts side by side; see `Beside`."""
    return Beside(tuple(tuple(flat([column])) for column in columns), tuple(widths), presented)


def truncated(text: TokenizedText, name: str = "The text") -> list[Sentence]:
    """Say how many tokens of a text did not fit; nothing if all did. `name` begins the sentence."""
    if not text.truncated:
        return []
    return [
        note(
            "{name} has {all} tokens; the model has positions for {room}. "
            "The last <b>{cut}</b> were left out.",
            name=name,
            all=f"{len(text) + text.truncated:,}",
            room=f"{len(text):,}",
            cut=f"{text.truncated:,}",
        )
    ]


def joined(parts: Iterable[str]) -> str:
    """Join phrases to "a, b and c"; "" if there are none."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def rounded(value: float, decimals: int = 2, sign: str = "") -> str:
    """A cosine or a correlation: "0.51", "−0.30", with `sign` "+" "+0.51"; "none" for NaN."""
    return "none" if math.isnan(value) else f"{value:{sign}.{decimals}f}".replace("-", "−")


def share(value: float) -> str:
    """A share of 1: "51%", below a tenth "5.1%", and "below 0.1%"."""
    if value < 0.001:
        return "below 0.1%"
    return f"{value:.1%}" if value < 0.1 else f"{value:.0%}"
