"""The page Inside the Model, headless: its fields, its sections and its links."""

import pytest

from bertviz_core.views.declare import sections_of
from tests.headless import charts, open_page, unfolded, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/8_Inside_the_Model.py"


def test_the_headline_and_its_tables() -> None:
    app = open_page(PAGE, **unfolded("parameters"))
    choice = app.segmented_control(key="section")
    assert choice.options == [section.label for section in sections_of("Inside the Model")]
    assert value(app, "total") == "22,713,216"
    assert len(charts(app)) == 1
    assert [len(frame.value) for frame in app.dataframe] == [103]
