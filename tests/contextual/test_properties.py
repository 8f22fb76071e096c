"""Marked sentences of any kind through `contextual`, `encoder`, `embeddings` and `positions`.

Drawing a text takes as long as most of what is asked about it: one text is asked several things.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.contextual import WordInContext, similarity_by_layer, word_in_context
from bertviz_core.contextual.attention import agreement_with_changes, word_attention
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.marks import read_mark, read_marks, read_word_pair
from bertviz_core.contextual.occlusion import REMOVALS, influence, occluded_contexts
from bertviz_core.contextual.words import marked_words_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import part_shares, waterfall
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.positions.changes import CHANGES, change_by_layer, changed_text
from bertviz_core.tokens import tokenize
from tests.fuzz import CALLS, answers, numbers, texts, whole_numbers

WORDS = st.sampled_from(
    ["[cat]", "the", "[ ]", "[", "]", r"\[", "[MASK]", "dog", "\x00", "é", "天"]
)
MARKED = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), texts())


@given(marked=MARKED, pooling=st.sampled_from([*POOLINGS, "x"]), removal=st.sampled_from(REMOVALS))
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
        words = marked_words_in_context(tiny_encoder, [marked, "the [dog]"], pooling, most=40)
        for word in words:
            assert word.vectors.shape == shape
            assert np.isfinite(word.vectors).all()
            assert (np.abs(similarity_by_layer(word, words[-1])) <= 1).all()
        attention = word_attention(tiny_encoder, words[0])
        assert attention.weights.sum(axis=-1) == pytest.approx(1, abs=1e-5)
        assert attention.shares.sum(axis=0) == pytest.approx(1, abs=1e-5)
        changed = occluded_contexts(tiny_encoder, words[0], removal)
        changes = influence(words[0], changed, words[-1])
        assert (np.abs(changes) <= 2).all()
        weights = attention.to_words(changed.others)
        agreement = agreement_with_changes(weights, changes[-1], changed.others, words[0])
        assert agreement is None or (np.abs(agreement.correlations) <= 1).all()
    with answers():
        pair = read_word_pair(tiny_encoder.bert, marked)
        assert not set(pair.first_positions) & set(pair.second_positions)
    with answers():
        pair = read_word_pair(tiny_encoder.bert, f"{marked} [dog] [cat]")
        found = backward_pass(tiny_encoder, pair.text, pair.first_positions, pair.second_positions)
        assert np.isfinite(found.word_rows).all()
        assert not np.delete(found.word_rows, pair.text.input_ids, axis=0).any()


@given(
    text=texts(),
    pair=st.none() | texts(),
    change=st.sampled_from([*CHANGES, "x"]),
    shift=whole_numbers(),
    order=whole_numbers(),
)
@example(text="a cat", pair=None, change="shuffle", shift=0, order=-1)
@CALLS
def test_hidden_states(tiny_encoder: Encoder, text, pair, change, shift: int, order: int) -> None:
    bert = tiny_encoder.bert
    with answers():
        tokens = tokenize(bert, text, pair)
        steps = pooler_steps(tiny_encoder, tokens)
        assert np.isfinite(steps.output).all()
        assert -1.000001 <= steps.cosine <= 1.000001
        changed = changed_text(bert, tokens, change, shift=shift, order=order)
        before, after = tiny_encoder.hidden_states_many([tokens, changed])
        assert before.shape == (bert.num_hidden_layers + 1, len(tokens), bert.hidden_size)
        assert np.allclose(before[0], input_embeddings(bert, tokens).output, atol=1e-5)
        moved = change_by_layer(before, after)
        assert ((moved >= 0) & (moved <= 2)).all()


@pytest.fixture(scope="module")
def cat(tiny_encoder: Encoder) -> WordInContext:
    return word_in_context(tiny_encoder, "the [cat]")


@given(
    text=texts(),
    other=texts(),
    position=whole_numbers(),
    dimension=whole_numbers(),
    k=whole_numbers(),
    threshold=numbers(),
    own=st.lists(st.integers(0, 38), min_size=1, max_size=3),
)
@example(text="a", other="", position=0, dimension=0, k=10**9, threshold=1, own=[0])
@CALLS
def test_tables(
    tiny: Bert, cat: WordInContext, text, other, position, dimension, k: int, threshold, own
) -> None:
    tokens = tokenize(tiny, text)
    parts = input_embeddings(tiny, tokens)
    with answers():
        assert all(np.isfinite(part).all() for part in vars(parts).values())
        assert np.allclose(part_shares(tiny, parts).shares.sum(axis=0), 1)
        compared = compare_rows(tiny, tokens, tokenize(tiny, other))
        assert compared.identical[:, 0, 0].all()  # [CLS] at position 0
    with answers():
        steps = waterfall(tiny, parts, position, dimension)
        assert np.isclose(steps.output, parts.output[position, dimension], atol=1e-5)
    with answers():
        ends = extreme_tokens(tiny, dimension, k)
        assert len(ends.highest) == len(ends.lowest) <= k
    with answers():
        assert 0 <= outlier_dimensions(tiny, parts, threshold).held <= 1.000001
    with answers():
        lens = nearest_rows_by_layer(tiny, cat.vectors, own, k)
        assert lens.token_ids.shape == lens.cosines.shape
        assert (np.abs(lens.cosines) <= 1).all()
