"""Pairs judged by people: reading them, comparing them, and how well a cosine agrees."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.sense_pairs import SensePair, auc_by_layer, pair_similarities, read_sense_pairs
from bertviz_core.encoder import Encoder

SAMPLE = Path(__file__).parent / "data" / "word_pairs.jsonl"


@pytest.fixture(scope="module")
def pairs() -> list[SensePair]:
    return read_sense_pairs(SAMPLE.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def similarities(minilm_encoder: Encoder, pairs: list[SensePair]) -> np.ndarray:
    return pair_similarities(minilm_encoder, pairs)


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


def test_same_senses_are_nearer_in_the_middle_and_not_at_the_input(
    pairs: list[SensePair], similarities: np.ndarray
) -> None:
    found, low, high = auc_by_layer(similarities, pairs)
    # At the input the interval holds chance, in the middle it lies above.
    assert low[0] < 0.5 < high[0]
    assert low[3:6].min() > 0.5
    assert found[3:6].min() > 0.65
    assert (found > low).all()
    assert (found < high).all()
