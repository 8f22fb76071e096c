"""How sentences of ours stand beside what was typed: its end, its words, few occurrences."""

import re
from html import unescape

import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.showable import filled
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.tokens.word_pieces import pieces
from bertviz_core.views.view import truncated
from bertviz_core.views.word_senses.occurrence_map import sense_map
from tests.views.word_senses import own_lines


def shown(template: str, **values: object) -> str:
    return unescape(re.sub(r"<[^>]*>", "", filled(template, values)))


@pytest.mark.parametrize(
    "typed",
    [
        "took the lead.", "took the lead!", "took the lead?", "took the lead …", "took the lead...",
        '“took the lead.”', '"took the lead."', "took the lead?!", "took the 'lead.'", "the lead. ",
        "took (the lead.)", "took the [lead.]", "彼は先頭に立った。", "¿tomó la delantera?", "मैं हूँ।",
        "هل ترى؟", "line\none.", "«la tête.»", "「先頭。」",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "template", ["It is in <i>{typed}</i>.", "So is “{typed}”.", "In {typed}."]
)
def test_a_sentence_that_ends_by_itself_gets_no_second_full_stop(template: str, typed: str) -> None:
    whole = shown(template, typed=typed)
    assert whole == shown(template.removesuffix("."), typed=typed)
    more = shown(template + " Then <b>{typed}</b>, and {number}.", typed=typed, number=0.5)
    assert more.startswith(whole + " Then ")
    assert more.endswith(", and 0.5.")


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("took the lead", "It is took the lead."), ("a, b;", "It is a, b;."), (".", "It is .."),
        ("...", "It is ...."), ("?", "It is ?."), ("", "It is ."), (0.5, "It is 0.5."),
        ("U.S. bank", "It is U.S. bank."), ("no. 3", "It is no. 3."),
    ],
)  # fmt: skip
def test_other_texts_get_theirs(typed: object, whole: str) -> None:
    assert shown("It is <b>{typed}</b>.", typed=typed) == whole


def test_a_number_behind_a_sentence_keeps_its_point() -> None:
    assert shown("{typed}.5 and {typed}…", typed="a cat.") == "a cat..5 and a cat.…"


@pytest.mark.parametrize(
    ("text", "second", "words"),
    [
        ("word " * 600, None, 600), ("snakes python's " * 300, None, 1_200),
        ("我" * 700, None, 700), ("word " * 400, "word " * 300, 700), ("a. " * 511, "b", 1_023),
        ("x" * 90 + " y" * 600, None, 601), ("unaffordability " * 200, None, 200),
    ],
)  # fmt: skip
def test_of_a_text_that_is_cut_the_words_that_were_typed_are_counted(
    minilm: Bert, text: str, second: str | None, words: int
) -> None:
    typed = InputText(text, second)
    cut = typed.tokenize(minilm)
    (note,) = truncated(cut)
    assert note.values["all_words"] == f"{words:,}"
    values = pieces(minilm, typed).values
    assert values["all_words"] == words
    assert values["words"] == cut.word_count < words
    assert f"of {words:,} words" in re.sub("<[^>]*>", "", pieces(minilm, typed).findings[0])


def test_of_a_text_that_fits_no_word_is_left_out(minilm: Bert) -> None:
    text = tokenize(minilm, "I love pythons", "and cats, too")
    assert (text.word_count, text.truncated_words, text.truncated) == (7, 0, 0)
    assert " of " not in pieces(minilm, InputText("I love pythons")).findings[0]


@pytest.mark.parametrize("count", [3, 4, 9])
def test_groups_are_said_to_be_made_of_so_many_occurrences(
    minilm: Bert, minilm_encoder: Encoder, count: int
) -> None:
    lines = [f"The {what} bank was number {number}" for number, what in enumerate("ab" * 6)]
    view = sense_map(minilm, own_lines(minilm_encoder, "bank", *lines[:count]), 6)
    assert view.values["occurrences"] == count
    assert "k-means makes" in view.findings[0]
    assert "split" not in view.findings[0]
