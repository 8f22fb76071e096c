"""Texts of random sentences, the same at every run."""

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.app_server import ROOT

WORD = "bank"


def random_sentences(count: int, shortest: int, longest: int) -> Iterator[list[str]]:
    """Words of the project's own sentences but for `WORD`, in any order."""
    text = (ROOT / "bertviz_core" / "data" / "calibration.txt").read_text(encoding="utf-8")
    words = [word for word in text.split() if word.lower() != WORD]
    chance = random.Random(0)
    for _ in range(count):
        yield chance.choices(words, k=chance.randint(shortest, longest))


def write_corpus(path: Path, size: int, every: int) -> Path:
    """Write lines of 2 to 24 words, at least `size` bytes.

    One in `every` lines holds `WORD`, no two of them alike; the others repeat.
    """
    plain = [" ".join(words) for words in random_sentences(10_000, 2, 24)]
    written = number = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            line = plain[number * 7919 % len(plain)]
            if number % every == 0:
                line = f"{number} {WORD} {line}"
            written += file.write(line + "\n")
            number += 1
    return path
