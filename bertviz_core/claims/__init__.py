"""Sentences about BERT, each with the condition under which it holds: a function of a model.

What is true of one model is not true of all. A sentence of the tour or of a page that says
something about BERT is here, beside what to say where it does not hold.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Needs = Literal["tables", "layers", "calibration"]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds for a model; None where the model lacks what it is about."""

    holds: bool | None
    numbers: Mapping[str, str | int | float]  # what its sentence shows, by the names in it


@dataclass(frozen=True)
class Claim:
    """A sentence about BERT, with a condition that a model meets or does not."""

    condition: Callable[[Any], Verdict]  # given what `needs` says, judges the model
    holds: str  # where the condition is met, HTML with `{name:format}` for numbers
    otherwise: str = ""  # where it is not, of the same numbers; "" for the same sentence
    absent: str = ""  # where the model lacks what the claim is about
    needs: Needs = "tables"
    # What is published of bert-base-uncased, with its source; "" where nothing is known here.
    # Numbers of one BERT are not those of all, and nothing follows from the model in use.
    on_base: str = ""

    @property
    def typical(self) -> str:
        """What is known of the first BERT, for those who look at another model."""
        return f"On bert-base-uncased: {self.on_base}." if self.on_base else ""

    def template(self, verdict: Verdict) -> str:
        """The sentence that goes with a verdict, its numbers not yet filled in."""
        if verdict.holds is None:
            return self.absent
        return self.holds if verdict.holds else self.otherwise or self.holds
