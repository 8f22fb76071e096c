"""The guided tour: every stop leads to a view that exists and shows something."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from bertviz_core.ui.tour.stops import GUESSES, STOPS, Stop
from tests.headless import ROOT, charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches")
SCRIPTS = {path.stem.partition("_")[2]: f"pages/{path.name}" for path in ROOT.glob("pages/*.py")}


def as_query(stop: Stop) -> dict[str, str]:
    return {key: str(value) for key, value in stop.inputs.items()}


@pytest.mark.parametrize("number", range(1, 13))
def test_a_stop_on_home(number: int) -> None:
    assert len({stop.claim for stop in STOPS}) == 12
    stop = STOPS[number - 1]
    app = open_page("app.py", stop=str(number))
    assert stop.claim in unescape(html(app))
    assert stop.settled not in unescape(html(app))
    (address,) = [part for part in html(app).split('"') if f"tour={number}" in part]
    parts = urlsplit(unescape(address))
    assert parts.path == stop.page
    assert dict(parse_qsl(parts.query)) == as_query(stop) | {"tour": str(number)}
    app = open_page("app.py", stop=str(number), **{f"guess{number}": GUESSES[0]})
    assert stop.settled in unescape(html(app))
    assert app.button(key="tour-previous").disabled == (number == 1)
    assert app.button(key="tour-next").disabled == (number == 12)


@pytest.mark.parametrize("number", range(1, 13))
def test_the_view_of_a_stop(number: int) -> None:
    stop = STOPS[number - 1]
    app = open_page(SCRIPTS[stop.page], **as_query(stop), tour=str(number))
    assert "bx-alert" not in html(app)
    for button in app.button:  # what needs the encoder comes by one click
        if button.proto.type == "primary":
            button.click().run()
    assert "bx-finding" in html(app)
    assert charts(app) or app.dataframe
    for key, value in stop.inputs.items():
        assert app.session_state[key] == value, f"the page has no input {key}={value}"
    assert f"Stop {number} of 12" in html(app)
    steps = {1: ["", "ArrowRight"], 12: ["ArrowLeft", ""]}.get(
        number, ["ArrowLeft", "", "ArrowRight"]
    )
    assert sorted(re.findall(r'data-key="(\w*)"', html(app))) == sorted(steps)


def test_a_page_reached_otherwise_has_no_bar() -> None:
    for query in ({}, {"tour": "13"}, {"tour": "<b>"}):
        app = open_page("pages/3_Nearest_Neighbors.py", **query)
        assert "data-key" not in html(app)


def test_large_type_is_switched_off() -> None:
    large = open_page("pages/3_Nearest_Neighbors.py", present="1")
    assert "present=1" in html(large)
    large.toggle(key="presenting").set_value(False).run()
    assert "present=1" not in html(large)
