"""The trace of a text, against the tokenizers library and by hand."""

import pytest
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import vocabulary
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import search_word, trace_text

ODD = [
    "Crème brûlée 🐍 at the naïve café❤",
    "tab\there\x00null\x07bell\u200bzero\ufeff",
    "我喜欢 Python 蛇한국 ǅ ﬃ ß ẞ İ Σ",
    "a" * 100 + " " + "b" * 101 + " " + "🐍" * 99,
    "x[MASK]y [SEP] [sep] [UNK] [CLS][PAD]",
    "it's -- well... [[MASK]]",
    "\ud83d \udfff",
    "",
    " \n ",
]


def words_of(bert: Bert, text: str) -> list[str]:
    return bert.tokenizer.encode(without_lone_surrogates(text), add_special_tokens=False).tokens


class Settings:
    """A tokenizer with settings of its own; the trace reads nothing else of a checkpoint."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary(tokenizer.get_vocab(), tokenizer.get_vocab_size())


def with_normalizer(bert: Bert, normalizer: object) -> Settings:
    tokenizer = Tokenizer.from_str(bert.tokenizer.to_str())
    tokenizer.normalizer = normalizer
    return Settings(tokenizer)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_too(minilm: Bert, tiny: Bert, text: str) -> None:
    for bert in (minilm, tiny):
        trace = trace_text(bert, text)
        assert list(trace.tokens) == words_of(bert, text)
        for part in trace.fragments:
            for one, following in zip(part.steps, part.steps[1:], strict=False):
                assert one.after == following.before
            if part.special is None:
                assert part.steps[0].before == part.text
                assert part.steps[-1].after == bert.tokenizer.normalizer.normalize_str(part.text)


def test_where_the_first_program_for_bert_differs(minilm: Bert) -> None:
    """docs/methods.md says so: Google's has a final sigma, and its own Unicode tables."""
    assert words_of(minilm, "ΟΔΟΣ") == ["ο", "##δ", "##ο", "##σ"]
    assert words_of(minilm, "ΟΔΟΣ".lower()) == ["ο", "##δ", "##ος"]
    assert words_of(minilm, "do\ue000g") == ["dog"]  # there: do, private use, g are one word


def test_words_that_are_unknown_as_a_whole(minilm: Bert) -> None:
    search = search_word(minilm, "cafe❤")
    assert [one.piece for one in search.tries] == ["cafe❤", "cafe", "##❤"]
    assert search.stuck_at == 4
    assert (search.tokens, search.token_ids) == (("[UNK]",), (100,))
    assert search_word(minilm, "a" * 100).stuck_at is None
    search = search_word(minilm, "a" * 101)
    assert (search.too_long, search.longest, search.tries) == (True, 100, ())
    assert search.tokens == ("[UNK]",)


@pytest.mark.parametrize("strip", [None, True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("chinese", [True, False])
@pytest.mark.parametrize("clean", [True, False])
def test_the_steps_are_read_from_the_checkpoint(
    minilm: Bert, clean: bool, chinese: bool, strip: bool | None, lowercase: bool
) -> None:
    own = normalizers.BertNormalizer(clean, chinese, strip, lowercase)
    bert = with_normalizer(minilm, own)
    (part,) = trace_text(bert, "Ünï\x07 中É").fragments
    on = (clean, chinese, lowercase if strip is None else strip, lowercase)
    assert tuple(step.on for step in part.steps) == on
    assert tuple(step.before != step.after for step in part.steps) == on
    assert part.steps[-1].after == own.normalize_str("Ünï\x07 中É")
    for text in ODD:
        assert list(trace_text(bert, text).tokens) == words_of(bert, text)


def test_other_normalizers_and_none(minilm: Bert) -> None:
    other = with_normalizer(minilm, normalizers.Sequence([normalizers.Lowercase()]))
    (part,) = trace_text(other, "ABC d").fragments
    assert [(step.name, step.after) for step in part.steps] == [("Sequence", "abc d")]
    none = with_normalizer(minilm, None)
    assert trace_text(none, "ABC d").fragments[0].steps == ()
    for text in ODD:
        for bert in (other, none):
            assert list(trace_text(bert, text).tokens) == words_of(bert, text)


def test_added_tokens_that_take_the_blanks_around_them() -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, rstrip=True)])
    bert = Settings(tokenizer)
    for text in ("a [MASK] ab", "[MASK]", "  [MASK]a[MASK]  ", "ac [UNK]"):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert [tokenizer.token_to_id(token) for token in trace_text(bert, text).tokens] == ids
    typed = [part.special for part in trace_text(bert, "a [MASK] ab").fragments]
    assert typed == [None, "[MASK]", None]
