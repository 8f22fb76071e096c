"""The page Word in Context, headless: its fields, its sections, and what they follow."""

import pytest

from tests.headless import (
    charts,
    chip_rows,
    html,
    open_page,
    said,
    value,
    values,
)

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/4_Word_in_Context.py"


def test_any_text_has_a_followed_word() -> None:
    app = open_page(PAGE, a="the [bank] of [", a2="by the bank [")
    assert "bx-alert" not in html(app)
    *words, anchors = chip_rows(app)
    assert [row["selected"] for row in words] == [[1], [2]]
    assert app.text_input(key="anchors").value == ""
    # Without a tap the path between two nouns is drawn, which are marked on the chips.
    assert len(anchors["selected"]) == 2
    assert value(app, "anchor_1") in anchors["chips"]
    assert len(charts(app)) == 2
    app.text_input(key="a").set_value("x " * 600).run()
    assert "bx-alert" not in html(app)


def test_anchors_stay_with_their_word() -> None:
    app = open_page(PAGE, a="my [dog]", a2="", anchors="cat, wolf")
    assert app.text_input(key="anchors").value == "cat, wolf"
    app.text_input(key="a").set_value("my [dog] barked").run()
    assert app.text_input(key="anchors").value == "cat, wolf"
    app.text_input(key="a").set_value("my [guitar]").run()
    assert app.text_input(key="anchors").value == ""
    app.text_input(key="a").set_value("I eat [python]").run()
    assert app.text_input(key="anchors").value == "snake, programming"


def test_a_section_follows_the_page() -> None:
    app = open_page(PAGE, section="which context word did it?", target="2 python")
    app.slider(key="layer").set_value(0).run()
    assert set(values(app, "layer")) == {"0"}
    app.text_input(key="a").set_value("a [dog]\na [cat] here").run()
    assert not app.exception
    assert app.selectbox(key="target").value == "1 dog"
    app.segmented_control(key="section").set_value("what does it attend to?").run()
    assert "Layer 0 is the input" in said(app)
    app.slider(key="layer").set_value(2).run()
    app.slider(key="head").set_value(12).run()
    assert value(app, "head") == "12"
