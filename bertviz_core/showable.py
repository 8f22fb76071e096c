"""Text of any origin as it can be shown, escaped for HTML, or name a file; made so here alone."""

import re
from collections.abc import Callable, Mapping
from html import escape
from numbers import Real
from string import Formatter
from unicodedata import bidirectional, category, normalize

# Controls, halves of surrogate pairs, and the two that XML, and so SVG, cannot hold.
_NOT_TEXT = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # annex 9 of Unicode, 2.1 to 2.5
_END = "\N{POP DIRECTIONAL ISOLATE}"
# What a sentence ends with in several scripts, and what may follow; our full stop behind a value.
_ENDS, _CLOSING = ".!?…。．！？｡।॥؟۔։።", " \t\r\n\"'”’»」』)]"
_STOP = re.compile(r"\A((?:</\w+>|[”’])*)\.(?=\s|\Z|<)")


def showable(text: str, *, from_right: bool = False) -> str:
    """The text on one line, changed only where it could not be seen or would do harm.

    Blanks become spaces; controls, which a terminal would run, and halves of surrogate pairs become
    U+FFFD. What overrides the direction ends with the text. With `from_right` a text from right to
    left is isolated as well, for places without <bdi>.
    """
    if text.isascii() and text.isprintable():  # most texts
        return text
    text = _NOT_TEXT.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\s", " ", text))
    turns = from_right and any(bidirectional(c) in ("R", "AL") for c in text)
    return _isolated(text) if turns or _TURNING.search(text) else text


def _isolated(text: str) -> str:
    """The text as an isolate; its own are closed, and an end without a beginning is left out."""
    isolate = "\N{FIRST STRONG ISOLATE}"
    open_ones = 0
    for c in text:
        open_ones += (c in "\u2066\u2067\u2068") - (c == _END)
        isolate += c if open_ones >= 0 else ""
        open_ones = max(open_ones, 0)
    return isolate + _END * (open_ones + 1)


def plain(text: str, name: str = "") -> str:
    """Text of any origin as HTML, under the name by which tests and the tour find a value."""
    tag = f'bdi data-name="{name}"' if name else "bdi"
    return f"<{tag}>{escape(showable(text))}</bdi>"


def filled(
    template: str, values: Mapping[str, object], write: Callable[[str, str], str] = plain
) -> str:
    """Put values by name into HTML of ours; `write` makes the text of each harmless.

    A full stop of ours is left out behind words that end as a sentence does.
    """
    parts = []
    text = ""
    for ours, name, form, _ in Formatter().parse(template):
        end = text.rstrip(_CLOSING)
        ended = any(map(str.isalnum, end)) and end[-1] in _ENDS
        parts.append(_STOP.sub(r"\1", ours) if ended else ours)
        text = ""
        if name is not None:
            text = format(values[name], form or "")
            if isinstance(value := values[name], Real) and value < 0:
                text = text.replace("-", "−", 1)  # a minus sign, not a hyphen
            parts.append(write(text, name))
    return "".join(parts)


MAX_PART = 48  # characters of each part of a name
MAX_NAME = 200  # bytes of the whole name, which with its ending is to stay below 255
_EMOJI = {chr(number) for number in range(0xFE00, 0xFE10)}
_KEPT = "._+#"  # a model has dots, a piece of a word may begin with ##


def file_name(*parts: str, made: Mapping[str, str | int], sentence: str = "") -> str:
    """Name a file, without its ending, by what it shows; the same view has the same name."""
    named = [*parts, *(f"{key}-{value}" for key, value in made.items()), sentence.lower()]
    name = "_".join(part for part in map(_safe_name, named) if part)
    return name.encode()[:MAX_NAME].decode(errors="ignore").rstrip(".-_")


def _safe_name(text: str) -> str:
    """The words of a text, joined by hyphens: only letters and digits of any script are kept."""
    # Marks on letters stay (M): without them many scripts cannot be read; not how emoji are drawn.
    kept = "".join(
        c if c.isalnum() or c in _KEPT or (category(c)[0] == "M" and c not in _EMOJI) else " "
        for c in normalize("NFC", text)
    )
    words = (word.strip("._-") for word in kept.split())
    return "-".join(word for word in words if word)[:MAX_PART].strip("._-")
