"""The calibration of the token table, against brute force."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import calibrate_table


@pytest.mark.parametrize("centred", [False, True])
def test_table_against_brute_force(minilm: Bert, centred: bool) -> None:
    scale = calibrate_table(minilm)
    assert scale.layers == 1
    assert scale.pairs == 500_000
    words = minilm.vocabulary
    rows = minilm.tables.word_embeddings[~(words.is_special | words.is_unused)]
    mean = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    assert np.abs(scale.means[0] - mean).max() < 1e-6
    rows = rows - mean if centred else rows
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    others = rows[::10]  # rows lie by frequency; each against every tenth: 86 million pairs
    wanted = np.float32([-0.1, 0, 0.05, 0.1, 0.2, 0.3])
    below, pairs = np.zeros(len(wanted)), 0
    for start in range(0, len(rows), 4000):
        cosines = rows[start : start + 4000] @ others.T
        pairs += cosines.size
        below += [np.count_nonzero(cosines < cosine) for cosine in wanted]
    found = scale.percentiles(wanted, centred=centred)
    assert found == pytest.approx(100 * below / pairs, abs=1.0)


def test_table_of_few_rows(tiny: Bert) -> None:
    scale = calibrate_table(tiny)
    named = len([t for t in tiny.vocabulary.tokens if t and not t.startswith("[")]) + 1  # "["
    assert scale.vectors == named // 2 * 2
    assert scale.pairs == (named // 2) ** 2
