"""From ids back to text, against transformers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.decoding import decode_ids, read_ids


@pytest.mark.parametrize("typed", ["101 1045 102", "([[101,1045, 102]])", "101;1045\n102"])
def test_pasted_ids(minilm: Bert, typed: str) -> None:
    assert read_ids(minilm, typed) == (101, 1045, 102)


@pytest.mark.parametrize("typed", [" , ", "101 dog", "1.5", "٣", "30522", "-1", "9" * 4900])
def test_ids_that_are_not_in_the_table(minilm: Bert, typed: str) -> None:
    with pytest.raises(UserInputError):
        read_ids(minilm, typed)
    assert read_ids(minilm, "0 30521") == (0, 30521)


@given(ids=st.lists(st.integers(0, 30521), max_size=30))
@settings(max_examples=100, deadline=None)
def test_decoding_like_transformers(minilm: Bert, library_tokenizer, ids: list[int]) -> None:
    ours = decode_ids(minilm, ids)
    assert list(ours.tokens) == library_tokenizer.convert_ids_to_tokens(ids)
    assert ours.text == library_tokenizer.decode(ids)
    assert ours.text_without_special == library_tokenizer.decode(ids, skip_special_tokens=True)
