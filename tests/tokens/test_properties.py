"""Texts of any kind through the functions of `tokens`: a result that fits, or a sentence."""

from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.tokens import tokenize
from tests.fuzz import CALLS, answers, texts
from tests.tokens.test_wordpieces import traces, words_of


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
        followed = traces(minilm, text)
        assert [token for trace in followed for token in trace.tokens] == words_of(minilm, text)
        for search in [search for trace in followed for search in trace.searches][:20]:
            assert [one.start for one in search.matches[1:]] == [
                one.end for one in search.matches[:-1]
            ]
