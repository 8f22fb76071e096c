"""Names of files that are taken home: page, picture, model, how it was made, sentence."""

import hashlib
import unicodedata
from collections.abc import Mapping

LONGEST_SENTENCE = 48  # characters
LONGEST_PART = 40  # characters of each other part
MOST_BYTES = 200  # of the whole name, which with its ending is to stay below 255
_KEPT = "._+#"  # a model has dots, a piece of a word may begin with ##


def file_name(*parts: str, made: Mapping[str, str | int], sentence: str = "") -> str:
    """Name a file, without its ending, by what it shows; the same view has the same name."""
    named = [*parts, *(f"{key}-{value}" for key, value in made.items())]
    name = "_".join(part for part in (_safe(part, LONGEST_PART) for part in named) if part)
    typed = " ".join(sentence.split())
    if not typed:
        return _shortened(name, MOST_BYTES)
    whole = _safe(typed.lower(), len(typed))
    room = MOST_BYTES - len(name.encode()) - len("__123456")
    slug = _shortened(whole[:LONGEST_SENTENCE], max(room, 0))
    if slug != whole or not whole:
        # Six digits made of all of a sentence that is cut: others may begin alike.
        digits = hashlib.sha256(typed.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        slug = f"{slug}-{digits}".lstrip("-")
    return _shortened(f"{name}_{slug}" if name else slug, MOST_BYTES)


def _safe(text: str, most: int) -> str:
    """The words of a text, joined by hyphens: only letters and digits of any script are kept."""
    kept = "".join(c if _is_kept(c) else " " for c in unicodedata.normalize("NFC", text))
    words = (word.strip("._-") for word in kept.split())
    return "-".join(word for word in words if word)[:most].strip("._-")


def _is_kept(character: str) -> bool:
    # Marks on letters stay (M): without them many scripts cannot be read.
    return (
        character.isalnum() or character in _KEPT or unicodedata.category(character)[0] == "M"
    ) and not 0xFE00 <= ord(character) <= 0xFE0F  # how an emoji is drawn


def _shortened(name: str, most: int) -> str:
    """As much of a name as fits into a number of bytes."""
    return name.encode()[:most].decode(errors="ignore").rstrip(".-_")
