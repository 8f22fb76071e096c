"""Many occurrences of one word: find them, take their vectors, group them."""

from bertviz_core.senses.groups import Groups, group, nearest_occurrences
from bertviz_core.senses.occurrences import (
    MAX_OCCURRENCES,
    Occurrence,
    WordOccurrences,
    find_occurrences,
    prepared_set,
    prepared_words,
)
from bertviz_core.senses.scores import SenseScores, sense_scores
from bertviz_core.senses.vectors import SenseVectors, sense_vectors

__all__ = [
    "MAX_OCCURRENCES",
    "Groups",
    "Occurrence",
    "SenseScores",
    "SenseVectors",
    "WordOccurrences",
    "find_occurrences",
    "group",
    "nearest_occurrences",
    "prepared_set",
    "prepared_words",
    "sense_scores",
    "sense_vectors",
]
