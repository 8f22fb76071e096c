"""A hall of phones that answer one lecturer; here what counts as a guess, and as a right one.

A number is "0.42" in the address.
"""

import re
from collections.abc import Sequence

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
