"""Sentences for a percentile scale, as the programs have them."""

from tests.snippets.conftest import sentences_file

__all__ = ["sentences_file"]
