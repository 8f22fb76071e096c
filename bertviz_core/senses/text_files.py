"""Text files of occurrences: any file's lines, and the labelled sets that ship with the project."""

import io
from pathlib import Path

from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import WordOccurrences, find_occurrences

# Share of the characters. A text of Latin letters in another encoding has fewer with accents, and
# the others can still be looked for; in a compressed file, about half cannot be read.
_MOST_UNREAD = 0.2
_PREPARED = Path(__file__).parents[1] / "data" / "senses"


def lines_of(content: bytes) -> list[str]:
    """Decode a text file into its lines: UTF-8, or UTF-16 with its mark at the start."""
    if not content.strip():
        raise UserInputError("The file is empty; expected text, one sentence per line.")
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = content.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    if "\0" in text or text.count("\ufffd") > _MOST_UNREAD * len(text):
        raise UserInputError("The file is not text in UTF-8; expected one sentence per line.")
    return [line.rstrip("\n") for line in io.StringIO(text, newline=None)]


def prepared_words() -> tuple[str, ...]:
    """The words of the labelled sets that ship with the project, by the alphabet."""
    return tuple(sorted(path.stem for path in _PREPARED.glob("*.tsv")))


def prepared_set(word: str) -> WordOccurrences:
    """Read a labelled set that ships with the project.

    Args:
        word: One of `prepared_words()`.

    Returns:
        The occurrences of the word in the set, each with its sense.

    Raises:
        UserInputError: There is no set of this word.

    Example:
        >>> prepared_set("bank")
        WordOccurrences('bank', 28 occurrences in 28 lines, 2 senses)
    """
    if word not in prepared_words():
        raise UserInputError(f"“{word}” has no prepared set; choose {', '.join(prepared_words())}.")
    return find_occurrences(lines_of((_PREPARED / f"{word}.tsv").read_bytes()), word)
