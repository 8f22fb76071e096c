"""What a hall answered, as a picture."""

from collections import Counter

import pytest

from bertviz_core.figures.votes import choice_bars, cloud


def test_bars_of_two_rounds() -> None:
    options = {"true": "true", "false": "✓ false"}
    figure = choice_bars(options, Counter(true=3, false=1), Counter(false=4))
    before, after = figure["data"]
    assert [*before["text"], *after["text"]] == ["3 (75%)", "1 (25%)", "0 (0%)", "4 (100%)"]


def test_points_and_the_truth() -> None:
    figure = cloud(Counter({"0.40_0.10": 1}), ["a", "b"], truth="0.50_0.26")
    mark, star = figure["data"]
    assert [*mark["x"], *mark["y"]] == [0.4, 0.1]
    assert [*star["x"], *star["y"]] == [0.5, 0.26]


def test_an_order_is_a_mark_for_each_word() -> None:
    words = ["cat", "dogs", "pup"]
    answers = Counter({"dogs_pup_cat": 2, "cat_pup_dogs": 1})
    marks, star = cloud(answers, [], words, truth="dogs_cat_pup")["data"]
    put = sorted((round(y), round(x)) for x, y in zip(marks["x"], marks["y"], strict=True))
    # Rows are words, columns the places they were put at.
    assert put == [(0, 1), (0, 3), (0, 3), (1, 1), (1, 1), (1, 3), (2, 2), (2, 2), (2, 2)]
    assert [*star["x"]] == [1, 2, 3]
    assert [*star["y"]] == [1, 0, 2]
    assert max(abs(x - round(x)) for x in marks["x"]) == pytest.approx(0.3, abs=0.06)
