from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual import occlusion as module
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.occlusion import (
    OccludedContexts,
    OtherWord,
    dropped,
    influence,
    masked,
    occluded_contexts,
    other_words,
)
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize


def test_other_words_as_the_tokenizer_cuts_them(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "My awesomesauce [python]'s here, python.")
    others = other_words(word)
    assert [other.word for other in others] == "My awesomesauce ' s here , python .".split()
    assert [other.positions[0] for other in others] == [1, 2, 6, 7, 8, 9, 10, 11]
    assert others[1].positions == (2, 3, 4)
    word = word_in_context(minilm_encoder, "an un[believ]able tale")  # it shares a token
    assert [other.word for other in other_words(word)] == ["an", "tale"]


def test_masking_keeps_positions_and_dropping_renumbers(minilm: Bert) -> None:
    text = tokenize(minilm, "My awesomesauce python")
    hidden = masked(minilm, text, (2, 3, 4))
    assert hidden.tokens == ("[CLS]", "my", "[MASK]", "[MASK]", "[MASK]", "python", "[SEP]")
    assert hidden.input_ids[2:5].tolist() == [minilm.vocabulary.ids["[MASK]"]] * 3
    assert hidden.position_ids.tolist() == text.position_ids.tolist()
    gone = dropped(text, (2, 3, 4))
    short = tokenize(minilm, "My python")
    assert gone.tokens == short.tokens
    for name in ("input_ids", "position_ids", "token_type_ids", "attention_mask"):
        assert getattr(gone, name).tolist() == getattr(short, name).tolist()
    assert text.tokens[2:5] == ("awesome", "##sau", "##ce"), "the text itself stays as it was"


def test_dropping_equals_typing_the_shorter_sentence(minilm_encoder: Encoder) -> None:
    pet, snake, *shorter = words_in_context(
        minilm_encoder,
        ["my awesomesauce pet [python] sleeps", "snake", "awesomesauce pet [python] sleeps",
         "my pet [python] sleeps", "my awesomesauce [python] sleeps",
         "my awesomesauce pet [python]"],
    )  # fmt: skip
    changed = occluded_contexts(minilm_encoder, pet, "drop")
    assert [other.word for other in changed.others] == ["my", "awesomesauce", "pet", "sleeps"]
    assert changed.total == 4
    for ours, typed in zip(changed.vectors, shorter, strict=True):
        assert np.abs(ours - typed.vectors).max() < 1e-5
    change = influence(pet, changed, snake)
    assert change.shape == (7, 4)
    assert change.dtype == np.float32
    for column, typed in enumerate(shorter):
        expected = similarity_by_layer(typed, snake) - similarity_by_layer(pet, snake)
        assert change[:, column] == pytest.approx(expected, abs=1e-5)
    word = word_in_context(minilm_encoder, "my [awesomesauce] pet", "first")
    shorter = word_in_context(minilm_encoder, "[awesomesauce] pet", "first")
    changed = occluded_contexts(minilm_encoder, word, "drop", "first")
    assert np.abs(changed.vectors[0] - shorter.vectors).max() < 1e-5


def test_masking_equals_typing_the_mask(minilm_encoder: Encoder) -> None:
    pet, snake, typed = words_in_context(
        minilm_encoder, ["I love my pet [python]", "snake", "I love my [MASK] [python]"]
    )
    changed = occluded_contexts(minilm_encoder, pet)
    assert [other.word for other in changed.others] == ["I", "love", "my", "pet"]
    assert np.abs(changed.vectors[3] - typed.vectors).max() < 1e-5
    change = influence(pet, changed, snake)
    assert np.abs(change[0]).max() < 1e-6, "the input embedding knows no other word"
    assert int(np.argmin(change[-1])) == 3, "pet makes python a snake"
    assert change[-1, 3] < -0.1


def test_change_by_hand(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "snake")
    a = replace(word, vectors=np.float32([[1, 0], [3, 4]]))
    anchor = replace(word, vectors=np.float32([[0, 2], [4, 3]]))
    without = np.float32([[[0, 1], [3, 4]], [[1, 0], [4, 3]]])
    changed = OccludedContexts("mask", (OtherWord("x", (1,)), OtherWord("y", (2,))), 2, without)
    assert influence(a, changed, anchor) == pytest.approx(np.float32([[1, 0], [0, 0.04]]), abs=1e-6)


@pytest.mark.parametrize(("limit", "value"), [("MOST_WORDS", 3), ("MOST_TOKENS", 27)])
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
