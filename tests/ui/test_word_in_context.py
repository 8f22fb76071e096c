"""The page Word in Context, headless: its fields, its sections, and what they follow."""

import pytest

from bertviz_core.views.declare import sections_of
from tests.headless import (
    charts,
    chip_rows,
    html,
    open_page,
    said,
    unfolded,
    value,
    values,
)

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/4_Word_in_Context.py"
IN_PIECES = ("a new token: which row?", "pieces and pooling")


def test_opens_on_python() -> None:
    app = open_page(PAGE, **unfolded("similarity"))
    assert [value(app, name) for name in ("anchor_1", "other_1")] == ["snake", "programming"]
    assert len(charts(app)) == 3
    # The percentile scale is shipped, and no section is shown before it is chosen.
    assert "measure" not in [button.key for button in app.button]
    assert "to snake, percentile" in list(app.dataframe[0].value)
    choice = app.segmented_control(key="section")
    # Two of them are for words in pieces.
    sections = [section.label for section in sections_of("Word in Context")]
    assert choice.options == [one for one in sections if one not in IN_PIECES]
    split = open_page(PAGE, s="such [awesomesauce]")
    assert split.segmented_control(key="section").options == sections


def test_of_more_anchors_two_are_drawn() -> None:
    """Those that separate the sentences most at the layer in view."""
    app = open_page(PAGE, anchors="day, snake, programming, snake", layer="2")
    axes = [charts(app)[0]["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
    assert axes == ["similarity to snake", "similarity to programming"]
    assert charts(app)[0]["layout"]["sliders"][0]["active"] == 2
    assert value(app, "anchor_1") == "snake"


def test_how_many_sentences_are_left_out() -> None:
    app = open_page(PAGE, s="\n".join(["a [dog]"] * 14))
    assert [value(app, name) for name in ("given", "name", "most")] == ["14", "sentences", "12"]


def test_any_text_has_a_followed_word() -> None:
    app = open_page(PAGE, s="the [bank] of [\nby the bank [")
    assert "bx-alert" not in html(app)
    words, anchors = chip_rows(app)
    assert words["selected"] == [1, 5]
    assert value(app, "word") == "bank", "chosen in the second line"
    assert app.text_input(key="anchors").value == ""
    # Without a tap the path between two nouns is drawn, which are marked on the chips.
    assert len(anchors["selected"]) == 2
    assert value(app, "anchor_1") in anchors["chips"]
    assert len(charts(app)) == 3
    app.text_area(key="s").set_value("x " * 600).run()
    assert "bx-alert" not in html(app)


def test_anchors_stay_with_their_word() -> None:
    app = open_page(PAGE, s="my [dog]", anchors="cat, wolf")
    assert app.text_input(key="anchors").value == "cat, wolf"
    app.text_area(key="s").set_value("my [dog] barked").run()
    assert app.text_input(key="anchors").value == "cat, wolf"
    app.text_area(key="s").set_value("my [guitar]").run()
    assert app.text_input(key="anchors").value == ""
    app.text_area(key="s").set_value("I eat [python]").run()
    assert app.text_input(key="anchors").value == "snake, programming"


def test_a_section_follows_the_page() -> None:
    app = open_page(PAGE, section="what if its row were another?", target="2 python")
    app.slider(key="layer").set_value(0).run()
    assert set(values(app, "layer")) == {"0"}
    app.text_area(key="s").set_value("a [dog]\na [cat] here").run()
    assert not app.exception
    assert app.selectbox(key="target").value == "1 dog"
    assert set(values(app, "word")) == {"dog"}
    app.segmented_control(key="section").set_value("what does it attend to?").run()
    assert "Layer 0 is the input" in said(app)
    app.slider(key="layer").set_value(2).run()
    app.slider(key="head").set_value(12).run()
    assert value(app, "head") == "12"
