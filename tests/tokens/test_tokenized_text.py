import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import InputText, TokenizedText, tokenize, tokenized_text
from bertviz_core.tokens.tokenized_text import check_each, without_lone_surrogates
from tests.hostile import HOSTILE


def test_tiny_by_hand(tiny: Bert) -> None:
    text = tokenize(tiny, "The cats sat!", "Sinan")
    assert " ".join(text.tokens) == "[CLS] the cat ##s sat ! [SEP] sin ##an [SEP]"
    ids = tiny.vocabulary.ids
    assert text.input_ids.tolist() == [ids[token] for token in text.tokens]
    assert text.token_type_ids.tolist() == [0] * 7 + [1] * 3
    assert text.position_ids.tolist() == list(range(10))
    assert text.attention_mask.tolist() == [1] * 10
    assert text.word_ids == (None, 0, 1, 1, 2, 3, None, 0, 0, None)
    assert text.offsets.tolist() == [
        *([0, 0], [0, 3], [4, 7], [7, 8], [9, 12], [12, 13], [0, 0]),
        *([0, 3], [3, 5], [0, 0]),
    ]
    assert text.truncated == 0
    assert len(text) == 10
    assert text.input_ids.dtype == text.offsets.dtype == np.int64


@pytest.mark.parametrize("text", [*HOSTILE, "Ünïcödé ǅ ﬃ", "[CLS] typed", "zero\u200b\ufeff"])
@pytest.mark.parametrize("pair", [None, "", "She is Zoe", "dog " * 400])
def test_same_ids_as_transformers(
    minilm: Bert, library_tokenizer, text: str, pair: str | None
) -> None:
    ours = tokenize(minilm, text, pair)
    theirs = library_tokenizer(text, pair, truncation=True, max_length=512)
    assert ours.input_ids.tolist() == theirs["input_ids"]
    assert ours.token_type_ids.tolist() == theirs["token_type_ids"]
    whole = library_tokenizer(text, pair)["input_ids"]
    assert ours.truncated == len(whole) - len(theirs["input_ids"])


@pytest.mark.parametrize("sizes", [(100, 600), (600, 100), (400, 400), (300, 400), (401, 400)])
def test_a_pair_is_cut_as_there(minilm: Bert, library_tokenizer, sizes: tuple[int, int]) -> None:
    a, b = "a " * sizes[0], "b " * sizes[1]
    theirs = library_tokenizer(a, b, truncation=True, max_length=512)
    assert tokenize(minilm, a, b).input_ids.tolist() == theirs["input_ids"]


def assert_same(ours: TokenizedText, theirs: TokenizedText) -> None:
    for field in fields(TokenizedText):
        own, other = getattr(ours, field.name), getattr(theirs, field.name)
        assert type(own) is type(other), field.name
        assert np.array_equal(own, other) if isinstance(own, np.ndarray) else own == other


@pytest.mark.parametrize("pair", [None, "", "half \udc0d of a pair", "dog " * 400])
def test_a_list_is_each_of_its_texts(
    minilm: Bert, monkeypatch: pytest.MonkeyPatch, pair: str | None
) -> None:
    texts = [*HOSTILE, "lone \ud83d", "a", "b c", *["The dog sat."] * 40]
    monkeypatch.setattr(tokenized_text, "CHUNK", 100)  # characters: many chunks, a long text in one
    pairs = [pair, None] * (len(texts) // 2) + [pair] * (len(texts) % 2)
    for text, second, made in zip(texts, pairs, tokenize(minilm, texts, pairs), strict=True):
        assert_same(made, tokenize(minilm, text, second))
    assert tokenize(minilm, []) == []


def test_a_text_is_read_only_and_can_be_sent_to_another_process(minilm: Bert) -> None:
    text = tokenize(minilm, "I love pythons")
    assert len(text) == 6
    assert not text.offsets.flags.writeable
    assert_same(pickle.loads(pickle.dumps(text)), text)
    assert_same(text.only(range(len(text))), text)


def test_of_many_texts_the_one_that_does_not_fit(minilm: Bert, tiny: Bert) -> None:
    texts = tokenize(minilm, ["dog", "cat", "python"])
    check_each(texts, minilm)
    for wrong in (
        replace(texts[1], input_ids=texts[1].input_ids + minilm.vocab_size),
        replace(texts[1], position_ids=texts[1].position_ids - 1),
        replace(texts[1], token_type_ids=texts[1].token_type_ids[:2]),
        replace(texts[1], input_ids=texts[1].input_ids.astype(float)),
        tokenize(tiny, "cat"),
    ):
        with pytest.raises(UserInputError):
            check_each([texts[0], wrong, texts[2]], minilm)


def test_lone_surrogates_keep_the_length_and_leave_no_token(minilm: Bert) -> None:
    assert without_lone_surrogates("a\ud800b\udfffc🐍") == "a\ufffdb\ufffdc🐍"
    assert tokenize(minilm, "dog \ud83d").tokens == ("[CLS]", "dog", "[SEP]")


def test_the_words_of_the_tokens(minilm: Bert) -> None:
    typed = "Sinan loves awesomesauce!"
    text = tokenize(minilm, typed, "a café")
    assert InputText("a", "b").tokenize(minilm).token_type_ids.tolist() == [0, 0, 0, 1, 1]
    assert {InputText("a", second).text_pair for second in ("", " \n", None)} == {None}
    words = [typed[start:end] for start, end in text.word_spans()[:-3]]
    assert words == ["", *["Sinan"] * 2, "loves", *["awesomesauce"] * 3, "!", ""]
    assert text.word_spans()[-3:] == [(0, 1), (2, 6), (0, 0)]
    assert text.tokens[text.last_word()] == "awesome"
    assert tokenize(minilm, "!").last_word() == tokenize(minilm, "").last_word() == 1
