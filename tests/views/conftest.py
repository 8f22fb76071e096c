"""The pictures of views go through Plotly's own check, as those of `figures` do."""

from tests.figures.conftest import _figures_are_valid

__all__ = ["_figures_are_valid"]
