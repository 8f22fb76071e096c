"""The steps of each word of a text, against the tokenizers library and by hand."""

import pytest
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import vocabulary
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import WordTrace, search_word, trace_word

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


def traces(bert: Bert, text: str) -> list[WordTrace]:
    """Each word of a text, as it was typed, on its way."""
    text = without_lone_surrogates(text)
    encoding = bert.tokenizer.encode(text, add_special_tokens=False)
    spans: dict[int, tuple[int, int]] = {}
    for word, (start, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
        first, last = spans.get(word, (start, end))
        spans[word] = min(first, start), max(last, end)
    words = [text[start:end] for start, end in spans.values()]
    trace = {word: trace_word(bert, word) for word in dict.fromkeys(words)}
    return [trace[word] for word in words]


def traced_tokens(bert: Bert, text: str) -> list[str]:
    return [token for trace in traces(bert, text) for token in trace.tokens]


class Settings:
    """A tokenizer with settings of its own; the trace reads nothing else of a checkpoint."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary(tokenizer, tokenizer.get_vocab_size())


def with_normalizer(bert: Bert, normalizer: object) -> Settings:
    tokenizer = Tokenizer.from_str(bert.tokenizer.to_str())
    tokenizer.normalizer = normalizer
    return Settings(tokenizer)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_too(minilm: Bert, tiny: Bert, text: str) -> None:
    for bert in (minilm, tiny):
        assert traced_tokens(bert, text) == words_of(bert, text)
        for trace in traces(bert, text):
            for one, following in zip(trace.steps, trace.steps[1:], strict=False):
                assert one.after == following.before
            if trace.special is None:
                assert trace.steps[0].before == trace.typed
                normalized = bert.tokenizer.normalizer.normalize_str(trace.typed)
                assert trace.steps[-1].after == trace.normalized == normalized


def test_where_the_first_program_for_bert_differs(minilm: Bert) -> None:
    """docs/methods.md says so: Google's has a final sigma, and its own Unicode tables."""
    assert words_of(minilm, "ΟΔΟΣ") == ["ο", "##δ", "##ο", "##σ"]
    assert words_of(minilm, "ΟΔΟΣ".lower()) == ["ο", "##δ", "##ος"]
    assert words_of(minilm, "do\ue000g") == ["dog"]  # there: do, private use, g are one word


def test_words_that_are_unknown_as_a_whole(minilm: Bert) -> None:
    search = search_word(minilm, "cafe❤")
    assert [one.piece for one in search.tries] == ["cafe❤", "cafe", "##❤"]
    assert search.stuck_at == 4
    assert search.tokens == ("[UNK]",)
    assert search_word(minilm, "a" * 100).stuck_at is None
    search = search_word(minilm, "a" * 101)
    assert (search.longest, search.tries, search.stuck_at) == (100, (), None)
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
    trace = trace_word(bert, "Ünï\x07 中É")
    on = (clean, chinese, lowercase if strip is None else strip, lowercase)
    assert tuple(step.on for step in trace.steps) == on
    assert tuple(step.before != step.after for step in trace.steps) == on
    assert trace.normalized == own.normalize_str("Ünï\x07 中É")
    for text in ODD:
        assert traced_tokens(bert, text) == words_of(bert, text)


def test_other_normalizers_and_none(minilm: Bert) -> None:
    other = with_normalizer(minilm, normalizers.Sequence([normalizers.Lowercase()]))
    steps = trace_word(other, "ABC d").steps
    assert [(step.name, step.after) for step in steps] == [("Sequence", "abc d")]
    none = with_normalizer(minilm, None)
    assert trace_word(none, "ABC d").steps == ()
    for text in ODD:
        for bert in (other, none):
            assert traced_tokens(bert, text) == words_of(bert, text)


def test_added_tokens_that_take_the_blanks_around_them() -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, rstrip=True)])
    bert = Settings(tokenizer)
    for text in ("a [MASK] ab", "[MASK]", "  [MASK]a[MASK]  ", "ac [UNK]"):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert [tokenizer.token_to_id(token) for token in traced_tokens(bert, text)] == ids
    specials = [trace.special for trace in traces(bert, "a [MASK] ab")]
    assert specials == [None, "[MASK]", None]
