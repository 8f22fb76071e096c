"""What may be answered at a stop of the tour, and which answers are right."""

import math
from itertools import combinations

from bertviz_core.claims import Verdict
from bertviz_core.ui.tour import drawing
from bertviz_core.ui.tour.stops import Drawing, Stop

CHOICES = {"true": "true", "false": "false", "depends": "not that simple"}
# How far a drawing may be off and count as right: a share or a point by its distance, an order by
# its share of pairs the wrong way round.
NEAR, FEW = {1: 0.1, 2: 0.15}, 0.2


def drawn(stop: Stop, words: str) -> Drawing | None:
    """What is drawn at a stop, if not chosen; words to put in order come from the model."""
    asked = stop.drawing
    return asked if asked and (asked.axes or words) else None


def allowed(stop: Stop, answer: str, words: str) -> bool:
    """Whether a phone can have given this answer."""
    asked = drawn(stop, words)
    if asked is None:
        return answer in CHOICES
    parts = drawing.read(asked, answer)
    return bool(parts) and (bool(asked.axes) or sorted(parts) == sorted(words.split("_")))


def truth_of(stop: Stop, found: Verdict) -> str:
    """What is true of the model in use, as a phone would answer it."""
    asked = stop.drawing
    if asked and all(name in found.numbers for name in asked.truth):
        if not asked.axes:
            return "_".join(drawing.closest(asked, found))
        numbers = (min(max(float(found.numbers[name]), 0), 1) for name in asked.truth)
        return "_".join(f"{number:.2f}" for number in numbers)
    return {True: "true", False: "false", None: "depends"}[stop.truth(found)]


def right(answer: str, truth: str) -> bool:
    """Whether an answer is right, a drawing nearly so."""
    if truth in CHOICES:
        return answer == truth
    parts, there = answer.split("_"), truth.split("_")
    if len(parts) != len(there):
        return False
    if len(there) in NEAR:
        return math.dist(map(float, parts), map(float, there)) <= NEAR[len(there)] + 1e-9
    pairs = list(combinations(there, 2))
    wrong = sum(parts.index(near) > parts.index(far) for near, far in pairs)
    return wrong <= FEW * len(pairs)
