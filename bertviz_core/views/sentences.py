"""Sentences with values in them; whatever a user typed is escaped here and nowhere else."""

from collections.abc import Callable, Iterable, Mapping
from html import escape

from bertviz_core.tokens.tokenized_text import without_lone_surrogates


def plain(text: str) -> str:
    """Escape text of any origin for HTML, kept apart from the direction of what surrounds it."""
    clean = "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for c in without_lone_surrogates(text)
    )
    return f"<bdi>{escape(clean)}</bdi>"


def named(text: str, name: str) -> str:
    """The same, under the name of the value: tests and the tour find it by that."""
    return plain(text).replace("<bdi", f'<bdi data-name="{name}"')


def filled(
    template: str, values: Mapping[str, object], write: Callable[[str, str], str] = named
) -> str:
    """Put values into one of our sentences.

    Args:
        template: HTML of ours, with `{names}` for the values; `{name:.2f}` formats one.
        values: By name.
        write: Makes the text of a value, which may be a user's, harmless; given its name too.
    """
    return template.format(**{name: _Value(name, value, write) for name, value in values.items()})


def joined(parts: Iterable[str]) -> str:
    """Join phrases to "a, b and c"; "" if there are none."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


class _Value:
    """A value in a sentence: formatted, then written by `write`."""

    def __init__(self, name: str, value: object, write: Callable[[str, str], str]) -> None:
        self._name, self._value, self._write = name, value, write

    def __format__(self, form: str) -> str:
        text = format(self._value, form) if form else str(self._value)
        return self._write(text, self._name)
