"""The page Tokens, headless: its fields, its sections, and the word that is followed."""

import re

import pytest

from tests.headless import charts, html, open_page, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS = "pages/1_Tokens.py"


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
    app = open_page(TOKENS, a="the cat", follow="qwertyuiop")  # not of the text
    assert app.selectbox(key="follow").value == "the"
