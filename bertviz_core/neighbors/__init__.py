"""Search and arithmetic in the token table."""

from bertviz_core.neighbors.search import Neighbors, nearest_tokens

__all__ = ["Neighbors", "nearest_tokens"]
