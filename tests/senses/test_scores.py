"""How well cosines tell senses apart: by hand, against scikit-learn, and on the embedded model."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bertviz_core.arrays import unit_rows
from bertviz_core.errors import UserInputError
from bertviz_core.senses.scores import (
    MAX_SCORED,
    RESAMPLES,
    pair_auc,
    pair_cosines,
    resampled_auc,
    same_label,
    sense_scores,
    shuffled,
)

CHANCE = np.random.default_rng(1)
VECTORS = CHANCE.normal(size=(18, 3, 5)).astype(np.float32)
VECTORS[3] = VECTORS[4]  # equal cosines
SENSES = [None if i == 5 else "d" if i == 6 else "abc"[i % 3] for i in range(18)]  # one d only


def test_auc_by_hand() -> None:
    # Of the couples (0.9, 0.5), (0.9, 0.6), (0.55, 0.5), (0.55, 0.6), three are in order.
    cosines = np.array([[0.9], [0.5], [0.55], [0.6]])
    kinds = np.array([True, False, True, False])
    assert pair_auc(cosines, kinds) == pytest.approx([0.75])
    assert pair_auc(-cosines, kinds) == pytest.approx([0.25])
    assert pair_auc(np.ones((4, 1)), kinds) == pytest.approx([0.5])
    assert np.isnan(pair_auc(cosines, np.ones(4, bool)))
    # Two senses on two axes: each pair of one sense has cosine 1, each other pair 0.
    vectors = np.float32([[1, 0], [2, 0], [0, 1], [0, 3]])[:, None]
    assert pair_cosines(vectors)[:, 0].tolist() == [1, 0, 0, 0, 0, 1]
    scores = sense_scores(vectors, ["x", "x", "y", "y"])
    assert scores.auc.tolist() == [1]


def test_scores_are_scikit_learns() -> None:
    scores = sense_scores(VECTORS, SENSES)
    rows = [row for row, sense in enumerate(SENSES) if sense]
    assert scores.rows.tolist() == rows
    labels = np.array([SENSES[row] for row in rows])
    first, second = np.triu_indices(len(rows), 1)
    for layer in range(3):
        units = unit_rows(VECTORS[rows, layer])
        cosines = (units @ units.T)[first, second].round(6)
        area = roc_auc_score(labels[first] == labels[second], cosines)
        assert scores.auc[layer] == pytest.approx(area, abs=1e-6)


def test_a_resample_weighs_pairs_by_how_often_both_were_drawn() -> None:
    kinds = same_label(np.arange(18) % 3)
    cosines = pair_cosines(VECTORS)
    areas = resampled_auc(cosines, kinds, 18)
    draws = np.random.default_rng(0).integers(18, size=(RESAMPLES, 18))
    first, second = np.triu_indices(18, 1)
    for number in (0, 99, 100, 299):
        times = np.bincount(draws[number], minlength=18)
        weights = times[first] * times[second]
        for layer in range(3):
            area = roc_auc_score(kinds, cosines[:, layer], sample_weight=weights)
            assert areas[number, layer] == pytest.approx(area, abs=1e-5)


def test_shuffled_labels_are_scored_like_true_ones() -> None:
    labels = np.arange(18) % 3
    areas = pair_auc(pair_cosines(VECTORS), same_label(shuffled(labels)))
    assert areas.shape == (RESAMPLES, 3)
    one = pair_auc(pair_cosines(VECTORS), same_label(shuffled(labels)[299]))
    assert areas[299] == pytest.approx(one)
    scores = sense_scores(VECTORS, [str(label) for label in labels])
    assert scores.chance == pytest.approx(np.percentile(areas, 95, axis=0))
    assert scores.best_by_chance == pytest.approx(np.percentile(areas.max(axis=1), 95))


def test_labels_without_pairs_of_both_kinds_are_refused() -> None:
    for senses in (["a"] * 18, [str(i) for i in range(18)], [None] * 18, ["a"] + [None] * 17):
        with pytest.raises(UserInputError):
            sense_scores(VECTORS, senses)


def test_many_occurrences_are_sampled() -> None:
    vectors = CHANCE.normal(size=(MAX_SCORED + 60, 1, 3)).astype(np.float32)
    senses = ["ab"[i % 2] for i in range(len(vectors))]
    assert len(set(sense_scores(vectors, senses).rows.tolist())) == MAX_SCORED
