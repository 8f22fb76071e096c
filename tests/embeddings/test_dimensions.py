from types import SimpleNamespace

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS, vocabulary
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens, outlier_dimensions
from bertviz_core.tokens import tokenize


@pytest.fixture
def small() -> SimpleNamespace:
    tokens = ["[PAD]", "[unused0]", "dog", "##s", "cat", "##ed"]
    table = np.array([[0, 9], [0, 99], [0, 1], [0, -2], [0, 1], [0, 3]], np.float32)
    return SimpleNamespace(
        vocabulary=vocabulary({token: i for i, token in enumerate(tokens)}, len(tokens)),
        tables=SimpleNamespace(word_embeddings=table),
        hidden_size=2,
    )


def test_by_hand(small: SimpleNamespace) -> None:
    found = extreme_tokens(small, 1, 3)
    assert found.highest.tolist() == [0, 5, 2], "equal ones in order of id; [unused0] left out"
    assert found.lowest.tolist() == [3, 2, 4]
    assert found.values.tolist() == [9, 99, 1, -2, 1, 3]
    assert found.mean == pytest.approx(12 / 5)
    assert found.deviation == pytest.approx(np.std([9, 1, -2, 1, 3]))
    assert extreme_tokens(small, 1, 5, "words").highest.tolist() == [2, 4]
    assert extreme_tokens(small, 1, 5, "subwords").lowest.tolist() == [3, 5]


@pytest.mark.parametrize("keep", KEEPS)
def test_against_sorting_the_whole_column(minilm: Bert, keep) -> None:
    found = extreme_tokens(minilm, 267, 20, keep)
    column = minilm.tables.word_embeddings[:, 267]
    assert np.array_equal(found.values, column)
    ids = np.flatnonzero(found.candidates)
    ordered = np.sort(column[ids])
    assert np.array_equal(column[found.lowest], ordered[:20])
    assert np.array_equal(column[found.highest], ordered[::-1][:20])
    assert not found.candidates[minilm.vocabulary.is_unused].any()


def test_frequent_tokens_are_at_the_end_of_an_outlier_dimension(minilm: Bert) -> None:
    found = extreme_tokens(minilm, 267, 4)
    assert [minilm.vocabulary.tokens[i] for i in found.highest] == ["[SEP]", "[CLS]", "a", "and"]


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
