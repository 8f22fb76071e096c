import unicodedata

import numpy as np
import pytest
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordPiece

from bertviz_core.bert import Bert
from bertviz_core.calibration.word_scales import calibration_sentences
from bertviz_core.checkpoints.vocabulary import KINDS, Vocabulary, vocabulary

# One token of each kind, and the signs that look like another kind.
TOKENS = ["[PAD]", "[unused7]", "##ing", "##", "#", "[", "[CLS]", "[unused]", "dog", "[MASK]"]


def test_by_hand() -> None:
    """Ten named rows and one, row 10, that no token names."""
    small = read_by_bert(TOKENS, "[PAD]", vocab_size=11)
    assert small.tokens == (*TOKENS, "")
    assert dict(small.ids) == {token: row for row, token in enumerate(TOKENS)}
    assert named(small, small.is_subword) == ["##ing"]  # "##" alone is a sign
    assert named(small, small.is_special) == ["[PAD]", "[CLS]", "[MASK]"]
    assert not vars(small).keys() & {"is_unused", "kinds"}  # worked out once, when asked for
    assert named(small, small.is_unused) == ["[unused7]", "##", "[unused]", ""]
    assert named(small, small.allowed("words")) == ["#", "[", "dog"]
    assert named(small, small.allowed("words", unused=True))[:2] == ["[unused7]", "##"]
    assert (small.kinds is small.kinds, small.is_unused is small.is_unused) == (True, True)
    assert KINDS[small.kinds[10]] == "unused"
    for array in (small.is_subword, small.is_special, small.is_unused, small.kinds):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("prefix", "subwords"), [("##", ["##s"]), ("@@", ["@@s"]), ("_", ["_s"]), ("", [])]
)
def test_pieces_begin_with_the_prefix_of_the_tokenizer(prefix: str, subwords: list[str]) -> None:
    tokens = ["##", "##s", "@@", "@@s", "_", "_s", "s", "<unk>"]
    words = read_by_bert(tokens, "<unk>", prefix=prefix)
    assert named(words, words.allowed("subwords")) == subwords
    assert named(words, words.kinds == KINDS.index("subword")) == subwords
    assert [token for token in tokens if words.continues(token)] == subwords
    assert named(words, words.is_special) == ["<unk>"]


def read_by_bert(
    tokens: list[str],
    unknown: str = "[UNK]",
    *added: AddedToken,
    vocab_size: int = 0,
    prefix: str = "##",
    **options: object,
) -> Vocabulary:
    """A vocabulary with the tokenizer of a BERT that has these tokens."""
    ids = {token: row for row, token in enumerate(tokens)}
    model = WordPiece(ids, unk_token=unknown, continuing_subword_prefix=prefix)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(**options)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_tokens([*added])
    return vocabulary(tokenizer, vocab_size or len(tokens))


def named(words: Vocabulary, mask: np.ndarray) -> list[str]:
    return [words.tokens[row] for row in np.flatnonzero(mask)]


def test_berts_own_vocabulary(minilm: Bert) -> None:
    words = minilm.vocabulary
    # vocab.txt of the uncased BERT: [PAD] first, 99 unused rows, four specials, 895 unused more.
    assert np.flatnonzero(words.is_special).tolist() == [0, 100, 101, 102, 103]
    assert named(words, words.is_special) == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    kept_free = [token for token in words.tokens if token.startswith("[unused")]
    assert len(kept_free) == 99 + 895 == 994
    assert (words.tokens[999], words.tokens[1996]) == ("!", "the")
    unused = words.is_unused
    masks = {"subword": words.is_subword & ~unused, "special": words.is_special, "unused": unused}
    every = np.stack([*masks.values(), words.allowed("words")])
    assert every.shape == (4, 30_522)
    np.testing.assert_array_equal(every.sum(axis=0), 1)
    for kind, mask in masks.items():
        np.testing.assert_array_equal(words.kinds == KINDS.index(kind), mask)
    assert set(words.kinds.tolist()) == set(range(len(KINDS)))


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [
        ("word", ["dog", "1990s", "café", "ﬁre"]),
        ("subword", ["##ing", "##7", "##я"]),
        ("digit", ["7", "1990", "½", "²"]),
        ("one letter", ["a", "ø", "Z"]),
        ("other script", ["я", "我", "一", "שלום", "π", "ා"]),
        ("sign", ["!", "#", "…", "€", "→"]),
        ("unused", ["[unused7]", "##", "...", "##!", "##我", "New York", "o'clock"]),
        ("special", ["[PAD]", "[MASK]"]),
    ],
)
def test_finer_kinds(kind: str, tokens: list[str]) -> None:
    words = read_by_bert(["[UNK]", "word", *tokens], lowercase=False)
    assert [KINDS[found] for found in words.kinds[2:]] == [kind] * len(tokens)


