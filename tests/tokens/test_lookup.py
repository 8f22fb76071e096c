"""Words looked for in the vocabulary of the embedded model."""

import pytest

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.lookup import look_up


def test_an_and_its_continuation_are_two_rows(minilm: Bert) -> None:
    for typed in ("an", "##an", " An ", "ÀN"):
        form = look_up(minilm, typed).forms[0]
        assert (form.written, form.word_id, form.continuation_id) == ("an", 2019, 2319)
    assert [form.written for form in look_up(minilm, "An").forms] == ["an", "An", "AN"]


def test_sinan_is_not_in_the_vocabulary(minilm: Bert) -> None:
    found = look_up(minilm, "Sinan")
    assert {(form.word_id, form.continuation_id) for form in found.forms} == {(None, None)}
    assert found.pieces == ("sin", "##an")
    assert found.shared == "sina"
    tokens = minilm.vocabulary.tokens
    assert [tokens[i] for i in found.beginning] == ["sinatra", "sinai"]
    assert found.continuing == ()


def test_rows_that_begin_alike(minilm: Bert) -> None:
    found = look_up(minilm, "an")
    tokens = minilm.vocabulary.tokens
    assert found.shared == "an"
    assert [tokens[i] for i in found.beginning] == [t for t in tokens if t.startswith("an")]
    assert [tokens[i] for i in found.continuing] == [t for t in tokens if t.startswith("##an")]
    assert look_up(minilm, "[MASK]").forms[0].word_id == 103
    assert look_up(minilm, "🐍").shared == ""
    assert look_up(minilm, "##").forms[0].written == "##"
    brackets = [tokens[i] for i in look_up(minilm, "[").beginning]
    assert set(brackets) == {"[", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}


@pytest.mark.parametrize("typed", ["  ", "\x07"])
def test_what_cannot_be_looked_up(minilm: Bert, typed: str) -> None:
    with pytest.raises(UserInputError):
        look_up(minilm, typed)
