from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.contextual import occlusion as module
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.occlusion import (
    OccludedContexts,
    OtherWord,
    influence,
    occluded_contexts,
    other_words,
)
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError


def test_other_words_as_the_tokenizer_cuts_them(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "My awesomesauce [python]'s here, python.")
    others = other_words(word)
    assert [other.word for other in others] == "My awesomesauce ' s here , python .".split()
    assert [other.positions[0] for other in others] == [1, 2, 6, 7, 8, 9, 10, 11]
    assert others[1].positions == (2, 3, 4)
    word = word_in_context(minilm_encoder, "an un[believ]able tale")  # it shares a token
    assert [other.word for other in other_words(word)] == ["an", "tale"]


def test_dropping_equals_typing_the_shorter_sentence(minilm_encoder: Encoder) -> None:
    pet, *shorter = words_in_context(
        minilm_encoder,
        ["my awesomesauce pet [python] sleeps", "awesomesauce pet [python] sleeps",
         "my pet [python] sleeps", "my awesomesauce [python] sleeps",
         "my awesomesauce pet [python]"],
    )  # fmt: skip
    changed = occluded_contexts(minilm_encoder, pet, "drop")
    assert [other.word for other in changed.others] == ["my", "awesomesauce", "pet", "sleeps"]
    assert changed.total == 4
    for ours, typed in zip(changed.vectors, shorter, strict=True):
        assert np.abs(ours - typed.vectors).max() < 1e-5
    word = word_in_context(minilm_encoder, "my [awesomesauce] pet", "first")
    shorter = word_in_context(minilm_encoder, "[awesomesauce] pet", "first")
    changed = occluded_contexts(minilm_encoder, word, "drop", "first")
    assert np.abs(changed.vectors[0] - shorter.vectors).max() < 1e-5


def test_masking_equals_typing_the_mask(minilm_encoder: Encoder) -> None:
    pet, snake, *typed = words_in_context(
        minilm_encoder,
        ["awesomesauce pet [python]", "snake", "[MASK] [MASK] [MASK] pet [python]",
         "awesomesauce [MASK] [python]"],
    )  # fmt: skip
    changed = occluded_contexts(minilm_encoder, pet)
    for ours, masked in zip(changed.vectors, typed, strict=True):
        assert np.abs(ours - masked.vectors).max() < 1e-5
    change = influence(pet, changed, snake)
    assert change.dtype == np.float32
    assert np.abs(change[0]).max() < 1e-6, "the input embedding knows no other word"
    assert change[-1, 1] < -0.1, "pet makes python a snake"


def test_change_by_hand(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "snake")
    a = replace(word, vectors=np.float32([[1, 0], [3, 4]]))
    anchor = replace(word, vectors=np.float32([[0, 2], [4, 3]]))
    without = np.float32([[[0, 1], [3, 4]], [[1, 0], [4, 3]]])
    changed = OccludedContexts((OtherWord("x", (1,)), OtherWord("y", (2,))), 2, without)
    assert influence(a, changed, anchor) == pytest.approx(np.float32([[1, 0], [0, 0.04]]), abs=1e-6)


@pytest.mark.parametrize(("limit", "value"), [("MAX_WORDS", 3), ("MAX_TOKENS", 27)])
def test_the_nearest_words_are_kept(
    minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(module, limit, value)
    word = word_in_context(minilm_encoder, "a b c [dog] d e f")  # 9 tokens
    changed = occluded_contexts(minilm_encoder, word)
    assert [other.word for other in changed.others] == ["b", "c", "d"]
    assert changed.total == 6
    assert len(changed.vectors) == 3


def test_refuses(minilm_encoder: Encoder) -> None:
    with pytest.raises(UserInputError, match="has no word beside “dog”"):
        occluded_contexts(minilm_encoder, word_in_context(minilm_encoder, "dog"))
    word = word_in_context(minilm_encoder, "my [dog]")
    with pytest.raises(UserInputError, match="choose mask, drop"):
        occluded_contexts(minilm_encoder, word, "swap")  # type: ignore[arg-type]
