"""The page Positions and Segments, headless: its fields, its sections and its links."""

import pytest

from tests.headless import charts, open_page, switch_of, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/7_Positions_and_Segments.py"
EXPERIMENTS = {"section": "experiments"}


def test_two_positions_and_a_section() -> None:
    app = open_page(PAGE, row="300", column="310", section="are rows from 128 on different?")
    choice = app.segmented_control(key="section")
    assert choice.options == switch_of("Positions and Segments")
    assert (value(app, "row"), value(app, "column")) == ("300", "310")
    assert len(charts(app)) == 3
    app.slider(key="row").set_value(7).run()
    app.segmented_control(key="section").set_value("one position and all others").run()
    assert value(app, "one") == "7"


def test_a_long_text_leaves_little_room_for_a_shift() -> None:
    app = open_page(PAGE, **EXPERIMENTS, change="shift")
    app.button(key="run_experiments").click().run()
    assert len(charts(app)) == 4
    app.slider(key="shift").set_value(490).run()
    app.text_input(key="xa").set_value("dog " * 100).run()
    assert not app.exception
    assert app.slider(key="shift").value == 100
    assert value(app, "change") == "Shifting all positions by 100"
