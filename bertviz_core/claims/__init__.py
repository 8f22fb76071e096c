"""Sentences about BERT, each with the condition under which it holds: a function of a model.

What is true of one model is not true of all. A sentence of the tour or of a page that says
something about BERT is here, beside what to say where it does not hold.
"""

from bertviz_core.claims.claim import Claim, Verdict

__all__ = ["Claim", "Verdict"]
