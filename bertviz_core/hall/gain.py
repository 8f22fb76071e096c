"""What a hall has learned at a stop: who was right before its view, and who is after it."""

from collections.abc import Iterable
from typing import NamedTuple


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
