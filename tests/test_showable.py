"""What is shown of any text: on pages, in figures, in notebooks and by the command."""

import csv
from collections.abc import Callable
from contextlib import redirect_stdout
from html import unescape
from io import StringIO

import pytest

from bertviz_core.command.terminal import write_rows
from bertviz_core.figures.drawing import label
from bertviz_core.showable import filled, showable
from bertviz_core.views.files import literal


def by_the_command(text: str) -> str:
    with redirect_stdout(StringIO()) as printed:
        write_rows([{"typed": text}], "csv")
    return [*csv.reader(StringIO(printed.getvalue()))][1][0]


def on_a_page(text: str) -> str:
    return filled("{typed}", {"typed": text}).removesuffix("</bdi>").partition(">")[2]


@pytest.mark.parametrize("show", [on_a_page, label, literal, showable, by_the_command])
@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("für 猫 e\u0301 <&#*_>", "für 猫 e\u0301 <&#*_>"),
        ("10\u00a0km 5\u202f% a\u3000b c\td", "10 km 5 % a b c d"),
        ("👩\u200d👩\u200d👧 👩🏽\u200d🚀", "👩\u200d👩\u200d👧 👩🏽\u200d🚀"),
        ("so\u00adft \ufeffa\u200bb", "so\u00adft \ufeffa\u200bb"),
        ("\U0001fae8 \ue000 \U000e0067", "\U0001fae8 \ue000 \U000e0067"),  # new, private, a tag
        ("a\x00b\x1b[31m\x7f\x9b\ud83d\uffff", "a\ufffdb\ufffd[31m\ufffd\ufffd\ufffd\ufffd"),
        ("a\u202eb", "\u2068a\u202eb\u2069"),  # the override ends with its text
        ("a\u2069\u202eb", "\u2068a\u202eb\u2069"),  # and cannot leave it
        ("\u2067a\u2069\u2067b", "\u2068\u2067a\u2069\u2067b\u2069\u2069"),
    ],
    ids=ascii,
)  # fmt: skip
def test_every_place_shows_the_same(show: Callable[[str], str], typed: str, shown: str) -> None:
    assert unescape(show(typed)) == shown


def test_persian_keeps_its_joiners_and_its_side() -> None:
    typed = "می\u200cخواهم"
    assert showable(typed) == on_a_page(typed) == typed
    assert label(typed) == unescape(literal(typed)) == f"\u2068{typed}\u2069"
