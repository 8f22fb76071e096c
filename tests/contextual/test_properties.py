"""Marked sentences of any kind through `contextual` and `encoder`: a result, or a sentence."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.marks import read_mark, read_marks, read_word_pair
from bertviz_core.contextual.occlusion import REMOVALS, influence, occluded_contexts
from bertviz_core.contextual.word_vectors import POOLINGS, words_of_marks
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.library_modules import backward_pass
from tests.fuzz import CALLS, answers, texts

WORDS = st.sampled_from(
    ["[cat]", "the", "[ ]", "[", "]", r"\[", "[MASK]", "dog", "\x00", "é", "天"]
)
MARKED = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), texts())


@given(marked=MARKED, pooling=st.sampled_from(POOLINGS), removal=st.sampled_from(REMOVALS))
@example(marked="[a] " * 25_000, pooling="mean", removal="mask")
@example(marked=r"\[" * 50_000, pooling="mean", removal="mask")
@example(marked="a" + "-" * 99_999, pooling="mean", removal="mask")
@CALLS
def test_marked_words(tiny_encoder: Encoder, marked: str, pooling, removal) -> None:
    with answers():
        for mark in read_marks(marked):
            assert mark.text[mark.start : mark.end] == mark.word == mark.word.strip() != ""
    with answers():
        assert read_mark(marked).word
    shape = (tiny_encoder.bert.num_hidden_layers + 1, tiny_encoder.bert.hidden_size)
    with answers():
        marks = [*(read_marks(marked) or [read_mark(marked)])[:40], read_mark("the [dog]")]
        words = words_of_marks(tiny_encoder, marks, pooling)
        for word in words:
            assert word.vectors.shape == shape
            assert np.isfinite(word.vectors).all()
            assert (np.abs(similarity_by_layer(word, words[-1])) <= 1).all()
        changed = occluded_contexts(tiny_encoder, words[0], removal)
        assert (np.abs(influence(words[0], changed, words[-1])) <= 2).all()
    with answers():
        pair = read_word_pair(tiny_encoder.bert, marked)
        assert not set(pair.first_positions) & set(pair.second_positions)
    with answers():
        pair = read_word_pair(tiny_encoder.bert, f"{marked} [dog] [cat]")
        found = backward_pass(tiny_encoder, pair.text, pair.first_positions, pair.second_positions)
        assert np.isfinite(found.word_rows).all()
        assert not np.delete(found.word_rows, pair.text.input_ids, axis=0).any()
