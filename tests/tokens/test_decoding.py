"""From ids back to text, against transformers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.decoding import decode_ids, read_ids


@pytest.mark.parametrize(
    "typed",
    ["101 1045 102", "[101, 1045, 102]", "tensor([[101,1045, 102]])"[7:-1], "101;1045\n102"],
)
def test_ids_are_read_as_they_are_pasted(minilm: Bert, typed: str) -> None:
    assert read_ids(minilm, typed) == (101, 1045, 102)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (" , ", "Type token ids"),
        ("101 dog", "“dog” is not a token id; type whole numbers from 0 to 30,521"),
        ("1.5", "“1.5” is not a token id"),
        ("٣", "is not a token id"),
        ("30522", "30522 is no row of the token table of all-MiniLM-L6-v2"),
        ("-1", "-1 is no row"),
        ("9" * 4900, "is no row"),
    ],
)
def test_ids_that_are_none(minilm: Bert, typed: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        read_ids(minilm, typed)
    assert read_ids(minilm, "0 30521") == (0, 30521)


@given(ids=st.lists(st.integers(0, 30521), max_size=30))
@settings(max_examples=100, deadline=None)
def test_decoding_like_transformers(minilm: Bert, library_tokenizer, ids: list[int]) -> None:
    ours = decode_ids(minilm, ids)
    assert list(ours.tokens) == library_tokenizer.convert_ids_to_tokens(ids)
    assert ours.text == library_tokenizer.decode(ids)
    assert ours.text_without_special == library_tokenizer.decode(ids, skip_special_tokens=True)
