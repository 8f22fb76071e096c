import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bertviz_core.corpus.shift.measures import changed
from bertviz_core.corpus.shift.resamples import resample


def test_cosines_with_both_groups() -> None:
    random = np.random.default_rng(1)
    first, second = (random.normal(size=(n, 5)).astype(np.float32) for n in (4, 5))
    # The first two occurrences stand in one sentence: they say nothing about each other.
    sentences = (["a", "a", "b", "c"], ["d", "e", "f", "g", "h"])
    found = changed(first, second, resample(*sentences))
    similar = 1 - cdist(np.vstack([first, second]), np.vstack([first, second]), "cosine")
    assert found.own[0] == pytest.approx(similar[0, [2, 3]].mean())
    assert found.own[2] == pytest.approx(similar[2, [0, 1, 3]].mean())
    assert found.own[8] == pytest.approx(similar[8, 4:8].mean())
    assert found.other[0] == pytest.approx(similar[0, 4:].mean())
    assert found.other[8] == pytest.approx(similar[8, :4].mean())


def test_a_sentence_comes_once() -> None:
    vectors = np.random.default_rng(2).normal(size=(8, 3)).astype(np.float32)
    found = changed(vectors[:4], vectors[4:], resample(["a", "a", "b", "c"], range(4)))
    assert len(found.first) == 3
    gaps = found.own - found.other
    best = int(gaps[:2].argmax())
    assert best in found.first
    assert 1 - best not in found.first
    assert (np.diff(gaps[found.first]) <= 0).all()
