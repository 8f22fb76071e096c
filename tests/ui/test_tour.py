"""The guided tour: every stop leads to a view that exists and shows something."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.claims import TOUR
from bertviz_core.encoder import Encoder
from bertviz_core.ui.results import models
from bertviz_core.ui.tour.stops import GUESSES, STOPS, Stop
from tests.headless import ROOT, charts, html, open_page, said, value, values

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
    names = re.findall(r"{(\w+)", stop.settled.holds)
    assert not any(values(app, name) for name in names)
    (address,) = [part for part in html(app).split('"') if f"tour={number}" in part]
    parts = urlsplit(unescape(address))
    assert parts.path == stop.page
    assert dict(parse_qsl(parts.query)) == as_query(stop) | {"tour": str(number)}
    app = open_page("app.py", stop=str(number), **{f"guess{number}": GUESSES[0]})
    if stop.settled.needs == "tables":
        assert all(values(app, name) for name in names)
    else:
        assert value(app, "model") == "all-MiniLM-L6-v2"
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
    for key, given in stop.inputs.items():
        assert app.session_state[key] == given, f"the page has no input {key}={given}"
    assert f"Stop {number} of 12" in html(app)
    steps = {1: ["", "ArrowRight"], 12: ["ArrowLeft", ""]}.get(
        number, ["ArrowLeft", "", "ArrowRight"]
    )
    assert sorted(re.findall(r'data-key="(\w*)"', html(app))) == sorted(steps)


def test_each_stop_is_settled_by_its_claim() -> None:
    assert tuple(stop.settled for stop in STOPS) == TOUR


def settled(number: int) -> str:
    return said(open_page("app.py", stop=str(number), **{f"guess{number}": GUESSES[0]}))


def test_with_the_model_in_memory_every_stop_says_what_is_true_of_it(
    minilm_encoder: Encoder, measured: Scales
) -> None:
    """Nothing is loaded for it; here it is there already, as after a look at the views."""
    assert "nothing is loaded here" in settled(8)
    _ = models.encoder(minilm_encoder.bert.name).model
    for number, stop in enumerate(STOPS, start=1):
        text = settled(number)
        assert "nothing is loaded" not in text
        given = {"tables": minilm_encoder.bert, "calibration": measured}
        verdict = stop.settled.condition(given.get(stop.settled.needs, minilm_encoder))
        assert re.sub("<[^>]+>", "", stop.settled.sentence(verdict)) in unescape(text)
    assert "False: at layer 0" in settled(9)


def test_another_model_is_told_what_is_true_of_it(tiny_on_offer: None, tiny: Bert) -> None:
    app = open_page("app.py", model="tiny", stop="2", guess2="true")
    assert value(app, "pieces") == "[UNK]"
    assert "not that simple" in said(app)


def test_a_page_reached_otherwise_has_no_bar() -> None:
    for query in ({}, {"tour": "13"}, {"tour": "<b>"}):
        app = open_page("pages/3_Nearest_Neighbors.py", **query)
        assert "data-key" not in html(app)


def test_large_type_is_switched_off() -> None:
    large = open_page("pages/3_Nearest_Neighbors.py", present="1")
    assert "present=1" in html(large)
    large.toggle(key="presenting").set_value(False).run()
    assert "present=1" not in html(large)


def captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.caption)


def test_what_the_model_in_use_is(tiny_on_offer: None) -> None:
    told = captions(open_page("app.py"))
    assert "MiniLM, Wang et al. 2020" in told
    assert "tuned for sentence similarity" in told
    told = captions(open_page("app.py", model="tiny"))
    assert "MiniLM" not in told
    assert "not known here" in told


def test_views_that_depend_on_it_say_what_the_model_was_trained_for(tiny_on_offer: None) -> None:
    app = open_page("pages/7_Inside_the_Model.py", inside="pooler")
    app.button(key="run_pooler").click().run()
    assert "nothing uses its pooler" in captions(app)
    for section in ("what does it look like now?", "which context word did it?"):
        app = open_page("pages/4_Word_in_Context.py", deeper=section)
        for button in app.button:
            if button.proto.type == "primary":
                button.click().run()
        assert "predicts no masked words" in captions(app)
