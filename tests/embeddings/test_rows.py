import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import STAGES, _equal_rows, compare_rows
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize


def test_i_am_sinan_and_she_is_zoe(minilm: Bert) -> None:
    """[CLS] stays equal to the end; [SEP] is at 5 and at 4, so only its token row is equal."""
    a, b = tokenize(minilm, "I am Sinan"), tokenize(minilm, "She is Zoe")
    found = compare_rows(minilm, a, b)
    equal = [np.argwhere(stage).tolist() for stage in found.identical]
    assert equal == [[[0, 0], [5, 4]], [[0, 0], [5, 4]], [[0, 0]], [[0, 0]]]
    expected = np.zeros((6, 5), dtype=int)
    expected[0, 0], expected[5, 4] = 4, 2
    assert np.array_equal(found.stages_kept, expected)
    assert found.differences.shape == (4, 5, 384)
    assert not found.differences[:, 0].any()
    ours, theirs = input_embeddings(minilm, a), input_embeddings(minilm, b)
    assert np.array_equal(found.differences[0], ours.word[:5] - theirs.word)
    assert np.array_equal(found.differences[3], ours.output[:5] - theirs.output)


def test_rows_of_a_tiny_checkpoint(tiny: Bert, minilm: Bert) -> None:
    """[SEP] at an equal position stays equal; a word elsewhere does before positions only."""
    found = compare_rows(tiny, tokenize(tiny, "the cat"), tokenize(tiny, "a dog"))
    assert found.stages_kept.diagonal().tolist() == [4, 0, 0, 4]
    assert found.stages_kept.sum() == 8
    text = tokenize(tiny, "the cat the")
    kept = compare_rows(tiny, text, text).stages_kept
    assert kept.diagonal().tolist() == [4] * 5
    assert kept[1, 3] == kept[3, 1] == 2
    assert kept.sum() == 4 * 5 + 2 * 2
    found = compare_rows(tiny, tokenize(tiny, "the"), tokenize(tiny, ""))
    assert found.identical.shape == (len(STAGES), 3, 2)
    with pytest.raises(UserInputError):
        compare_rows(tiny, text, tokenize(minilm, "the"))


def test_equal_rows_against_plain_comparison() -> None:
    generator = np.random.default_rng(3)
    left = generator.integers(0, 2, (30, 3)).astype(np.float32)
    right = generator.integers(0, 2, (20, 3)).astype(np.float32)
    left[0] = [-0.0, 0.0, -0.0]
    expected = (left[:, None] == right[None]).all(axis=2)
    assert expected.any()
    assert not expected.all()
    assert np.array_equal(_equal_rows(left, right), expected)
