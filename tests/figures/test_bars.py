"""What a hall answered, as a picture."""

from collections import Counter

from bertviz_core.figures.bars import TENS, by_tens, choice_bars


def test_bars_of_two_rounds() -> None:
    options = {"true": "true", "false": "✓ false"}
    figure = choice_bars(options, Counter(true=3, false=1), Counter(false=4))
    before, after = figure["data"]
    assert [*before["text"], *after["text"]] == ["3 (75%)", "1 (25%)", "0 (0%)", "4 (100%)"]


def test_numbers_are_counted_by_tens() -> None:
    counted = by_tens(Counter({"0.00": 2, "0.29": 1, "0.30": 1, "0.99": 1, "1.00": 3}))
    assert counted == {"0": 2, "20": 1, "30": 1, "90": 4}
    assert set(counted) <= set(TENS)
