"""How well cosines tell senses apart: by hand, against scikit-learn, and on the embedded model."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import NearestCentroid

from bertviz_core.arrays import unit_rows
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.senses import (
    confound_scores,
    group,
    prepared_set,
    sense_scores,
    shuffled_agreement,
)
from bertviz_core.senses.confounds import FORM, LENGTH, LINE, POSITION, alike_pairs
from bertviz_core.senses.occurrences import find_occurrences
from bertviz_core.senses.pairs import (
    MOST_SCORED,
    RESAMPLES,
    pair_auc,
    pair_cosines,
    resampled_auc,
    same_label,
    shuffled,
)
from bertviz_core.senses.scores import label_numbers

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
    assert (scores.auc.values.tolist(), scores.accuracy.values.tolist()) == ([1], [1])


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
        assert scores.auc.values[layer] == pytest.approx(area, abs=1e-6)
        said = cross_val_predict(NearestCentroid(), units, labels, cv=LeaveOneOut())
        assert scores.accuracy.values[layer] == pytest.approx(np.mean(said == labels))


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
    kept = first < 9
    area = roc_auc_score(kinds[kept], cosines[kept, 0], sample_weight=weights[kept])
    assert resampled_auc(cosines, kinds, 18, kept)[299, 0] == pytest.approx(area, abs=1e-5)


def test_shuffled_labels_are_scored_like_true_ones() -> None:
    labels = np.arange(18) % 3
    areas = pair_auc(pair_cosines(VECTORS), same_label(shuffled(labels)))
    assert areas.shape == (RESAMPLES, 3)
    one = pair_auc(pair_cosines(VECTORS), same_label(shuffled(labels)[299]))
    assert areas[299] == pytest.approx(one)
    scores = sense_scores(VECTORS, [str(label) for label in labels])
    assert scores.auc.chance.by_layer == pytest.approx(np.percentile(areas, 95, axis=0))
    assert scores.auc.chance.best == pytest.approx(np.percentile(areas.max(axis=1), 95))


def test_labels_without_pairs_of_both_kinds_are_refused() -> None:
    for senses in (["a"] * 18, [str(i) for i in range(18)], [None] * 18, ["a"] + [None] * 17):
        with pytest.raises(UserInputError):
            sense_scores(VECTORS, senses)


def test_many_occurrences_are_sampled() -> None:
    vectors = CHANCE.normal(size=(MOST_SCORED + 60, 1, 3)).astype(np.float32)
    senses = ["ab"[i % 2] for i in range(len(vectors))]
    assert len(set(sense_scores(vectors, senses).rows.tolist())) == MOST_SCORED


def test_agreement_that_shuffled_labels_reach() -> None:
    groupings = [group(VECTORS[:, layer]).with_count(count) for layer, count in ((0, 2), (1, 99))]
    labels = label_numbers([sense for sense in SENSES if sense])
    chance = shuffled_agreement(groupings, SENSES)
    kept = [row for row, sense in enumerate(SENSES) if sense]
    by_hand = [
        max(adjusted_rand_score(order, groups.labels[kept]) for groups in groupings)
        for order in shuffled(labels)
    ]
    assert chance.best == pytest.approx(np.percentile(by_hand, 95), abs=1e-6)
    assert [chance.beaten_by(score) for score in (chance.best, 1)] == [False, True]
    assert [groups.count for groups in groupings] == [2, 6]
    alike = group(np.ones((5, 3), np.float32))
    assert alike.with_count(4) is alike
    assert shuffled_agreement([alike], ["a", "b", "a", None, None]).best == 0
    assert shuffled_agreement([alike], ["a", "a", "a", None, None]).best == 1


def test_alike_by_hand() -> None:
    lines = ["a Bat or a bat", "the old bat flew", "bat"]
    found = find_occurrences(lines, "bat").occurrences
    pairs = alike_pairs(found, None)  # in the order 12 13 14 23 24 34
    assert pairs[FORM].tolist() == [False, False, False, True, True, True]
    assert pairs[LINE].tolist() == [True, False, False, False, False, False]
    # Positions 1, 4, 2, 0: differences 3, 1, 1, 2, 4, 2, of which the median is 2.
    assert pairs[POSITION].tolist() == [False, True, True, True, False, True]
    # Lengths 5, 5, 4, 1: differences 0, 1, 4, 1, 4, 3.
    assert pairs[LENGTH].tolist() == [True, True, False, True, False, False]
    far = find_occurrences(["x " * 90 + "bat", "bat", "bat"], "bat").occurrences
    assert alike_pairs(far, None)[POSITION].tolist() == [False, False, True]


def test_the_models_tokens_say_what_a_form_is(minilm: Bert) -> None:
    occurrences = prepared_set("mouse").occurrences
    assert len({one.word for one in occurrences}) == 2  # Mouse and mouse: one token here
    assert alike_pairs(occurrences, minilm)[FORM].all()
    vectors = CHANCE.normal(size=(len(occurrences), 1, 4)).astype(np.float32)
    names = [one.name for one in confound_scores(vectors, occurrences, minilm)]
    assert names == [POSITION, LENGTH]


def test_a_form_that_gives_the_sense_away() -> None:
    """Capitals are the senses of Apple; to compare within a form leaves nothing to compare."""
    occurrences = prepared_set("apple").occurrences
    capital = np.array([one.word == "Apple" for one in occurrences])
    vectors = CHANCE.normal(size=(28, 2, 8)).astype(np.float32)
    vectors[:, 1] += 9 * np.eye(8, dtype=np.float32)[capital.astype(int)]
    scores = sense_scores(vectors, [one.sense for one in occurrences])
    form = confound_scores(vectors, occurrences, None, scores)[0]
    assert (form.name, form.alone) == (FORM, 1)
    assert form.auc == pytest.approx(scores.auc.values)
    assert np.isnan([*form.held, form.low, form.high]).all()


def test_two_in_one_line_against_two_in_others() -> None:
    lines = [f"{'the' * i} bat and bat" for i in range(6)]
    occurrences = find_occurrences(
        ["sense\tsentence", *(f"{'ab'[i % 2]}\t{line}" for i, line in enumerate(lines))], "bat"
    ).occurrences
    vectors = CHANCE.normal(size=(12, 1, 4)).astype(np.float32)
    vectors[1::2] = vectors[::2]  # both of a line have one vector
    scores = sense_scores(vectors, [one.sense for one in occurrences])
    line = confound_scores(vectors, occurrences, None, scores)[-1]
    assert (line.name, line.auc.tolist(), line.pairs) == (LINE, [1], 66 - 6)
    assert line.held[0] < scores.auc.values[0]
