"""Marked sentences of any kind through `contextual`, `encoder`, `embeddings` and `positions`."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.attention import agreement_with_changes, word_attention
from bertviz_core.contextual.influence import REMOVALS, changed_contexts, influence
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.contextual.marks import read_mark, read_marks, read_word_pair
from bertviz_core.contextual.words import marked_words_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import extreme_tokens
from bertviz_core.embeddings.outliers import outlier_dimensions
from bertviz_core.embeddings.rows import compare_rows
from bertviz_core.embeddings.shares import part_shares, waterfall
from bertviz_core.encoder import POOLINGS, Encoder, load_encoder
from bertviz_core.encoder.pooler import pooler_steps
from bertviz_core.encoder.training import backward_pass
from bertviz_core.positions.changes import CHANGES, change_by_layer, changed_text
from bertviz_core.tokens import tokenize
from tests.fuzz import CALLS, answers, numbers, texts, whole_numbers

WORDS = st.sampled_from(
    ["[cat]", "the", "[ ]", "[", "]", r"\[", "[MASK]", "dog", "\x00", "é", "天"]
)
MARKED = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), texts())


@pytest.fixture(scope="module")
def encoder(tiny: Bert) -> Encoder:
    return load_encoder(tiny)


@given(marked=MARKED)
@example(marked="[a] " * 25_000)
@example(marked=r"\[" * 50_000)
@example(marked="a" + "-" * 99_999)
@CALLS
def test_marks(marked: str) -> None:
    with answers():
        for word in read_marks(marked):
            assert word.text[word.start : word.end] == word.word == word.word.strip() != ""
    with answers():
        assert read_mark(marked).word


@given(marked=MARKED, pooling=st.sampled_from([*POOLINGS, "x"]), removal=st.sampled_from(REMOVALS))
@CALLS
def test_words_in_context(encoder: Encoder, marked: str, pooling, removal) -> None:
    shape = (encoder.bert.num_hidden_layers + 1, encoder.bert.hidden_size)
    with answers():
        words = marked_words_in_context(encoder, [marked, "the [dog]"], pooling, most=40)
        for word in words:
            assert word.vectors.shape == shape
            assert np.isfinite(word.vectors).all()
            assert (np.abs(similarity_by_layer(word, words[-1])) <= 1).all()
        attention = word_attention(encoder, words[0])
        assert attention.weights.sum(axis=-1) == pytest.approx(1, abs=1e-5)
        assert attention.shares.sum(axis=0) == pytest.approx(1, abs=1e-5)
        changed = changed_contexts(encoder, words[0], removal)
        changes = influence(words[0], changed, words[-1])
        assert (np.abs(changes) <= 2).all()
        weights = attention.to_words(changed.others)
        agreement = agreement_with_changes(weights, changes[-1], changed.others, words[0])
        assert agreement is None or (np.abs(agreement.correlations) <= 1).all()
    with answers():
        pair = read_word_pair(encoder.bert, marked)
        assert not set(pair.first_positions) & set(pair.second_positions)


@given(text=texts(), pair=MARKED)
@CALLS
def test_pooler_and_training(encoder: Encoder, text: str, pair: str) -> None:
    with answers():
        steps = pooler_steps(encoder, tokenize(encoder.bert, text))
        assert np.isfinite(steps.output).all()
        assert -1.000001 <= steps.cosine <= 1.000001
    with answers():
        words = read_word_pair(encoder.bert, f"{pair} [dog] [cat]")
        found = backward_pass(encoder, words.text, words.first_positions, words.second_positions)
        assert np.isfinite(found.word_rows).all()
        assert not found.word_rows[
            ~np.isin(np.arange(len(found.word_rows)), words.text.input_ids)
        ].any()


@given(k=whole_numbers(), own=st.lists(st.integers(0, 38), min_size=1, max_size=3))
@example(k=10**9, own=[0])
@CALLS
def test_lens(encoder: Encoder, k: int, own: list[int]) -> None:
    with answers():
        word = word_in_context(encoder, "the [cat]")
        lens = nearest_rows_by_layer(encoder.bert, word.vectors, own, k)
        assert lens.token_ids.shape == lens.cosines.shape
        assert (np.abs(lens.cosines) <= 1).all()


@given(
    text=texts(),
    pair=st.none() | texts(),
    change=st.sampled_from([*CHANGES, "x"]),
    shift=whole_numbers(),
    order=whole_numbers(),
)
@example(text="a cat", pair=None, change="shuffle", shift=0, order=-1)
@CALLS
def test_hidden_states(encoder: Encoder, text, pair, change, shift: int, order: int) -> None:
    bert = encoder.bert
    with answers():
        tokens = tokenize(bert, text, pair)
        changed = changed_text(bert, tokens, change, shift=shift, order=order)
        before, after = encoder.hidden_states_many([tokens, changed])
        assert before.shape == (bert.num_hidden_layers + 1, len(tokens), bert.hidden_size)
        assert np.allclose(before[0], input_embeddings(bert, tokens).output, atol=1e-5)
        moved = change_by_layer(before, after)
        assert ((moved >= 0) & (moved <= 2)).all()


@given(
    text=texts(),
    other=texts(),
    position=whole_numbers(),
    dimension=whole_numbers(),
    k=whole_numbers(),
    threshold=numbers(),
)
@CALLS
def test_embeddings(tiny: Bert, text, other, position, dimension, k, threshold) -> None:
    parts = input_embeddings(tiny, tokenize(tiny, text))
    with answers():
        assert all(np.isfinite(part).all() for part in vars(parts).values())
        assert np.allclose(part_shares(tiny, parts).shares.sum(axis=0), 1)
        compared = compare_rows(tiny, tokenize(tiny, text), tokenize(tiny, other))
        assert compared.identical[:, 0, 0].all()  # [CLS] at position 0
    with answers():
        steps = waterfall(tiny, parts, position, dimension)
        assert np.isclose(steps.output, parts.output[position, dimension], atol=1e-5)
    with answers():
        ends = extreme_tokens(tiny, dimension, k)
        assert len(ends.highest) == len(ends.lowest) <= k
    with answers():
        assert 0 <= outlier_dimensions(tiny, parts, threshold).held <= 1.000001
