"""Texts of any kind through the functions of `tokens`: a result that fits, or a sentence."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.decoding import decode_ids, read_ids
from bertviz_core.tokens.line_counts import count_lines, count_words
from bertviz_core.tokens.lookup import look_up
from bertviz_core.tokens.segments import segments_two_ways
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import trace_text
from tests.fuzz import CALLS, answers, texts, whole_numbers


@given(text=texts(), pair=st.none() | texts())
@example(text="9" * 5_000, pair="٣ ３")
@example(text="", pair=None)
@CALLS
def test_any_text(minilm: Bert, tiny: Bert, text: str, pair: str | None) -> None:
    """Through one function after the other: to make up a text takes longer than most of them."""
    with answers():
        tokenized(minilm, text, pair)
    with answers():
        traced(minilm, text)
    with answers():
        counted(minilm, [line for line in (text, pair) if line])
    with answers():
        looked_up(tiny, text)  # which goes through the whole vocabulary
    for typed in (text, pair or ""):
        with answers():
            ids = read_ids(minilm, typed)
            assert 0 <= min(ids) <= max(ids) < minilm.vocab_size


def test_many_long_words(minilm: Bert) -> None:
    with answers():
        traced(minilm, ("zq" * 50 + " ") * 900)


def tokenized(bert: Bert, text: str, pair: str | None) -> None:
    tokens = tokenize(bert, text, pair)
    count = len(tokens)
    assert 2 <= count <= bert.max_position_embeddings
    for row in (tokens.input_ids, tokens.token_type_ids, tokens.position_ids):
        assert row.shape == (count,)
    assert 0 <= tokens.input_ids.min() <= tokens.input_ids.max() < bert.vocab_size
    longest = max(len(text), len(pair or ""))
    assert tokens.offsets.shape == (count, 2)
    assert 0 <= tokens.offsets.min() <= tokens.offsets.max() <= longest
    counts = count_words(bert, tokens)
    assert 0 <= counts.unknown <= counts.pieces < count
    assert counts.words <= counts.pieces
    segments = segments_two_ways(bert, tokens)
    assert segments.by_counting.shape == (count,)
    assert len(segments.typed) < count


def traced(bert: Bert, text: str) -> None:
    trace = trace_text(bert, text)
    plain = without_lone_surrogates(text)
    assert list(trace.tokens) == bert.tokenizer.encode(plain, add_special_tokens=False).tokens
    for search in trace.words[:20]:
        pieces = [one for one in search.tries if one.token_id is not None]
        assert [one.start for one in pieces[1:]] == [one.end for one in pieces[:-1]]


def counted(bert: Bert, lines: list[str]) -> None:
    counts = count_lines(bert, lines)
    assert counts.characters.tolist() == [len(line) for line in lines]
    shares = counts.unknown_rate[counts.words > 0]
    assert ((shares >= 0) & (shares <= 1)).all()
    assert np.isnan(counts.pieces_per_word[counts.words == 0]).all()


def looked_up(bert: Bert, word: str) -> None:
    found = look_up(bert, word)
    assert found.normalized.startswith(found.shared)
    for form in found.forms:
        assert form.word_id is None or bert.vocabulary.tokens[form.word_id] == form.written
    assert all(bert.vocabulary.tokens[i].startswith(found.shared) for i in found.beginning)


@given(ids=st.lists(whole_numbers(), max_size=20), repeats=st.sampled_from([1, 1, 1, 5_000]))
@example(ids=[3, 4], repeats=50_000)
@CALLS
def test_ids(minilm: Bert, ids: list[int], repeats: int) -> None:
    ids = ids * repeats
    with answers():
        decoded = decode_ids(minilm, ids)
        assert decoded.token_ids == tuple(ids)
        assert read_ids(minilm, str(ids)) == decoded.token_ids
        assert len(decoded.tokens) == len(ids)
        assert len(decoded.text_without_special) <= len(decoded.text)
