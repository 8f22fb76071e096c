import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.positions.baselines import random_table
from bertviz_core.positions.table import (
    analyse_positions,
    explained_by_smoothness,
    similarity_by_distance,
)


def test_what_distance_explains_by_hand() -> None:
    similarity = np.float32([[1, 0.8, 0.1], [0.8, 1, 0.6], [0.1, 0.6, 1]])
    profile = similarity_by_distance(similarity)
    assert profile.mean.tolist() == pytest.approx([0.7, 0.1])
    assert profile.low.tolist() == pytest.approx([0.62, 0.1])
    assert profile.high.tolist() == pytest.approx([0.78, 0.1])
    assert profile.pairs.tolist() == [2, 1]
    assert profile.explained == pytest.approx(1 - 0.02 / 0.26)


def test_distance_explains_all_or_nothing_or_by_chance_two_in_n() -> None:
    positions = np.arange(20)
    only_distance = 1 / (1 + np.abs(positions[:, None] - positions))
    assert similarity_by_distance(only_distance.astype(np.float32)).explained == pytest.approx(1)
    assert similarity_by_distance(np.full((20, 20), 0.3, np.float32)).explained == 0
    assert similarity_by_distance(np.ones((20, 20), np.float32)).explained == 0
    random = cosine_similarity(random_table(200, 64))
    assert similarity_by_distance(random).explained == pytest.approx(2 / 200, rel=0.5)


def test_too_few_positions() -> None:
    with pytest.raises(UserInputError):
        analyse_positions(np.eye(2, dtype=np.float32))


def test_the_embedded_models_positions(minilm: Bert) -> None:
    table = minilm.tables.position_embeddings
    analysis = analyse_positions(table)
    assert analysis.similarity == pytest.approx(cosine_similarity(table), abs=1e-6)
    assert analysis.norms == pytest.approx(np.linalg.norm(table, axis=1), rel=1e-6)
    nearest = [np.argsort(-row)[1] for row in cosine_similarity(table)]
    assert analysis.nearest.tolist() == nearest
    assert analysis.next_door == np.mean(np.abs(np.array(nearest) - np.arange(512)) == 1)
    smooth = explained_by_smoothness(table)
    assert analysis.by_distance.explained < smooth.min() < smooth.max() < 0.88
