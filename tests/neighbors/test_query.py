import re

import pytest

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.search import parse_query


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
    assert [(term.sign, term.tokens) for term in parse_query(minilm, query)] == terms


REFUSED = [
    *((query, ".") for query in ("", " \n\t", "king -", "king - + woman", "##qqqqzz")),
    *(("\u200b", "."), ("\ud83d", ".")),
    *(("☂️🫠", r"\[UNK\]: .*no piece"), ("dog + " + "a" * 101, r"\[UNK\]: .*more than 100")),
    # Other arithmetic: the part that is not computed is quoted.
    *((query, f"“{re.escape(query)}” is not computed") for query in (
        "king-man", "king—man", "king -man", "-dog", "2 * dog", "2×dog", "dog / cat", "dog = cat",
    )),
    *((query, f"“{re.escape(part)}” is not computed") for query, part in (
        ("king- man + woman", "king- man"), ("king - (man - woman)", "(man"),
        ("dog + 0.5 cat", "0.5 cat"), ("king/2 + dog", "king/2"),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("query", "why"), REFUSED, ids=ascii)
def test_what_is_refused_says_why(minilm: Bert, query: str, why: str) -> None:
    with pytest.raises(UserInputError, match=why):
        parse_query(minilm, query)
