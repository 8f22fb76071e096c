"""Texts of any kind through the functions of `tokens`: a result that fits, or a sentence."""

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
from tests.fuzz import CALLS, answers, texts


@given(text=texts(), pair=st.none() | texts())
@example(text="9" * 5_000, pair="٣ ３")
@example(text="", pair=None)
@CALLS
def test_any_text(minilm: Bert, tiny: Bert, text: str, pair: str | None) -> None:
    """Through one function after the other: to make up a text takes longer than most of them."""
    with answers():
        tokens = tokenize(minilm, text, pair)
        assert 2 <= len(tokens) <= minilm.max_position_embeddings
        assert 0 <= tokens.input_ids.min() <= tokens.input_ids.max() < minilm.vocab_size
        assert 0 <= tokens.offsets.min() <= tokens.offsets.max() <= max(len(text), len(pair or ""))
        counts = count_words(minilm, tokens)
        assert 0 <= counts.unknown <= counts.pieces < len(tokens)
        assert counts.words <= counts.pieces
        assert len(segments_two_ways(minilm, tokens).typed) < len(tokens)
    with answers():
        traced(minilm, text)
    with answers():
        lines = count_lines(minilm, [text, pair or ""])
        assert lines.characters.tolist() == [len(text), len(pair or "")]
    with answers():
        found = look_up(tiny, text)  # which goes through the whole vocabulary
        assert found.normalized.startswith(found.shared)
    with answers():
        ids = read_ids(minilm, text)
        assert decode_ids(minilm, ids).token_ids == ids


def test_many_long_words(minilm: Bert) -> None:
    with answers():
        traced(minilm, ("zq" * 50 + " ") * 900)


def traced(bert: Bert, text: str) -> None:
    trace = trace_text(bert, text)
    plain = without_lone_surrogates(text)
    assert list(trace.tokens) == bert.tokenizer.encode(plain, add_special_tokens=False).tokens
    for search in trace.words[:20]:
        pieces = [one for one in search.tries if one.token_id is not None]
        assert [one.start for one in pieces[1:]] == [one.end for one in pieces[:-1]]
