"""What a view shows, read as numbers and as text."""

import numpy as np

from bertviz_core.views.view import View


def drawn(view: View, name: str, of: str = "y", trace: int = 0) -> np.ndarray:
    """The numbers that a trace of a picture shows."""
    return np.array(view.pictures[name].figure._data[trace][of], dtype=float)


def said(view: View) -> str:
    return " ".join(part.template for part in view.all_parts if hasattr(part, "template"))
