"""Sentences about BERT, each with the condition under which it holds: a function of a model.

What is true of one model is not true of all. A sentence of the tour or of a page that says
something about BERT is here, beside what to say where it does not hold.
"""

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_core.claims import cosines, layers, tables
from bertviz_core.claims.claim import Claim, Verdict

TOUR: tuple[Claim, ...] = (
    tables.FIRST_VECTOR,
    tables.UNKNOWN_WORD,
    layers.ONE_SUM,
    tables.POSITIONS,
    tables.SEGMENTS,
    tables.PARAMETERS,
    tables.NEAREST,
    layers.TWO_MEANINGS,
    layers.NO_CONTEXT,
    layers.POOLED,
    cosines.HIGH_COSINE,
    layers.ONE_STEP,
)
PAGES: tuple[Claim, ...] = (tables.UNUSED_ROWS, tables.LOW_IDS)
BY_NAME: Mapping[str, Claim] = MappingProxyType({claim.name: claim for claim in TOUR + PAGES})

__all__ = ["BY_NAME", "PAGES", "TOUR", "Claim", "Verdict"]
