import pytest

from bertviz_core.corpus.job import Word
from bertviz_core.corpus.reading.words import Search, read_words
from bertviz_core.errors import UserInputError
from bertviz_core.senses import find_occurrences


def found(text: str, *words: str) -> list[tuple[str, str, str]]:
    hits = Search(read_words(words)).find(text)
    return [(name, part[start:end], part) for name, part, start, end in hits]


def test_words_and_lemmas() -> None:
    assert read_words(["bank", " New  York ", "go=go, goes,went", "bank"]) == (
        Word("bank", ("bank",)),
        Word("New York", ("New York",)),
        Word("go", ("go", "goes", "went")),
    )
    assert read_words(["="]) == (Word("=", ("=",)),)


@pytest.mark.parametrize(
    "named", [[], [" "], ["go=go,,went"], ["go=go,goes", "go=go"], ["x" * 101]]
)
def test_words_that_are_none(named: list[str]) -> None:
    with pytest.raises(UserInputError):
        read_words(named)


def test_a_lemma_is_one_word() -> None:
    """Its forms stand in the order of the text, the longest where two begin at one place."""
    text = "He goes, she WENT; going is no form, go on is one."
    lemma = "go=go,goes,went,go on"
    assert [word for _, word, _ in found(text, lemma)] == ["goes", "WENT", "go on"]
    assert found(text, "bank", lemma)[0][0] == "go"
    # Brackets around any form mean: only these.
    marked = "He goes, she [went]."
    assert found(marked, lemma) == [("go", "went", "He goes, she went.")]
    assert [name for name, _, _ in found("went and fro", "fro", lemma)] == ["fro", "go"]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("İstanbul", "istanbul"), ("straße", "STRASSE"), ("a [bank] and a bank", "BANK"),
        ("ﬁve ıİiſsSßKkÅå", "s"), ("banker, bank.", "bank"), ("cafe\u0301 café", "café"),
        ("Istanbul I\u0307stanbul", "İstanbul"), ("don’t", "don't"), ("don't", "don’t"),
        ("co\u00adoperate", "cooperate"), ("बैंकों बैंक", "बैंक"), ("\u1112\u1161\u11ab", "한"),
    ],
)  # fmt: skip
def test_it_finds_what_the_page_finds(line: str, word: str) -> None:
    search = Search([Word("w", (word,))])
    expected = [(o.sentence, o.start, o.end) for o in find_occurrences([line], word).occurrences]
    assert [tuple(f) for _, *f in search.find(line)] == expected
    assert search.may_hold(line) or not expected


@pytest.mark.parametrize(
    ("line", "word", "count"),
    [
        ("_bank_ and _bank_? plane_nn", "bank", 2),
        ("plane_nn planes_nns", "plane", 1),
        ("planes plane_nn plane_nnx", "plane_nn", 1),
        ("__bank__ river_bank_2 bank2 banker", "bank", 2),
        ("the bank銀行bank, bank\U00020000", "bank", 3),
        ("a_b __", "_", 3),
    ],
)
def test_a_word_ends_where_the_tokenizer_ends_it(line: str, word: str, count: int) -> None:
    assert len(found(line, word)) == len(find_occurrences([line], word).occurrences) == count
