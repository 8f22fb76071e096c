"""Search and arithmetic in the token table, and its map."""

from bertviz_core.neighbors.search import Neighbors, nearest_tokens, term_cosines
from bertviz_core.neighbors.token_map import TokenMap, pca_map

__all__ = ["Neighbors", "TokenMap", "nearest_tokens", "pca_map", "term_cosines"]
