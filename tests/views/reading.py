"""What a view shows, read as numbers and as text."""

import numpy as np

from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.words import Comparison

PET, CODING = "I love my pet [python]", "I love coding in [python]"
PYTHON = Comparison((PET, CODING), ("snake", "programming"))
SPLIT = Comparison(("such [awesomesauce] here", "this is [awesomesauce]"), ("sauce", "great"))


def drawn(view: View, name: str, of: str = "y", trace: int = 0) -> np.ndarray:
    """The numbers that a trace of a picture shows."""
    return np.array(view.pictures[name].figure._data[trace][of], dtype=float)


def said(view: View) -> str:
    return " ".join(part.template for part in view.all_parts if hasattr(part, "template"))
