"""The guided tour: every stop leads to a view that exists and shows something."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.claims import TOUR, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import models
from bertviz_core.ui.tour.progress import NUMBERS
from bertviz_core.ui.tour.stops import GUESSES, STOPS, Stop
from tests.headless import ROOT, html, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")
SCRIPTS = {path.stem.partition("_")[2]: f"pages/{path.name}" for path in ROOT.glob("pages/*.py")}


def as_query(stop: Stop) -> dict[str, str]:
    return {key: str(value) for key, value in stop.inputs.items()}


def set_inputs(stop: Stop) -> dict[str, str]:
    """Those that are not blank, which `parse_qsl` leaves out."""
    return {key: value for key, value in as_query(stop).items() if value}


def links(app: AppTest) -> dict[str, dict[str, str]]:
    """What the links of the tour carry, by their labels."""
    found = re.findall(r'<a href="([^"]*)"[^>]*data-step[^>]*>([^<]*)</a>', html(app))
    return {unescape(label): dict(parse_qsl(urlsplit(unescape(to)).query)) for to, label in found}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_stop_on_home(number: int) -> None:
    assert len({stop.claim for stop in STOPS}) == len(STOPS)
    stop = STOPS[number - 1]
    app = open_page("app.py", stop=str(number))
    assert stop.claim in unescape(html(app))
    names = re.findall(r"{(\w+)", stop.settled.holds)
    (address,) = [part for part in html(app).split('"') if f"tour={number}" in part]
    parts = urlsplit(unescape(address))
    assert parts.path == stop.page
    assert dict(parse_qsl(parts.query)) == set_inputs(stop) | {"tour": str(number)}
    app.button(key="guess-true").click().run()
    assert app.query_params[f"guess{number}"] == "true"
    assert app.button(key="guess-true").label == "✓ true"
    if stop.settled.needs == "tables":
        assert all(values(app, name) for name in names)
    else:
        assert value(app, "undecided") == "all-MiniLM-L6-v2"
    assert app.button(key="tour-previous").disabled == (number == 1)
    assert app.button(key="tour-next").disabled == (number == len(STOPS))


@pytest.mark.parametrize("number", NUMBERS)
def test_the_view_of_a_stop(number: int) -> None:
    """The place that the view is scrolled to is there, or the button that brings it."""
    stop = STOPS[number - 1]
    given = {"tour": str(number), "guess4": "false", "seen": "4"}
    app = open_page(SCRIPTS[stop.page], **as_query(stop), **given)
    assert "bx-alert" not in html(app)
    for key, wanted in stop.inputs.items():
        assert app.session_state[key] == wanted, f"the page has no input {key}={wanted}"
    keys = {f"chart_{name}" for name in map(chart_name, app.get("plotly_chart"))}
    keys |= {button.key for button in app.button}
    assert any(target in keys or values(app, target) for target in stop.targets)
    assert stop.claim in unescape(html(app))
    ways = links(app)
    labels = ["← Previous", "Next →" if number < len(STOPS) else "Your score →", "Back to the stop"]
    assert list(ways) == labels[number == 1 :]
    seen = ".".join(map(str, sorted({4, number})))
    assert ways["Back to the stop"] == {"guess4": "false", "seen": seen, "stop": str(number)}


def test_the_framed_view_and_the_verdict_give_the_same_numbers(
    minilm_encoder: Encoder, measured: Scales
) -> None:
    """What decides is what is framed: the sentence of a verdict can be checked against it."""

    def found(number: int) -> tuple[AppTest, dict[str, Any]]:
        stop = STOPS[number - 1]
        given = {"tables": minilm_encoder.bert, "calibration": measured}
        verdict = stop.settled.condition(given.get(stop.settled.needs, minilm_encoder))
        return open_page(SCRIPTS[stop.page], **as_query(stop)), dict(verdict.numbers)

    app, said_there = found(4)
    assert STOPS[3].targets == ("answer",)
    assert value(app, "rotation") == f"{said_there['rotation']:.0%}" == "25%"
    low, high = value(app, "rotation_covariances").rstrip("%").split("–")
    assert int(low) <= round(100 * said_there["covariances"]) <= int(high)
    app, said_there = found(7)
    assert STOPS[6].targets == ("nearest",)
    assert values(app, "nearest") == [said_there[word] for word in ("dog", "left", "monday")]
    app, said_there = found(8)
    ends = [f"{said_there[name]:.2f}" for name in ("pet_snake", "language_programming")]
    assert [value(app, "cosine_1"), value(app, "cosine_2")] == ends
    app, said_there = found(11)
    assert STOPS[10].targets[0] == "worth_low"
    for name in ("given", "worth_low", "kind_low", "worth_high", "kind_high", "usual"):
        assert value(app, name) == str(said_there[name])


def chart_name(chart: object) -> str:
    """What `show.chart` calls it."""
    return str(chart.proto.id).rpartition("-chart_")[2]  # type: ignore[attr-defined]


def test_the_bar_tells_a_guess_right_or_wrong() -> None:
    for guess, truth in (("true", "wrong"), ("false", "right")):
        app = open_page(SCRIPTS["Tokens"], **as_query(STOPS[1]), tour="2", guess2=guess)
        assert f"You said {guess}: " not in said(app)  # the view comes first
        app.session_state["_tour_answered"] = "all-MiniLM-L6-v2", 2  # as once it has been found
        app.run()
        assert f"You said {guess}: {truth}." in said(app)
        assert values(app, "pieces")[0] == "awesome ##sau ##ce"


def test_a_verdict_on_another_model_than_the_one_shown_names_its_number() -> None:
    app = open_page(SCRIPTS["Inside_the_Model"], tour="6")
    app.session_state["_tour_answered"] = "all-MiniLM-L6-v2", 6
    app.run()
    (judgement,) = re.findall("<summary>(.*?)</summary>", html(app))
    said_there = re.findall('data-name="(.+?)">(.*?)</bdi>', judgement)
    total, counted = ("total", "109,482,240"), ("counted", "22,713,216")
    assert said_there == [("truth", "true"), total, counted]


def test_a_score_at_the_end_and_marks_on_the_way() -> None:
    guesses = {"guess1": "true", "guess2": "true", "guess4": "false", "guess8": "true"}
    app = open_page("app.py", stop=str(len(STOPS)), seen="1.2", **guesses)
    assert [value(app, name) for name in ("right", "guessed", "open")] == ["2", "3", "8"]
    assert STOPS[1].claim in unescape(html(app))  # the one that was guessed wrong
    assert list(links(app))[:4] == ["1 ✓", "2 ✓", "3", "4 ·"]
    assert links(app)["3"] == {**guesses, "seen": "1.2", "stop": "3"}


def test_rare_among_unrelated_pairs_is_never_called_alike() -> None:
    """Of a cosine of 0.6 no model makes it simply true, and none simply false."""
    (stop,) = [stop for stop in STOPS if stop.settled.name == "high cosine"]
    assert {stop.truth(Verdict(holds, {})) for holds in (True, False, None)} == {None}


def test_each_stop_is_settled_by_its_claim() -> None:
    assert tuple(stop.settled for stop in STOPS) == TOUR


def test_with_the_model_in_memory_every_stop_says_what_is_true_of_it(
    minilm_encoder: Encoder, measured: Scales
) -> None:
    """Nothing is loaded for it; here it is there already, as after a look at the views."""
    app = open_page("app.py", stop="8", guess8=GUESSES[0])
    assert values(app, "undecided")
    _ = models.encoder(minilm_encoder.bert.name).model
    for number, stop in enumerate(STOPS, start=1):
        app = open_page("app.py", stop=str(number), **{f"guess{number}": GUESSES[0]})
        assert not values(app, "undecided")
        given = {"tables": minilm_encoder.bert, "calibration": measured}
        verdict = stop.settled.condition(given.get(stop.settled.needs, minilm_encoder))
        assert re.sub("<[^>]+>", "", stop.settled.sentence(verdict)) in unescape(said(app))


def test_another_model_is_told_what_is_true_of_it(tiny_on_offer: None, tiny: Bert) -> None:
    app = open_page("app.py", model="tiny", stop="2", guess2="true")
    assert value(app, "pieces") == "[UNK]"
    assert "not that simple" in said(app)


def test_a_page_reached_otherwise_has_no_bar() -> None:
    for query in ({}, {"tour": str(len(STOPS) + 1)}, {"tour": "<b>"}):
        app = open_page("pages/3_Nearest_Neighbors.py", **query)
        assert links(app) == {}


def test_a_view_as_a_qr_code() -> None:
    app = open_page("pages/3_Nearest_Neighbors.py", q="dog")
    app.button(key="qr").click().run()
    assert not app.exception
    assert "data:image/svg+xml" in html(app)
    assert "q=dog" in said(app)
