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


def test_there_are_twelve() -> None:
    assert len(STOPS) == 12
    assert len({stop.claim for stop in STOPS}) == 12
    assert {stop.page for stop in STOPS} <= set(SCRIPTS)


@pytest.mark.parametrize("number", range(1, 13))
def test_a_stop_on_home(number: int) -> None:
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


def test_next_and_previous() -> None:
    app = open_page("app.py", stop="11")
    app.button(key="tour-next").click().run()
    assert STOPS[11].claim in unescape(html(app))
    app.button(key="tour-previous").click().run()
    assert STOPS[10].claim in unescape(html(app))


def test_a_page_reached_otherwise_has_no_bar() -> None:
    for query in ({}, {"tour": "13"}, {"tour": "<b>"}):
        app = open_page("pages/3_Nearest_Neighbors.py", **query)
        assert "data-key" not in html(app)


def test_large_type() -> None:
    plain = open_page("pages/3_Nearest_Neighbors.py")
    large = open_page("pages/3_Nearest_Neighbors.py", present="1")
    assert large.session_state["presenting"] is True
    sizes = [
        charts(app)[0]["layout"]["template"]["layout"]["font"]["size"] for app in (plain, large)
    ]
    assert sizes[1] >= 1.3 * sizes[0]
    assert charts(large)[0]["layout"]["height"] > charts(plain)[0]["layout"]["height"]
    assert "present=1" in html(large)
    assert "present=1" not in html(plain)
    large.toggle(key="presenting").set_value(False).run()
    assert "present=1" not in html(large)
