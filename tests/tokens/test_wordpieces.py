"""The trace against the tokenizers library, and the small readings beside it, by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures.tokens.line_lengths import line_length_bars
from bertviz_core.figures.tokens.segment_strip import SEGMENT_COLORS, segment_strip
from bertviz_core.figures.tokens.word_search import word_search_bars
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.decoding import decode_ids, read_ids
from bertviz_core.tokens.line_counts import count_lines, count_words
from bertviz_core.tokens.lookup import look_up
from bertviz_core.tokens.segments import segments_two_ways
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.wordpieces import NORMALIZER_STEPS, search_word, trace_text

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


def with_normalizer(bert: Bert, normalizer: object) -> Settings:
    tokenizer = Tokenizer.from_str(bert.tokenizer.to_str())
    tokenizer.normalizer = normalizer
    return Settings(tokenizer)


@given(
    text=st.one_of(
        st.text(st.characters(codec=None)),
        st.lists(
            st.sampled_from([*"aeiousnt éß中🐍.'[", "\u0301", "[MASK]", "[UNK]", "awesome", "##"]),
            max_size=60,
        ).map("".join),
    )
)
@settings(max_examples=600, deadline=None)
def test_the_trace_ends_in_the_librarys_tokens(minilm: Bert, text: str) -> None:
    assert list(trace_text(minilm, text).tokens) == words_of(minilm, text)


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


def test_awesomesauce_by_hand(minilm: Bert) -> None:
    search = search_word(minilm, "awesomesauce")
    assert [one.piece for one in search.tries] == [
        *("awesomesauce", "awesomesauc", "awesomesau", "awesomesa", "awesomes", "awesome"),
        *("##sauce", "##sauc", "##sau", "##ce"),
    ]
    assert [(one.start, one.end) for one in search.tries if one.token_id is not None] == [
        *((0, 7), (7, 10), (10, 12)),
    ]
    assert search.tokens == ("awesome", "##sau", "##ce")
    assert search.token_ids == (12476, 23823, 3401)
    assert search.stuck is None
    assert not search.too_long


def test_a_word_with_a_character_no_piece_has_is_unknown_as_a_whole(minilm: Bert) -> None:
    search = search_word(minilm, "cafe❤")
    assert [one.piece for one in search.tries] == ["cafe❤", "cafe", "##❤"]
    assert search.stuck == 4
    assert search.tokens == ("[UNK]",)
    assert search.token_ids == (100,)


def test_a_word_beyond_the_limit_is_not_searched(minilm: Bert) -> None:
    assert search_word(minilm, "a" * 100).stuck is None
    search = search_word(minilm, "a" * 101)
    assert search.too_long
    assert search.longest == 100
    assert search.tries == ()
    assert search.tokens == ("[UNK]",)


def test_steps_of_an_uncased_checkpoint(minilm: Bert) -> None:
    (part,) = trace_text(minilm, "Café\x07中!").fragments
    assert [step.name for step in part.steps] == list(NORMALIZER_STEPS)
    assert all(step.on for step in part.steps)
    assert [step.after for step in part.steps] == [
        *("Café中!", "Café 中 !", "Cafe 中 !", "cafe 中 !"),
    ]
    assert [step.changes for step in part.steps] == [
        *((("\x07", ""),), (("中", " 中 "),), (("é", "e"),), (("C", "c"),)),
    ]
    assert [search.word for search in part.words] == ["cafe", "中", "!"]


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
    (part,) = trace_text(none, "ABC d").fragments
    assert part.steps == ()
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


def test_counts_of_a_text_by_hand(tiny: Bert) -> None:
    counts = count_words(tiny, tokenize(tiny, "The cats sat!", "Sinan zzz"))
    assert (counts.words, counts.pieces, counts.unknown) == (6, 8, 1)
    assert counts.pieces_per_word == 8 / 6
    empty = count_words(tiny, tokenize(tiny, ""))
    assert (empty.words, empty.pieces, empty.unknown) == (0, 0, 0)
    assert np.isnan(empty.pieces_per_word)


def test_counts_of_lines_by_hand(tiny: Bert) -> None:
    counts = count_lines(tiny, ["the cats", "", "zzz a zzz a", "dog " * 20])
    assert counts.characters.tolist() == [8, 0, 11, 80]
    assert counts.lengths.tolist() == [5, 2, 6, 22]
    assert counts.words.tolist() == [2, 0, 4, 20]
    assert counts.pieces.tolist() == [3, 0, 4, 20]
    assert counts.unknown.tolist() == [0, 0, 2, 0]
    assert counts.cut.tolist() == [0, 0, 0, 6]
    assert np.array_equal(counts.pieces_per_word, [1.5, np.nan, 1, 1], equal_nan=True)
    assert np.array_equal(counts.unknown_rate, [0, np.nan, 0.5, 0], equal_nan=True)
    assert (counts.total.words, counts.total.pieces, counts.total.unknown) == (26, 27, 2)
    assert not counts.lengths.flags.writeable
    assert len(count_lines(tiny, [])) == 0


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


@pytest.mark.parametrize(("typed", "message"), [("  ", "Type a word"), ("\x07", "no character")])
def test_what_cannot_be_looked_up(minilm: Bert, typed: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        look_up(minilm, typed)


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
def test_decoding_like_transformers(minilm: Bert, library, ids: list[int]) -> None:
    ours = decode_ids(minilm, ids)
    assert list(ours.tokens) == library.convert_ids_to_tokens(ids)
    assert ours.text == library.decode(ids)
    assert ours.text_without_special == library.decode(ids, skip_special_tokens=True)


@pytest.fixture(scope="module")
def library(minilm: Bert):
    from transformers import BertTokenizer

    return BertTokenizer.from_pretrained(minilm.checkpoint.folder)


def test_segments_follow_from_the_text(minilm: Bert) -> None:
    reading = segments_two_ways(minilm, tokenize(minilm, "a [SEP] b", "c"))
    assert reading.by_text.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert reading.by_counting.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert reading.typed == (2,)
    assert reading.differing == 4
    assert reading.without_row == 2
    plain = segments_two_ways(minilm, tokenize(minilm, "a", "c"))
    assert plain.differing == plain.without_row == 0
    assert plain.typed == ()
    assert not plain.by_counting.flags.writeable


def test_the_same_ids_from_one_text_and_from_two(minilm: Bert) -> None:
    one, two = tokenize(minilm, "a [SEP] b"), tokenize(minilm, "a", "b")
    assert one.input_ids.tolist() == two.input_ids.tolist()
    assert one.token_type_ids.tolist() == [0] * 5
    assert two.token_type_ids.tolist() == [0, 0, 0, 1, 1]


def test_the_search_as_bars() -> None:
    spans = np.array([(0, 2), (0, 1), (1, 2)])
    figure = word_search_bars("<b", ["<b", "<", "##b"], spans, [None, 7, 9])
    (bars,) = figure.data
    assert bars.base.tolist() == [0, 0, 1]
    assert bars.x.tolist() == [2, 1, 1]
    assert figure.layout.xaxis.ticktext == ("&lt;", "b")
    assert figure.layout.yaxis.ticktext == ("1 &lt;b", "<b>2 &lt; = 7</b>", "<b>3 ##b = 9</b>")
    assert len(set(bars.marker.color)) == 2
    with pytest.raises(ValueError, match=r"shape \(3, 2\), pieces \(1,\)"):
        word_search_bars("x", ["x"], spans, [None])


def test_the_segments_as_a_strip() -> None:
    figure = segment_strip(np.array([[0, 0, 1], [0, 2, 3]]), ["text", "count"], ["a", "<b>", "a"])
    (strip,) = figure.data
    assert strip.z.dtype == np.float32
    assert strip.z.tolist() == [[0, 0, 1], [0, 2, 2]]
    assert strip.text.tolist() == [["A", "A", "B"], ["A", "2", "3"]]
    assert {color for _, color in strip.colorscale} == set(SEGMENT_COLORS)
    assert figure.layout.xaxis.ticktext == ("0 a", "1 &lt;b&gt;", "2 a")
    with pytest.raises(ValueError, match=r"shape \(1, 2\), labels \(1, 3\)"):
        segment_strip(np.zeros((1, 2), np.int64), ["x"], ["a", "b", "c"])


def test_lines_as_bars() -> None:
    words, further, special = np.array([3, 1]), np.array([1, 0]), np.array([2, 2])
    figure = line_length_bars(["<i>", "b"], words, further, special, room=512)
    assert [bar.x.tolist() for bar in figure.data] == [[3, 1], [1, 0], [2, 2]]
    assert figure.layout.yaxis.ticktext == ("1 &lt;i&gt;", "2 b")
    assert not figure.layout.shapes
    near = line_length_bars(["a", "b"], words, further, special, room=6)
    assert near.layout.shapes[0].x0 == 6
    with pytest.raises(ValueError, match=r"shape \(2,\), lines \(1,\)"):
        line_length_bars(["a"], words, further, special, room=6)
