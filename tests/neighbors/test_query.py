import pytest

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import parse_query


def read(bert: Bert, query: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(term.sign, term.tokens) for term in parse_query(bert, query)]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("dog", [(1, ("dog",))]),
        ("  Dog ", [(1, ("dog",))]),
        ("##ing", [(1, ("##ing",))]),
        ("[MASK]", [(1, ("[MASK]",))]),
        ("king - man + woman", [(1, ("king",)), (-1, ("man",)), (1, ("woman",))]),
        *(
            (f"king {sign} man ＋ woman = ?", [(1, ("king",)), (-1, ("man",)), (1, ("woman",))])
            for sign in "\u2010\u2011\u2012\u2013\u2014\u2212\uff0d\u207b"
        ),
        ("- man + king", [(-1, ("man",)), (1, ("king",))]),
        ("awesomesauce", [(1, ("awesome", "##sau", "##ce"))]),
        ("ice cream - ice", [(1, ("ice", "cream")), (-1, ("ice",))]),
        ("c++ - java", [(1, ("c", "+", "+")), (-1, ("java",))]),
        ("c++ (7 words)", [(1, ("c", "+", "+", "(", "7", "words", ")"))]),
        ("( - )", [(1, ("(",)), (-1, (")",))]),
        ("dog=", [(1, ("dog",))]),
        ("=", [(1, ("=",))]),
        ("–", [(1, ("–",))]),
        ("+", [(1, ("+",))]),
        ("-", [(1, ("-",))]),
        ("café", [(1, ("cafe",))]),
    ],
)
def test_reads(minilm: Bert, query: str, terms: list[tuple[int, tuple[str, ...]]]) -> None:
    assert read(minilm, query) == terms


@pytest.mark.parametrize(
    "query", ["", " \n\t", "king -", "king - + woman", "##qqqqzz", "\u200b", "\ud83d"]
)
def test_refuses(minilm: Bert, query: str) -> None:
    with pytest.raises(UserInputError):
        parse_query(minilm, query)


@pytest.mark.parametrize(
    ("query", "term"),
    [
        ("king-man", "king-man"), ("king—man", "king—man"), ("king -man", "king -man"),
        ("king- man + woman", "king- man"), ("king - (man - woman)", "(man"), ("-dog", "-dog"),
        ("2 * dog", "2 * dog"), ("2×dog", "2×dog"), ("dog + 0.5 cat", "0.5 cat"),
        ("king/2 + dog", "king/2"), ("dog / cat", "dog / cat"), ("dog = cat", "dog = cat"),
    ],
)  # fmt: skip
def test_other_arithmetic_is_refused(minilm: Bert, query: str, term: str) -> None:
    with pytest.raises(UserInputError) as refused:
        nearest_tokens(minilm, query)
    assert f"“{term}” is not computed" in str(refused.value)


@pytest.mark.parametrize(
    ("query", "why"), [("☂️🫠", "no piece"), ("dog + " + "a" * 101, "more than 100")]
)
def test_unknown_words_say_why(minilm: Bert, query: str, why: str) -> None:
    with pytest.raises(UserInputError, match=rf"\[UNK\]: .*{why}"):
        parse_query(minilm, query)
