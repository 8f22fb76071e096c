"""The page Tokens, headless: its fields, its sections, and the word that is followed."""

import re

import pytest

from bertviz_core.views.declare import sections_of
from bertviz_core.views.tokens.many_lines import EXAMPLE
from tests.headless import charts, chip_rows, html, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS = "pages/1_Tokens.py"


def test_opens_on_awesomesauce() -> None:
    app = open_page(TOKENS, section="a word, step by step", **{"tokens-numbers": "true"})
    choice = app.segmented_control(key="section")
    assert choice.options == [section.label for section in sections_of("Tokens")]
    assert [value(app, name) for name in ("tokens", "pieces_per_word")] == ["12", "1.43"]
    assert value(app, "followed_word") == "awesomesauce"
    assert chip_rows(app)[0]["selected"] == [4, 5, 6]  # its pieces
    assert len(charts(app)) == 1
    assert len(app.dataframe) == 3
    app.text_input(key="a").set_value("").run()
    assert value(app, "special_tokens") == "[CLS] [SEP]"
    assert said(app).count("The text has no word to follow") == 2
    assert not charts(app)


def test_words_have_colours_and_typed_tokens_are_grey() -> None:
    app = open_page(TOKENS, a="Café Sinan", b="[SEP] Zoe🐍")
    assert "bx-special bx-typed" not in html(app).split("bx-second")[0]
    chip = 'bx-second bx-special bx-typed" role="option" title="position 5, segment B, characters'
    assert f"{chip} 0 to 5" in html(app)
    assert "bx-unknown" in html(app)
    chips = html(open_page(TOKENS, a="Sinan is"))
    words = re.findall(r'class="bx-word">(.*?)</span></span>', chips)
    hues = [re.findall(r"bx-hue(\d)", word) for word in words]
    assert hues == [[], ["0", "0"], ["1"], []]


def test_the_word_is_chosen_anew_when_the_text_changes() -> None:
    app = open_page(TOKENS)
    app.selectbox(key="follow").set_value("café").run()
    assert [value(app, name) for name in ("followed_word", "word_pieces")] == ["café", "cafe"]
    for text, word in (("unbelievably dogs", "unbelievably"), ("dogs", "dogs")):
        app.text_input(key="a").set_value(text).run()
        assert app.selectbox(key="follow").value == word
    app.text_input(key="a").set_value("").run()
    app.text_input(key="a").set_value("the cat").run()
    assert app.selectbox(key="follow").value == "the"
    assert charts(app)
    app = open_page(TOKENS, a="the cat", follow="qwertyuiop")  # typed, not of the text
    assert app.selectbox(key="follow").options == ["qwertyuiop", "the", "cat"]
    assert value(app.run(), "followed_word") == "qwertyuiop"
    app.text_input(key="a").set_value("the unbelievably").run()
    assert value(app, "followed_word") == "unbelievably"


def test_what_cannot_be_read_is_a_sentence() -> None:
    app = open_page(TOKENS, section="ids to text")
    assert app.text_input(key="ids").value == "101 1045 2572 8254 2319 102"
    assert value(app, "decoded_tokens") == "[CLS] i am sin ##an [SEP]"
    app.text_input(key="ids").set_value("101 30522").run()
    assert "30522 is not in the token table of all-MiniLM-L6-v2" in said(app)
    app.segmented_control(key="section").set_value("is it in the vocabulary?").run()
    assert values(app, "pieces")[-1] == "sin ##an"
    app.text_input(key="lookup").set_value("  ").run()
    assert "Type a word to look for" in said(app)


def test_many_lines() -> None:
    app = open_page(TOKENS, section="many lines")
    assert app.text_area(key="texts").value == EXAMPLE
    assert [value(app, name) for name in ("lines", "lengths")] == ["6", "7 to 18"]
    app.text_area(key="texts").set_value("\n".join(["dog " * 600] + ["cat\n"] * 60)).run()
    assert [value(app, name) for name in ("drawn", "all", "too_long")] == ["40", "61", "1"]
    assert len(charts(app)) == 2


def test_two_segments() -> None:
    app = open_page(TOKENS, section="two texts, two segments", a="I am Sinan [SEP] She is Zoe")
    assert [value(app, name) for name in ("in_segment_b", "moved")] == ["0", "4"]
    app.text_input(key="b").set_value("and you").run()
    assert value(app, "without_row") == "3"
    assert len(charts(app)) == 2
