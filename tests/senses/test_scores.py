"""How well cosines tell senses apart: by hand, and against scikit-learn."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bertviz_core.arrays import unit_rows
from bertviz_core.errors import UserInputError
from bertviz_core.senses.groups import group
from bertviz_core.senses.scores import MAX_SCORED, SHUFFLES, pair_auc, sense_scores

RANDOM = np.random.default_rng(1)
VECTORS = RANDOM.normal(size=(18, 3, 5)).astype(np.float32)
VECTORS[3] = VECTORS[4]  # equal cosines
SENSES = [None if i == 5 else "d" if i == 6 else "abc"[i % 3] for i in range(18)]  # one d only


def test_auc_by_hand() -> None:
    # Of 0.9 and 0.55 beside 0.5 and 0.6, three of four are in order.
    cosines = np.array([[0.9], [0.5], [0.55], [0.6]])
    one_sense = np.array([True, False, True, False])
    assert pair_auc(cosines, one_sense) == pytest.approx([0.75])
    assert pair_auc(-cosines, one_sense) == pytest.approx([0.25])
    assert pair_auc(np.ones((4, 1)), one_sense) == pytest.approx([0.5])
    # Two senses on two axes: each pair of one sense has cosine 1, each other pair 0. At the second
    # layer each has its like in the other sense: the two pairs of one sense have cosine 0, of the
    # four others two have 1.
    vectors = np.float32([[[1, 0], [1, 0]], [[2, 0], [0, 1]], [[0, 1], [2, 0]], [[0, 3], [0, 1]]])
    scores = sense_scores(vectors, ["x", "x", "y", "y"])
    assert scores.auc.tolist() == [1, 0.25]
    assert (scores.same_sense, scores.other_sense, scores.best) == (2, 4, (0,))
    # One shuffle in three keeps these two groups; so more than 5 of 100 reach 1.
    assert scores.chance == 1


def test_scores_are_scikit_learns() -> None:
    scores = sense_scores(VECTORS, SENSES)
    rows = [row for row, sense in enumerate(SENSES) if sense]
    assert scores.rows.tolist() == rows
    first, second = np.triu_indices(len(rows), 1)

    def areas(labels: np.ndarray) -> list[float]:
        """The AUC at each layer."""
        units = [unit_rows(VECTORS[rows, layer]) for layer in range(3)]
        cosines = [(unit @ unit.T)[first, second].round(6) for unit in units]
        return [roc_auc_score(labels[first] == labels[second], layer) for layer in cosines]

    labels = np.array([SENSES[row] for row in rows])
    assert scores.auc == pytest.approx(areas(labels), abs=1e-6)
    assert scores.same_sense == (labels[first] == labels[second]).sum()
    assert scores.same_sense + scores.other_sense == len(first)
    numbers = np.unique(labels, return_inverse=True)[1]
    shuffled = np.random.default_rng(0).permuted(np.tile(numbers, (SHUFFLES, 1)), axis=1)
    highest = [max(areas(each)) for each in shuffled]
    assert scores.chance == pytest.approx(np.percentile(highest, 95))


def test_the_sentences_without_the_word() -> None:
    """Compared are the labelled rows that `others` has."""
    one, other = np.float32([[1, 0]]), np.float32([[0, 1]])  # of one layer each
    others = {8: other, 1: one, 4: other, 7: other, 2: one, 5: one}
    senses = [sense if row != 2 else None for row, sense in enumerate(SENSES)]
    scores = sense_scores(VECTORS, senses, others)
    without = scores.without_word
    # Rows 1, 4 and 7 are b: cosines 0, 0 and 1. Row 8 is c: with them 0, 1 and 1.
    assert without is not None
    assert (without.rows.tolist(), without.auc.tolist()) == ([0, 1, 2, 3], [pytest.approx(1 / 3)])
    assert (without.same_sense, without.other_sense) == (3, 3)
    assert scores.auc.tolist() == sense_scores(VECTORS, senses).auc.tolist()
    for fewer in ({}, {1: one}, {1: one, 4: other, 7: one}, {0: one, 1: one}):  # no pairs to rank
        assert sense_scores(VECTORS, senses, fewer).without_word is None


REFUSED: list[Any] = [
    np.where(np.arange(5) == 2, np.nan, VECTORS), np.where(VECTORS > 1, np.inf, VECTORS),
    VECTORS.astype(np.float64) * 1e300, VECTORS[..., None], VECTORS[0, 0], VECTORS[0, 0, 0],
    VECTORS[:, :0], VECTORS[..., :0], None, "abc", VECTORS.astype(str), [[[1.0]], [[1.0, 2.0]]],
]  # fmt: skip
ONE_SENTENCE = r"^[A-Z].*[^.]\.$"


@pytest.mark.parametrize("vectors", REFUSED, ids=lambda value: "")
def test_vectors_that_do_not_fit_are_refused_in_one_sentence(vectors: Any) -> None:
    of_layer = vectors[:, 0] if getattr(vectors, "shape", None) == VECTORS.shape else vectors
    for refuses in (lambda: sense_scores(vectors, SENSES), lambda: group(of_layer)):
        with pytest.raises(UserInputError, match=ONE_SENTENCE):
            refuses()


def test_other_counts_of_vectors_and_dimensions_are_refused() -> None:
    for vectors in (VECTORS[:-1], VECTORS[:0], VECTORS[:, 0]):
        with pytest.raises(UserInputError, match=ONE_SENTENCE):
            sense_scores(vectors, SENSES)
    for other in (VECTORS[1] * np.nan, VECTORS[1, :, :2], VECTORS[1, 0]):
        with pytest.raises(UserInputError, match=ONE_SENTENCE):
            sense_scores(VECTORS, SENSES, {0: VECTORS[0], 1: other})
    for vectors in (VECTORS, VECTORS[:2, 0], VECTORS[:0, 0]):
        with pytest.raises(UserInputError, match=ONE_SENTENCE):
            group(vectors)


@pytest.mark.parametrize("scale", [1e-60, 1e-45, 1e-30, 1e-19, 1e30])
def test_vectors_of_any_size_are_scored_by_their_cosines(scale: float) -> None:
    scores = sense_scores(VECTORS.astype(np.float64) * scale, SENSES)
    assert scores.auc.tolist() == sense_scores(VECTORS, SENSES).auc.tolist()


def test_labels_without_pairs_of_both_kinds_are_refused() -> None:
    for senses in (["a"] * 18, [str(i) for i in range(18)], [None] * 18, ["a"] + [None] * 17):
        with pytest.raises(UserInputError):
            sense_scores(VECTORS, senses)


def test_many_occurrences_are_sampled() -> None:
    vectors = RANDOM.normal(size=(MAX_SCORED + 60, 1, 3)).astype(np.float32)
    senses = ["ab"[i % 2] for i in range(len(vectors))]
    assert len(set(sense_scores(vectors, senses).rows.tolist())) == MAX_SCORED
