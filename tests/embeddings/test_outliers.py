from types import SimpleNamespace

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import outlier_dimensions
from bertviz_core.tokens import tokenize


def with_tables(weight, bias, output):
    tables = SimpleNamespace(
        layer_norm_weight=np.array(weight, np.float32), layer_norm_bias=np.array(bias, np.float32)
    )
    return SimpleNamespace(tables=tables), SimpleNamespace(output=np.array(output, np.float32))


def test_numbers_by_hand() -> None:
    # Weights 0, 0, 0, 4: mean 1, deviation √3, scores -0.58 and 1.73. Outputs: mean 0, deviation
    # √(50/8) = 2.5, scores 0 but for ±2 in dimension 1.
    bert, parts = with_tables([0, 0, 0, 4], [2, 2, 2, 2], [[0, 5, 0, 0], [0, -5, 0, 0]])
    found = outlier_dimensions(bert, parts, 1.5)
    assert found.weight_scores == pytest.approx(np.array([-1, -1, -1, 3]) / np.sqrt(3))
    assert found.bias_scores.tolist() == [0, 0, 0, 0]
    assert np.abs(found.output_scores).tolist() == [0, 2, 0, 0]
    assert found.dimensions.tolist() == [1, 3]
    assert found.held == 1.0
    assert outlier_dimensions(bert, parts, 1.8).dimensions.tolist() == [1]
    assert outlier_dimensions(bert, parts, 2.0).held == 0.0


def test_on_the_trained_model(minilm: Bert) -> None:
    parts = input_embeddings(minilm, tokenize(minilm, "I love my pet python"))
    found = outlier_dimensions(minilm, parts)
    weight = minilm.tables.layer_norm_weight.astype(np.float64)
    beyond = np.flatnonzero(np.abs(weight - weight.mean()) > 6 * weight.std())
    assert set(beyond) <= set(found.dimensions.tolist())
    assert 267 in beyond
    assert 0.05 < found.held < 0.2
