"""A sentence about BERT, and when it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Needs = Literal["tables", "layers", "library", "calibration"]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds for a model.

    Attributes:
        holds: Whether it does; None where the model lacks what the claim is about.
        numbers: What its sentence shows, by the names in it.
    """

    holds: bool | None
    numbers: Mapping[str, str | int | float]


@dataclass(frozen=True)
class Claim:
    """A sentence about BERT, with a condition that a model meets or does not.

    Attributes:
        name: Short, its own.
        condition: Given what `needs` says, judges the model.
        holds: The sentence where the condition is met, HTML with `{name:format}` for numbers.
        otherwise: The sentence where it is not, of the same numbers.
        absent: The sentence where the model lacks what the claim is about.
        needs: What the condition is given: the opened checkpoint ("tables"), its encoder
            ("layers"), the encoder with the library's own model ("library"), or the percentile
            scales of the model ("calibration").
    """

    name: str
    condition: Callable[[Any], Verdict]
    holds: str
    otherwise: str
    absent: str = ""
    needs: Needs = "tables"

    def template(self, verdict: Verdict) -> str:
        """The sentence that goes with a verdict, its numbers not yet filled in."""
        if verdict.holds is None:
            return self.absent
        return self.holds if verdict.holds else self.otherwise

    def sentence(self, verdict: Verdict) -> str:
        """The same with its numbers."""
        return self.template(verdict).format(**verdict.numbers)
