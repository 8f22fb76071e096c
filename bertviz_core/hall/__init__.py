"""A hall of phones that answer one lecturer; here what counts as a guess, and as a right one.

What a hall has learned is Hake's gain. A number is "0.42" in the address.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NEAR = 0.1  # how far a number may be off and count as right
MAX_LENGTH = 100  # characters of a guess


def is_number(guess: str) -> bool:
    """Whether a guess is a number from 0 to 1."""
    return re.fullmatch(r"0\.\d\d|1\.00", guess) is not None


def is_allowed(guess: str, options: Sequence[str]) -> bool:
    """Whether a guess is one of those to choose from, or a number where there are none."""
    return guess in options if options else is_number(guess)


def is_right(guess: str, truth: str) -> bool:
    """Whether a guess is right, a number nearly so."""
    if is_number(truth) and is_number(guess):
        return abs(float(guess) - float(truth)) <= NEAR + 1e-9
    return guess == truth


class Gain(NamedTuple):
    """Hake's normalised gain (1998): which share of what could be learned was learned."""

    voters: int  # those who answered both times
    learned: int  # wrong before, right after
    lost: int  # right before, wrong after
    before: float  # share of right answers, 0 to 1
    after: float
    gain: float | None  # (after - before) / (1 - before); None where all were right before


def normalised_gain(pairs: Iterable[tuple[bool, bool]]) -> Gain:
    """Compare who was right before with who is after, voter by voter; there is at least one."""
    pairs = list(pairs)
    learned, lost = pairs.count((False, True)), pairs.count((True, False))
    before, after = (sum(one) / len(pairs) for one in zip(*pairs, strict=True))
    gain = (after - before) / (1 - before) if before < 1 else None
    return Gain(len(pairs), learned, lost, before, after, gain)
