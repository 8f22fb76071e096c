"""Pairs judged by people: the bootstrap draws words with all their pairs."""

import json

import numpy as np

from benchmarks.sense_pairs import auc_by_layer, read_sense_pairs


def line(**changes: object) -> str:
    entry = {"sentence1": "a cat", "sentence2": "my cat", "start1": 2, "end1": 5,
             "start2": 3, "end2": 6, "label": True}  # fmt: skip
    return json.dumps(entry | changes)


def test_words_are_drawn_with_all_their_pairs() -> None:
    """One word's pairs are in order and another's are not: no resample is between the two."""
    other = {"sentence1": "a dog", "sentence2": "my dog"}
    pairs = read_sense_pairs(
        [line(label=label, **words) for words in ({}, other) for label in (True, False)] * 20
    )
    column = np.float32([0.9, 0.8, 0.1, 0.2] * 20)
    found, low, high = auc_by_layer(column[:, None], pairs)
    # Both words: 0.9 > 0.8, 0.9 > 0.2, 0.1 < 0.8, 0.1 < 0.2; one word alone: 1, or 0.
    assert (found[0], low[0], high[0]) == (0.5, 0, 1)
