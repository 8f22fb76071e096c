import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KINDS, Vocabulary, vocabulary

# One token of each kind, and the signs that look like another kind.
TOKENS = ["[PAD]", "[unused7]", "##ing", "##", "#", "[", "[CLS]", "[unused]", "dog", "[MASK]"]


@pytest.fixture
def small() -> Vocabulary:
    """Ten named rows and one, row 10, that no token names."""
    return vocabulary({token: row for row, token in enumerate(TOKENS)}, 11)


def named(words: Vocabulary, mask: np.ndarray) -> list[str]:
    return [words.tokens[row] for row in np.flatnonzero(mask)]


def test_rows_and_tokens_name_each_other(small: Vocabulary) -> None:
    assert small.tokens == (*TOKENS, "")
    assert all(small.ids[token] == row for row, token in enumerate(TOKENS))
    assert "" not in small.ids


def test_the_kinds(small: Vocabulary) -> None:
    assert named(small, small.is_subword) == ["##ing"]  # "##" alone is a sign
    assert named(small, small.is_special) == ["[PAD]", "[CLS]", "[MASK]"]
    assert named(small, small.is_unused) == ["[unused7]", ""]
    assert named(small, small.allowed("words")) == ["##", "#", "[", "[unused]", "dog"]


def test_every_row_is_of_exactly_one_kind(minilm: Bert) -> None:
    words = minilm.vocabulary
    kinds = np.stack([words.is_subword, words.is_special, words.is_unused, words.allowed("words")])
    assert kinds.shape == (4, 30_522)
    np.testing.assert_array_equal(kinds.sum(axis=0), 1)


def test_the_kinds_of_berts_own_vocabulary(minilm: Bert) -> None:
    words = minilm.vocabulary
    # vocab.txt of the uncased BERT: [PAD] first, 99 unused rows, four specials, 895 unused more.
    assert int(words.is_special.sum()) == 5
    assert int(words.is_unused.sum()) == 99 + 895 == 994
    assert [words.ids[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [
        0,
        100,
        101,
        102,
        103,
    ]
    assert words.tokens[999] == "!"
    assert words.tokens[1996] == "the"


def test_the_arrays_are_read_only(small: Vocabulary) -> None:
    for kind in (small.is_subword, small.is_special, small.is_unused):
        assert kind.dtype == bool
        with pytest.raises(ValueError, match="read-only"):
            kind[0] = True


@pytest.mark.parametrize("row", [-1, 3])
def test_an_id_outside_the_table(row: int) -> None:
    with pytest.raises(ValueError, match=f"'dog' has id {row}, outside a table of 3"):
        vocabulary({"cat": 0, "dog": row}, 3)


def test_the_callers_mapping_is_copied() -> None:
    ids = {"cat": 0}
    words = vocabulary(ids, 1)
    ids["dog"] = 1
    assert dict(words.ids) == {"cat": 0}


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


def test_finer_kinds_agree_with_the_coarse_ones(minilm: Bert) -> None:
    words = minilm.vocabulary
    for kind, mask in (
        ("subword", words.is_subword),
        ("special", words.is_special),
        ("unused", words.is_unused),
    ):
        np.testing.assert_array_equal(words.kinds == KINDS.index(kind), mask)
    assert words.kinds.shape == (30_522,)
    assert set(words.kinds.tolist()) == set(range(len(KINDS)))


def test_finer_kinds_are_worked_out_once_and_only_when_asked(small: Vocabulary) -> None:
    assert "kinds" not in vars(small)
    assert small.kinds is small.kinds
    assert not small.kinds.flags.writeable
    assert KINDS[small.kinds[10]] == "unused"  # the row that no token names
