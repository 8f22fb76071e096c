"""The page Positions and Segments, headless: a field whose end follows from another."""

import pytest

from tests.headless import charts, open_page, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/7_Positions_and_Segments.py"
EXPERIMENTS = {"section": "experiments"}


def test_a_long_text_leaves_little_room_for_a_shift() -> None:
    app = open_page(PAGE, **EXPERIMENTS, change="shift")
    app.button(key="run_experiments").click().run()
    assert len(charts(app)) == 4
    app.slider(key="shift").set_value(490).run()
    app.text_input(key="a").set_value("dog " * 100).run()
    assert not app.exception
    assert app.slider(key="shift").value == 100
    assert value(app, "change") == "Shifting all positions by 100"
