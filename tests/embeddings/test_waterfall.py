import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.waterfall import ADDED, STEPS, waterfall
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.embeddings.test_shares import by_hand


def test_numbers_by_hand() -> None:
    bert, parts = by_hand([3, 0], [0, 0.5], [0, -1.5], weight=[1, 2], bias=[1, 0.25])
    found = waterfall(bert, parts, 0, 1)
    # The sum is (3, -1): mean 1, deviation 2; the weight is 2, the bias 0.25.
    assert found.operands.tolist() == [0, 0.5, -1.5, 1, 2, 2, 0.25]
    assert found.running.tolist() == [0, 0.5, -1, -2, -1, -2, -1.75]
    assert found.changes.tolist() == [0, 0.5, -1.5, -1, 1, -1, 0.25]
    assert found.output == -1.75
    # (part - its mean) / 2 * 2: -1.5 of the token, 0.25 of the segment, -0.75 of the position.
    assert found.contributions.tolist() == [-1.5, 0.25, -0.75, 0.25]


def test_steps_lead_to_the_output_of_every_token_and_dimension(tiny: Bert) -> None:
    parts = input_embeddings(tiny, tokenize(tiny, "the cat sat", "a dog"))
    for place in range(len(parts.output)):
        for dimension in range(tiny.hidden_size):
            found = waterfall(tiny, parts, place, dimension)
            assert len(found.running) == len(STEPS)
            assert found.output == pytest.approx(parts.output[place, dimension], abs=1e-6)
            assert found.changes.sum() == pytest.approx(found.output, abs=1e-12)
            assert found.contributions.sum() == pytest.approx(found.output, abs=1e-12)
            added = found.operands[:ADDED] * [1, 1, 1, -1]
            assert found.changes[:ADDED] == pytest.approx(added, abs=1e-15)


def test_on_the_trained_model(minilm: Bert) -> None:
    parts = input_embeddings(minilm, tokenize(minilm, "I love my pet python"))
    found = waterfall(minilm, parts, 5, 267)
    assert found.output == pytest.approx(parts.output[5, 267], abs=1e-6)
    assert np.float32(found.operands[0]) == parts.word[5, 267]
    assert not found.running.flags.writeable


@pytest.mark.parametrize(("place", "dimension"), [(-1, 0), (4, 0), (0, -1), (0, 8)])
def test_no_such_token_or_dimension(tiny: Bert, place: int, dimension: int) -> None:
    parts = input_embeddings(tiny, tokenize(tiny, "the cat"))
    with pytest.raises(UserInputError, match="There is no"):
        waterfall(tiny, parts, place, dimension)
