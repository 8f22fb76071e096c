import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KINDS, Vocabulary, vocabulary

# One token of each kind, and the signs that look like another kind.
TOKENS = ["[PAD]", "[unused7]", "##ing", "##", "#", "[", "[CLS]", "[unused]", "dog", "[MASK]"]


def test_by_hand() -> None:
    """Ten named rows and one, row 10, that no token names."""
    ids = {token: row for row, token in enumerate(TOKENS)}
    small = vocabulary(ids, 11)
    ids["cat"] = 10  # of the caller's mapping, which was copied
    assert small.tokens == (*TOKENS, "")
    assert dict(small.ids) == {token: row for row, token in enumerate(TOKENS)}
    assert named(small, small.is_subword) == ["##ing"]  # "##" alone is a sign
    assert named(small, small.is_special) == ["[PAD]", "[CLS]", "[MASK]"]
    assert named(small, small.is_unused) == ["[unused7]", ""]
    assert named(small, small.allowed("words")) == ["##", "#", "[", "[unused]", "dog"]
    assert "kinds" not in vars(small)  # worked out once, when asked for
    assert small.kinds is small.kinds
    assert KINDS[small.kinds[10]] == "unused"
    for array in (small.is_subword, small.is_special, small.is_unused, small.kinds):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("prefix", "subwords"), [("##", ["##s"]), ("@@", ["@@s"]), ("_", ["_s"]), ("", [])]
)
def test_pieces_begin_with_the_prefix_of_the_tokenizer(prefix: str, subwords: list[str]) -> None:
    tokens = ["##", "##s", "@@", "@@s", "_", "_s", "s", "<unk>"]
    words = vocabulary({token: i for i, token in enumerate(tokens)}, 8, (), "<unk>", None, prefix)
    assert named(words, words.allowed("subwords")) == subwords
    assert named(words, words.kinds == KINDS.index("subword")) == subwords
    assert [token for token in tokens if words.continues(token)] == subwords
    assert named(words, words.is_special) == ["<unk>"]


def named(words: Vocabulary, mask: np.ndarray) -> list[str]:
    return [words.tokens[row] for row in np.flatnonzero(mask)]


def test_berts_own_vocabulary(minilm: Bert) -> None:
    words = minilm.vocabulary
    # vocab.txt of the uncased BERT: [PAD] first, 99 unused rows, four specials, 895 unused more.
    assert np.flatnonzero(words.is_special).tolist() == [0, 100, 101, 102, 103]
    assert named(words, words.is_special) == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert int(words.is_unused.sum()) == 99 + 895 == 994
    assert (words.tokens[999], words.tokens[1996]) == ("!", "the")
    masks = {"subword": words.is_subword, "special": words.is_special, "unused": words.is_unused}
    every = np.stack([*masks.values(), words.allowed("words")])
    assert every.shape == (4, 30_522)
    np.testing.assert_array_equal(every.sum(axis=0), 1)
    for kind, mask in masks.items():
        np.testing.assert_array_equal(words.kinds == KINDS.index(kind), mask)
    assert set(words.kinds.tolist()) == set(range(len(KINDS)))


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [
        ("word", ["dog", "1990s", "café", "ﬁre", "o'clock"]),
        ("subword", ["##ing", "##7", "##я"]),
        ("digit", ["7", "1990", "½", "²"]),
        ("one letter", ["a", "ø", "Z"]),
        ("other script", ["я", "我", "一", "שלום", "π", "ා"]),
        ("sign", ["!", "##", "#", "…", "€", "→"]),
        ("unused", ["[unused7]"]),
        ("special", ["[PAD]", "[MASK]"]),
    ],
)
def test_finer_kinds(kind: str, tokens: list[str]) -> None:
    words = vocabulary({token: row for row, token in enumerate(tokens)}, len(tokens))
    assert [KINDS[found] for found in words.kinds] == [kind] * len(tokens)
