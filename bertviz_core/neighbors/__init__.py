"""Search and arithmetic in the token table, how near other tokens' neighbours are, its map."""

from bertviz_core.neighbors.other_tokens import NearestScores, nearest_scores
from bertviz_core.neighbors.search import Neighbors, nearest_tokens, query_cosines, term_cosines
from bertviz_core.neighbors.token_map import TokenMap, pca_map

__all__ = [
    "NearestScores",
    "Neighbors",
    "TokenMap",
    "nearest_scores",
    "nearest_tokens",
    "pca_map",
    "query_cosines",
    "term_cosines",
]
