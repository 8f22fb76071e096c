from types import SimpleNamespace

import numpy as np
import pytest

from bertviz_core.checkpoints.vocabulary import vocabulary
from bertviz_core.embeddings.dimensions import extreme_tokens, outlier_dimensions


def test_by_hand() -> None:
    tokens = ["[PAD]", "[unused0]", "dog", "##s", "cat", "##ed"]
    table = np.array([[0, 9], [0, 99], [0, 1], [0, -2], [0, 1], [0, 3]], np.float32)
    small = SimpleNamespace(
        vocabulary=vocabulary({token: i for i, token in enumerate(tokens)}, len(tokens)),
        tables=SimpleNamespace(word_embeddings=table),
        hidden_size=2,
    )
    found = extreme_tokens(small, 1, 3)
    assert found.highest.tolist() == [0, 5, 2], "equal ones in order of id; [unused0] left out"
    assert found.lowest.tolist() == [3, 2, 4]
    assert found.values.tolist() == [9, 99, 1, -2, 1, 3]
    assert found.mean == pytest.approx(12 / 5)
    assert found.deviation == pytest.approx(np.std([9, 1, -2, 1, 3]))
    assert extreme_tokens(small, 1, 5, "words").highest.tolist() == [2, 4]
    assert extreme_tokens(small, 1, 5, "subwords").lowest.tolist() == [3, 5]


def test_outliers_by_hand() -> None:
    # Of 101 weights one is 4: mean 4/101, deviation 0.396, score 10. Outputs: ±5 among 200 zeros,
    # deviation 0.5, score 10 in dimension 1.
    weight, output = np.zeros(101, np.float32), np.zeros((2, 101), np.float32)
    tables = SimpleNamespace(layer_norm_weight=weight, layer_norm_bias=weight + 2)
    bert, parts = SimpleNamespace(tables=tables), SimpleNamespace(output=output)
    assert outlier_dimensions(bert, parts).tolist() == []
    weight[3], output[:, 1] = 4, (5, -5)
    assert sorted(outlier_dimensions(bert, parts).tolist()) == [1, 3]
