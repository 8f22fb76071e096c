"""Which layer is best: means, differences, and their intervals by SciPy.

The scores themselves are compared in test_programs.py with those of transformers and scikit-learn.
"""

import numpy as np
import pytest
from scipy.stats import bootstrap

from bertviz_core.encoder import Encoder
from bertviz_core.senses import prepared_words
from bertviz_core.senses.scores import cosines_by_way, mean_over_words
from bertviz_core.views.word_senses.scores import best_layer
from tests.views.reading import drawn


def test_the_sum_and_the_concatenation_by_hand() -> None:
    """(1, 0) + (0, 2) against (1, 0) + (2, 0); end to end they share 1 of 5. No input embedding."""
    vectors = np.float32([[[9, 9], [1, 0], [0, 2]], [[9, 9], [1, 0], [2, 0]]])
    expected = [1, 1, 0, 3 / (5**0.5 * 3), 1 / 5]
    assert cosines_by_way(vectors)[0] == pytest.approx(expected, abs=1e-6)


def test_means_and_differences_of_words(minilm_encoder: Encoder) -> None:
    view = best_layer(minilm_encoder)
    frame = view.to_frame()
    words = frame[list(prepared_words())].to_numpy()
    best = words.mean(axis=1).argmax()
    assert frame["mean AUC"].tolist() == pytest.approx(words.mean(axis=1))
    below = words[best] - words
    assert frame["below the best by"].tolist() == pytest.approx(below.mean(axis=1), abs=1e-6)
    for row, low, high in (words[6], "from", "to"), (below[6], "at least", "at most"):
        ends = bootstrap((row,), np.mean, method="percentile", rng=1).confidence_interval
        assert frame.loc[6, [low, high]].tolist() == pytest.approx(ends, abs=0.003)
    assert view.values["best"] == frame["vectors"][best]
    assert ("the last layer" in str(view.values["lower"])) == (frame["at least"][6] > 0)
    assert drawn(view, "senses-best-layer") == pytest.approx(words.mean(axis=1))
    assert view.values["higher"] == (words[-2] > words[-3]).sum()
    # Of two words, one is drawn twice in half of all draws.
    assert [one[0] for one in mean_over_words(np.float32([[0.6], [0.8]]))] == pytest.approx(
        [0.7, 0.6, 0.8]
    )
