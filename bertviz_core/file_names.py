"""Names of files that are taken home: page, picture, model, how it was made, sentence."""

import hashlib
from collections.abc import Mapping
from unicodedata import category, normalize

MAX_SENTENCE = 48  # characters
MAX_PART = 40  # characters of each other part
MAX_BYTES = 200  # of the whole name, which with its ending is to stay below 255
_EMOJI = {chr(number) for number in range(0xFE00, 0xFE10)}
_KEPT = "._+#"  # a model has dots, a piece of a word may begin with ##


def file_name(*parts: str, made: Mapping[str, str | int], sentence: str = "") -> str:
    """Name a file, without its ending, by what it shows; the same view has the same name."""
    named = [*parts, *(f"{key}-{value}" for key, value in made.items())]
    name = "_".join(part for part in (_safe(part, MAX_PART) for part in named) if part)
    typed = " ".join(sentence.split())
    if not typed:
        return _shortened(name, MAX_BYTES)
    whole = _safe(typed.lower(), len(typed))
    room = MAX_BYTES - len(name.encode()) - len("__123456")
    slug = _shortened(whole[:MAX_SENTENCE], max(room, 0))
    if slug != whole or not whole:
        # Six digits made of all of a sentence that is cut: others may begin alike.
        digits = hashlib.sha256(typed.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        slug = f"{slug}-{digits}".lstrip("-")
    return _shortened(f"{name}_{slug}" if name else slug, MAX_BYTES)


def _safe(text: str, most: int) -> str:
    """The words of a text, joined by hyphens: only letters and digits of any script are kept."""
    # Marks on letters stay (M): without them many scripts cannot be read; not how emoji are drawn.
    kept = "".join(
        c if c.isalnum() or c in _KEPT or (category(c)[0] == "M" and c not in _EMOJI) else " "
        for c in normalize("NFC", text)
    )
    words = (word.strip("._-") for word in kept.split())
    return "-".join(word for word in words if word)[:most].strip("._-")


def _shortened(name: str, most: int) -> str:
    """As much of a name as fits into a number of bytes."""
    return name.encode()[:most].decode(errors="ignore").rstrip(".-_")
