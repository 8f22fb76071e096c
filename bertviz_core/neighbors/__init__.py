"""Search and arithmetic in the token table, and how near other tokens' neighbours are."""

from bertviz_core.neighbors.arithmetic import query_cosines, term_cosines
from bertviz_core.neighbors.other_tokens import NearestScores, nearest_scores
from bertviz_core.neighbors.search import Neighbors, nearest_tokens

__all__ = [
    "NearestScores",
    "Neighbors",
    "nearest_scores",
    "nearest_tokens",
    "query_cosines",
    "term_cosines",
]
