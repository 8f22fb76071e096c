"""Texts with other positions and segments, by hand and against transformers."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.positions.changes import (
    CHANGES,
    between_tokens_by_layer,
    change_by_layer,
    changed_text,
)
from bertviz_core.tokens import tokenize


@pytest.mark.parametrize("change", CHANGES)
def test_changed_states_equal_transformers(minilm_encoder: Encoder, library, change) -> None:
    import torch

    bert = minilm_encoder.bert
    text = tokenize(bert, "The dog bites the man.", "He runs away.")
    changed = changed_text(bert, text, change, shift=40, order=3)
    ours = minilm_encoder.hidden_states(changed)
    with torch.no_grad():
        theirs = library(
            torch.tensor(text.input_ids)[None],
            token_type_ids=torch.tensor(changed.token_type_ids)[None],
            position_ids=torch.tensor(changed.position_ids)[None],
            output_hidden_states=True,
        ).hidden_states
    assert ours.shape == (7, len(text), 384)
    for layer, expected in zip(ours, theirs, strict=True):
        assert np.abs(layer - expected[0].numpy()).max() < 1e-5


def test_changed_texts(tiny: Bert) -> None:
    text = tokenize(tiny, "the cat sat", "a dog")  # [CLS] the cat sat [SEP] a dog [SEP]
    shifted = changed_text(tiny, text, "shift", shift=8)
    assert shifted.position_ids.tolist() == list(range(8, 16))
    assert shifted.token_type_ids.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert shifted.tokens == text.tokens
    assert changed_text(tiny, text, "zero").position_ids.tolist() == [0] * 8
    flipped = changed_text(tiny, text, "flip segments")
    assert flipped.position_ids.tolist() == list(range(8))
    assert flipped.token_type_ids.tolist() == [1, 1, 1, 1, 1, 0, 0, 0]
    for order in range(20):
        positions = changed_text(tiny, text, "shuffle", order=order).position_ids
        assert sorted(positions) == list(range(8)) != positions.tolist()
        assert [positions[i] for i in (0, 4, 7)] == [0, 4, 7]
        two = changed_text(tiny, tokenize(tiny, "the cat"), "shuffle", order=order)
        assert two.position_ids.tolist() == [0, 2, 1, 3]  # they can only be swapped
    assert text.position_ids.tolist() == list(range(8))


@pytest.mark.parametrize(
    ("sentence", "change", "shift"),
    [
        *(("the cat", "shift", 13), ("the cat", "shift", -1), ("the " * 30, "shift", 1)),
        *(("cat", "shuffle", 0), ("", "shuffle", 0), ("the cat", "reverse", 0)),
    ],
)
def test_changes_that_are_refused(tiny: Bert, sentence, change, shift) -> None:
    with pytest.raises(UserInputError):
        changed_text(tiny, tokenize(tiny, sentence), change, shift=shift)


def test_change_and_what_is_apart_by_hand() -> None:
    before = np.float32([[[1, 0], [0, 2]], [[1, 0], [0, 0]]])
    after = np.float32([[[2, 0], [3, 0]], [[-1, 0], [1, 0]]])
    assert change_by_layer(before, after).tolist() == [[0, 1], [2, 1]]
    with pytest.raises(ValueError, match="shapes"):
        change_by_layer(before, after[:1])
    states = np.float32([[[1, 0], [0, 2], [3, 0]], [[1, 1], [2, 2], [1, 1]]])
    # Pairs of layer 0: right angle, equal, right angle; of layer 1: all equal.
    assert between_tokens_by_layer(states) == pytest.approx([2 / 3, 0], abs=1e-6)
