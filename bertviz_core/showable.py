"""Text of any origin as it can be shown: on a page, in a figure, a notebook or a terminal.

Whatever a user typed is made showable here, and escaped for HTML, and nowhere else.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from numbers import Real
from string import Formatter
from unicodedata import bidirectional

# Controls, halves of surrogate pairs, and the two that XML, and so SVG, cannot hold.
_NOT_TEXT = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = {"LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}  # Unicode's annex 9, table 4
_FROM_RIGHT = {"R", "AL"}
_ISOLATES = "\N{LEFT-TO-RIGHT ISOLATE}\N{RIGHT-TO-LEFT ISOLATE}\N{FIRST STRONG ISOLATE}"
_END = "\N{POP DIRECTIONAL ISOLATE}"


def showable(text: str, *, from_right: bool = False) -> str:
    """The text on one line, changed only where it could not be seen or would do harm.

    Blanks of any kind become spaces. Controls, which a terminal would run, and halves of surrogate
    pairs become U+FFFD. Joiners, soft hyphens and characters newer than Python's tables stay. A
    character that changes the direction changes none of the text around.

    Args:
        text: A text of any origin.
        from_right: Whether to isolate a text from right to left, too: for places without <bdi>.
    """
    if text.isascii() and text.isprintable():  # most texts
        return text
    text = _NOT_TEXT.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s", " ", text))
    kinds = set(map(bidirectional, text))
    return _isolated(text) if kinds & _TURNING or (from_right and kinds & _FROM_RIGHT) else text


def _isolated(text: str) -> str:
    """The text as an isolate, in which every other one is closed, and none that is not open."""
    depth, kept = 0, "\N{FIRST STRONG ISOLATE}"
    for c in text:
        depth += (c in _ISOLATES) - (c == _END)
        if depth < 0:  # it would end ours
            depth = 0
        else:
            kept += c
    return kept + _END * (depth + 1)


def plain(text: str, name: str = "") -> str:
    """Text of any origin as HTML, kept apart from the direction of what is around.

    With the name of a value, by which tests and the tour find it.
    """
    tag = f'bdi data-name="{name}"' if name else "bdi"
    return f"<{tag}>{escape(showable(text))}</bdi>"


def filled(
    template: str, values: Mapping[str, object], write: Callable[[str, str], str] = plain
) -> str:
    """Put values by name into HTML of ours; `write` makes the text of each harmless."""
    parts = []
    for ours, name, form, _ in Formatter().parse(template):
        parts.append(ours)
        if name is not None:
            text = format(values[name], form or "")
            if isinstance(value := values[name], Real) and value < 0:
                text = text.replace("-", "−", 1)  # a minus sign, not a hyphen
            parts.append(write(text, name))
    return "".join(parts)
