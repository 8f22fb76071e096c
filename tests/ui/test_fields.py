"""Fields and chips, page by page: what follows from a choice, and what goes along to other pages.

The first test is on the tiny model, whose pages take a few milliseconds.
"""

import re
from collections import defaultdict
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.headless import bound, charts, chip_rows, html, open_page, value, values
from tests.ui.test_every_view import VIEWS as SECTIONS
from tests.ui.test_pages import PAGES

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS, EMBEDDINGS, _, CONTEXT, SENSES, _, POSITIONS = PAGES[1:8]
VIEWS = SECTIONS | {SENSES: [*SECTIONS[SENSES], {"from": "my own lines"}]}
# Another source needs a file, another section is another view, another model has a test of its own.
OTHERS = ("from", "section", "model")
TYPED = {
    "a": "A [bat] flew",
    "a2": "He swung the [bat]",
    "lines": "A bat flew\nHe swung the bat\nThe bat and the dog",
    "anchors": "dog, cat",
    "senseword": "bat",
    "q": "cat - dog + man",
    "alike": "The [cat] saw the [dog]",
}


def fields(app: AppTest) -> dict[str, Any]:
    """The fields of a page that are in its address, by their keys."""
    return {key: node for key, node in bound(app).items() if hasattr(node, "set_value")}


def another_value(key: str, field: Any) -> Any:
    """A value of a field that it does not have."""
    kind = type(field).__name__
    now = field.value
    if kind in ("TextInput", "TextArea"):
        return TYPED.get(key, "The cat sat on the mat")
    if kind == "Toggle":
        return not now
    if kind == "NumberInput":
        return 1.0
    if kind == "Slider":
        if isinstance(now, list | tuple):
            return (field.min, max(field.max - 1, field.min))
        return field.min if now == field.max else field.max
    if isinstance(now, list):
        return list(field.options)[:1]
    return next((option for option in reversed(field.options) if str(option) != str(now)), now)


def changed(page: str) -> tuple[AppTest, dict[str, tuple[str, ...]]]:
    """A page after every field of every section was changed; each key with the kind of its field.

    A kind is the type of the value and the choices, where there are any.
    """
    kinds: dict[str, tuple[str, ...]] = {}
    app = open_page(page)
    for query in VIEWS.get(page) or [{}]:
        for key, section in query.items():
            if key in fields(app):  # the map is a section where something is searched
                app.get_by_key(key).set_value(section).run()
        seen = {*OTHERS, *query}
        while new := {key: field for key, field in fields(app).items() if key not in seen}:
            seen |= new.keys()  # a choice may bring others
            for key, field in new.items():
                choices = [str(option) for option in getattr(field, "options", ())]
                kinds[key] = type(another_value(key, field)).__name__, *choices
                field.set_value(another_value(key, field))
            app.run()
            assert not app.exception, (page, query, *new)
    return app, kinds


@pytest.mark.usefixtures("mine")
def test_from_every_page_to_every_other_with_every_field_changed() -> None:
    by_key: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for page in PAGES:
        app, kinds = changed(page)
        for key, kind in kinds.items():
            by_key[key][page] = kind
        for other in PAGES:
            if other != page:
                app.switch_page(other).run()
                assert not app.exception, (page, other)
                app.switch_page(page).run()
                assert not app.exception, (other, page)
    # A key that means two things would be one field's value in the other.
    assert {key: kinds for key, kinds in by_key.items() if len(set(kinds.values())) > 1} == {}
    assert {"a", "k", "layer", "lines", "q", "row"} <= set(by_key)


def test_tokens_have_colours_and_typed_ones_are_grey() -> None:
    app = open_page(TOKENS, a="Café Sinan", b="[SEP] Zoe🐍")
    assert "bx-special bx-typed" not in html(app).split("bx-second")[0]
    chip = 'bx-second bx-special bx-typed" role="option" title="position 5, segment B, characters'
    assert f"{chip} 0 to 5" in html(app)
    assert "bx-unknown" in html(app)
    chips = html(open_page(TOKENS, a="Sinan is"))
    words = re.findall(r'class="bx-word">(.*?)</span></span>', chips)
    assert [re.findall(r"bx-hue(\d)", word) for word in words] == [[], ["0", "0"], ["1"], []]


def test_the_word_is_chosen_anew_when_the_text_changes() -> None:
    app = open_page(TOKENS)
    app.selectbox(key="follow").set_value("café").run()
    assert [value(app, name) for name in ("followed_word", "word_pieces")] == ["café", "cafe"]
    for text, word in (("unbelievably dogs", "unbelievably"), ("dogs", "dogs"), ("", None)):
        app.text_input(key="a").set_value(text).run()
        assert not word or app.selectbox(key="follow").value == word
    app = open_page(TOKENS, a="the cat", follow="qwertyuiop")  # not of the text
    assert app.selectbox(key="follow").options == ["the", "cat"]


def test_a_token_that_goes_with_its_text() -> None:
    query = {"token": "2", "section": "what LayerNorm does"}
    app = open_page(EMBEDDINGS, a="I am Sinan", b="She is Zoe", **query)
    assert chip_rows(app)[0]["selected"] == [2]
    assert values(app, "token")[-1] == "am"
    app.text_input(key="a").set_value("dog").run()
    app.number_input(key="token").set_value(8).run()  # of B
    app.text_input(key="b").set_value("").run()
    assert app.number_input(key="token").value is None
    assert chip_rows(app)[0]["selected"] == [1]


def test_a_long_text_leaves_little_room_for_a_shift() -> None:
    app = open_page(POSITIONS, section="experiments", change="shift")
    app.button(key="run_experiments").click().run()
    assert len(charts(app)) == 3
    app.slider(key="shift").set_value(490).run()
    app.text_input(key="a").set_value("dog " * 100).run()
    assert not app.exception
    assert app.slider(key="shift").value == 100
    assert value(app, "change") == "Shifting all positions by 100"


def test_anchors_stay_with_their_word() -> None:
    app = open_page(CONTEXT, a="my [dog]", a2="", anchors="cat, wolf")
    for text, anchors in (
        ("my [dog]", "cat, wolf"),
        ("my [dog] barked", "cat, wolf"),
        ("my [guitar]", ""),
        ("I eat [python]", "snake, programming"),
    ):
        app.text_input(key="a").set_value(text).run()
        assert app.text_input(key="anchors").value == anchors


def test_a_section_follows_the_page() -> None:
    app = open_page(CONTEXT, section="which context word did it?", target="2 python")
    app.slider(key="layer").set_value(0).run()
    assert not values(app, "strongest"), "at layer 0 no word has met another one"
    app.text_input(key="a").set_value("a [dog]\na [cat] here").run()
    assert app.selectbox(key="target").value == "1 dog"
