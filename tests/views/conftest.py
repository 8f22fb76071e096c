"""The figures of all views go through Plotly's own check, as those of tests/figures do."""

from tests.figures.conftest import _figures_are_valid  # noqa: F401
from tests.snippets.conftest import sentences_file  # noqa: F401