def test_entries_of_berts_own_vocabulary_that_no_text_reaches(minilm: Bert) -> None:
    """994 were kept free; others are 92 signs and 244 Chinese characters after ##, and "..."."""
    words, read = minilm.vocabulary, minilm.tokenizer.encode_batch
    others = [one for one in named(words, words.is_unused) if not one.startswith("[unused")]
    pieces = [one.removeprefix("##") for one in others if one != "..."]
    assert (len(others), len(pieces)) == (337, 336)
    assert {"##!", "##一", "##…", "##₍", "##。", "...", "##［"} - {*others} == {
        "##［"
    }  # not an entry
    assert not {"##₉", "₉", "⇌", "##～", "!", "一", "…"} & {*others}
    assert sum(unicodedata.category(one)[0] == "L" for one in pieces) == 244
    # No character reaches one, by itself or in a word; nor does a sentence.
    signs = map(chr, [*range(0xD800), *range(0xE000, 0x1_0000)])
    texts = [*calibration_sentences(), *(f"{one} a{one}b {one}{one}" for one in signs)]
    reached = {row for each in read(texts, add_special_tokens=False) for row in each.ids}
    assert not words.is_unused[[*reached]].any()


@pytest.mark.parametrize(
    ("unused", "tokens", "options"),
    [
        # What an uncased model makes small, and takes accents from.
        (["Dog", "##Ing", "café"], ["dog", "Dog", "##ing", "##Ing", "café"], {}),
        ([], ["dog", "Dog", "##ing", "##Ing", "café"], {"lowercase": False}),
        (["##é"], ["dog", "##é", "##e"], {"strip_accents": True}),
        (["我我", "##我"], ["dog", "我", "我我", "##我"], {}),
        ([], ["dog", "我", "我我", "##我"], {"handle_chinese_chars": False}),
        # Words of another script, longer ones that begin alike, a word beyond the limit.
        (["##।"], ["кот", "коты", "##ы", "##।", "##ा"], {}),
        (["##-"], ["a", "ab", "abc", "##c", "##bc", "##-", "##abc"], {}),
        (["x" * 101], ["dog", "x" * 100, "x" * 101, "##s"], {}),
        # Spaces, control characters and what only looks like a piece.
        (
            ["a b", "a\tb", "a\x00", "##", "# #"],
            ["a", "#", "a b", "a\tb", "a\x00", "##", "# #"],
            {},
        ),
        (["##s"], ["##s", "!"], {}),  # there is no word that it could continue
    ],
)
def test_what_no_text_reaches_by_the_rules_of_its_tokenizer(
    unused: list[str], tokens: list[str], options: dict[str, object]
) -> None:
    words = read_by_bert(["[UNK]", *tokens], **options)
    assert named(words, words.is_unused) == unused


def test_a_token_that_was_added_is_reached() -> None:
    """As where somebody gave [unused7] a meaning of their own."""
    words = read_by_bert(
        ["[UNK]", "[unused7]", "[unused8]", "dog"], "[UNK]", AddedToken("[unused7]")
    )
    assert named(words, words.is_unused) == ["[unused8]"]
