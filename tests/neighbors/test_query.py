import pytest

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.query import parse_query


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
        ("king − man", [(1, ("king",)), (-1, ("man",))]),
        ("- man + king", [(-1, ("man",)), (1, ("king",))]),
        ("awesomesauce", [(1, ("awesome", "##sau", "##ce"))]),
        ("ice cream - ice", [(1, ("ice", "cream")), (-1, ("ice",))]),
        ("c++", [(1, ("c", "+", "+"))]),
        ("+", [(1, ("+",))]),
        ("-", [(1, ("-",))]),
        ("café", [(1, ("cafe",))]),
    ],
)
def test_reads(minilm: Bert, query: str, terms: list[tuple[int, tuple[str, ...]]]) -> None:
    assert read(minilm, query) == terms


def test_ids_are_those_of_the_rows(minilm: Bert) -> None:
    an, piece = parse_query(minilm, "an + ##an")
    assert (an.token_ids, piece.token_ids) == ((2019,), (2319,))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "Type a token"),
        (" \n\t", "Type a token"),
        ("king -", "ends in “-”"),
        ("king - + woman", "Two signs"),
        ("##qqqqzz", "has no piece “##qqqqzz”"),
        ("\u200b", "no character that BERT reads"),
        ("\ud83d", "no character that BERT reads"),
        ("☂️🫠", r"reads .* as \[UNK\]: its vocabulary has no piece"),
        ("dog + " + "a" * 101, r"reads “a{39}…” as \[UNK\]: it holds a word of more than 100"),
    ],
)
def test_refuses(minilm: Bert, query: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        parse_query(minilm, query)
