"""A text as words are looked for in it, and where its characters come from."""

import re
import sys
from unicodedata import category, normalize

from hypothesis import given
from hypothesis import strategies as st
from tokenizers.normalizers import BertNormalizer

from bertviz_core.tokens.composed import DROPPED, MARK, composed, origins

LETTERS = st.sampled_from("ae \u0301\u0323ê\u0958क\u094d\u00ad\u200d\u1112\u1161\u11ab하☕\ufe0f")


def test_what_is_dropped_the_tokenizer_drops() -> None:
    cleaning = BertNormalizer(True, False, False, False)
    assert cleaning.normalize_str(f"a{DROPPED}b") == composed(f"a{DROPPED}b") == "ab"
    assert {"\u00ad", "\u200c", "\u200d", "\ufeff", "\u202e"} <= set(DROPPED)


def test_origins_by_hand() -> None:
    text = "\u200bcafe\u0301 co\u00adop"  # 0, 1 to 5, 6, 7 to 11
    assert composed(text) == "café coop"
    assert [*origins(text, range(10))] == [1, 2, 3, 4, 6, 7, 8, 10, 11, 12]


@given(st.lists(LETTERS).map("".join))
def test_each_word_begins_where_it_comes_from(text: str) -> None:
    read = composed(text)
    places = [*origins(text, range(len(read) + 1))]
    assert places == sorted(places)
    for number, character in enumerate(read):
        if character == " ":
            assert text[places[number]] == " "
            assert composed(text[places[number] :]) == read[number:]
    assert normalize("NFC", read) == read


def test_all_marks_of_unicode_are_known() -> None:
    marks = {char for char in map(chr, range(sys.maxunicode + 1)) if category(char)[0] == "M"}
    assert {char for char in map(chr, range(sys.maxunicode + 1)) if re.match(MARK, char)} == marks
