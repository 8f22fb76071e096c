"""Occurrences with vectors that visitors bring as NPZ, opened whatever the file holds."""

from bertviz_core.vector_files.npz import read
from bertviz_core.vector_files.opened import Opened

__all__ = ["Opened", "read"]
