"""Texts of any kind through the functions of `tokens`: a result that fits, or a sentence."""

from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import trace_text
from tests.fuzz import CALLS, answers, texts


@given(text=texts(), pair=st.none() | texts())
@example(text="9" * 5_000, pair="٣ ３")
@example(text="", pair=None)
@example(text=("zq" * 50 + " ") * 900, pair=None)
@CALLS
def test_any_text(minilm: Bert, text: str, pair: str | None) -> None:
    with answers():
        tokens = tokenize(minilm, text, pair)
        assert 2 <= len(tokens) <= minilm.max_position_embeddings
        assert 0 <= tokens.input_ids.min() <= tokens.input_ids.max() < minilm.vocab_size
        assert 0 <= tokens.offsets.min() <= tokens.offsets.max() <= max(len(text), len(pair or ""))
    with answers():
        traced(minilm, text)


def traced(bert: Bert, text: str) -> None:
    trace = trace_text(bert, text)
    plain = without_lone_surrogates(text)
    assert list(trace.tokens) == bert.tokenizer.encode(plain, add_special_tokens=False).tokens
    for search in trace.words[:20]:
        pieces = [one for one in search.tries if one.token_id is not None]
        assert [one.start for one in pieces[1:]] == [one.end for one in pieces[:-1]]
