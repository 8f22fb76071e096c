"""The guided tour: every stop leads to a view that exists and shows something."""

import json
import re
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.calibration import Scales
from bertviz_core.encoder import Encoder
from bertviz_core.ui.tour.progress import NUMBERS
from bertviz_core.ui.tour.stops import STOPS
from tests.headless import ROOT, charts, html, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")
GUESSED = {1: "0.20", 7: "canine", 8: "0.10"}
OFF = {1: "50 points off", 7: "wrong", 8: "41 points off"}
# What the page of a stop and the verdict both say, by its name on the page.
AGREED = {
    4: {"rotation": ["{rotation:.0%}"]},
    7: {"nearest": ["{dog}", "{left}", "{monday}"]},
    8: {"cosine_1": ["{pet_snake:.2f}"], "cosine_2": ["{language_programming:.2f}"]},
    11: {name: [f"{{{name}}}"] for name in ("worth_low", "kind_low", "worth_high", "usual")},
}
SCRIPTS = {path.stem.partition("_")[2]: f"pages/{path.name}" for path in ROOT.glob("pages/*.py")}


def at_stop(number: int, guess: str = "", **query: str) -> AppTest:
    """The view of a stop, by its address alone."""
    said = {f"guess{number}": guess} if guess else {}
    page = SCRIPTS[STOPS[number - 1].page]
    return open_page(page, tour=str(number), **said, **query)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_view_of_a_stop(number: int, minilm_encoder: Encoder, measured: Scales) -> None:
    """Nothing of it is seen before a guess; then what it is to frame is there, and the verdict."""
    stop = STOPS[number - 1]
    given = {"tables": minilm_encoder.bert, "calibration": measured}
    verdict = stop.settled.condition(given.get(stop.settled.needs, minilm_encoder))
    app = at_stop(number)
    assert stop.claim in unescape(html(app))
    assert "bx-answer" not in html(app)
    assert "bx-finding" not in html(app)
    assert not charts(app)
    if stop.question:
        assert stop.question.text in said(app)
        if stop.question.line:
            app.button(key="guess-made").click().run()  # without a number nothing happens
            app.number_input(key="guess-number").set_value(int(100 * float(GUESSED[number])))
        offered = [button.label for button in app.button if str(button.key).startswith("guess-")]
        assert offered == {7: ["canine", "dogs", "puppy"]}.get(number, ["That is my guess"])
        app.button(key="guess-made" if stop.question.line else f"guess-{GUESSED[number]}").click()
        app.run()
        assert app.query_params[f"guess{number}"] == GUESSED[number]
        assert value(app, "off") == OFF[number]
    else:
        app.button(key="guess-false").click().run()
        assert app.query_params[f"guess{number}"] == "false"
        assert "You said false: " in said(app)
    assert "bx-alert" not in html(app)
    for key, wanted in stop.inputs.items():
        assert app.session_state[key] == wanted, f"the page has no input {key}={wanted}"
    assert re.sub("<[^>]+>", "", stop.settled.sentence(verdict)) in unescape(said(app))
    assert stop.settled.typical in unescape(said(app))
    for name, templates in AGREED.get(number, {}).items():
        assert set(values(app, name)) == {one.format(**verdict.numbers) for one in templates}
    drawn = (chart.proto.id.rpartition("-chart_")[2] for chart in app.get("plotly_chart"))
    there = {f"chart_{name}" for name in drawn}
    assert all(target in there or values(app, target) for target in stop.targets)
    following = STOPS[number].claim if number < len(STOPS) else "Your score"
    assert following in unescape(said(app))
    assert [button.key for button in app.button if button.key == "tour-next"]
    assert any(button.key == "tour-previous" for button in app.button) == (1 < number < len(STOPS))


def test_home_offers_the_tour_once_and_every_stop() -> None:
    app = open_page("app.py", guess1="false", guess2="true")
    assert [str(one.key) for one in app.main.button if "tour" in str(one.key)] == ["tour-start"]
    (menu,) = (one.proto for one in app.get("menu_button") if "tour-stop" in one.proto.id)
    marks = ["✓ " * (number <= 2) for number in NUMBERS]
    named = zip(NUMBERS, marks, STOPS, strict=True)
    assert list(menu.options) == [f"{number}. {mark}{stop.claim}" for number, mark, stop in named]


def test_the_bar_says_whether_a_guess_was_right() -> None:
    for guess, judgement in (
        ("true", "You said true: wrong."),
        ("false", "You said false: right."),
        ("shown", "it is false."),
    ):
        app = at_stop(2, guess)
        assert judgement in said(app)
        assert values(app, "pieces")[0] == "awesome ##sau ##ce"
    app = at_stop(6, "shown")  # true of another model than the one that is shown: it is named
    assert values(app, "total")[0] == "109,482,240"
    assert values(app, "counted")[0] == "22,713,216"


def test_a_guess_is_marked_where_it_is_settled() -> None:
    """And the last stop counts all."""
    for number, mark in ((1, {"x": 0, "y": 0.8}), (8, {"x": 0.1, "y": 1})):
        (label,) = beside(at_stop(number, GUESSED[number]), STOPS[number - 1].question.on)
        assert {name: label[name] for name in mark} == mark
    app = at_stop(len(STOPS), "false", **{f"guess{n}": guess for n, guess in GUESSED.items()})
    assert value(app, "numbers") == f"1: {OFF[1]}; 8: {OFF[8]}"
    assert values(app, "wrong") == ["7"]


@pytest.mark.parametrize(
    ("number", "guess"), [(1, "1.20"), (1, "0.20_0.30"), (8, "0.2"), (7, "<b>"), (7, "cat")]
)
def test_what_is_no_guess_is_not_scored(number: int, guess: str) -> None:
    app = at_stop(number, guess)
    assert 'data-name="off"' not in html(app)
    assert "<b><b>" not in html(app)


def beside(app: AppTest, chart: str) -> list[dict[str, Any]]:
    """The labels that are put on a chart from beside it."""
    (text,) = re.findall(rf'data-chart="chart_{chart}" data-lines="(.*?)"', html(app))
    return list(json.loads(unescape(text))["layout"]["annotations"])


def test_a_score_at_the_end() -> None:
    """What was only shown, and what is not that simple, is not counted."""
    guesses = {"guess2": "true", "guess3": "true", "guess4": "shown", "guess11": "true"}
    app = at_stop(len(STOPS), "false", **guesses)
    assert [value(app, name) for name in ("right", "guessed", "wrong")] == ["2", "3", "2"]


def test_another_model_has_its_own_verdict(tiny_on_offer: None) -> None:
    app = at_stop(2, "true", model="tiny")
    assert "[UNK]" in values(app, "pieces")
    assert "not that simple" in said(app)


def test_a_page_reached_otherwise_has_no_bar() -> None:
    for query in ({}, {"tour": str(len(STOPS) + 1)}, {"tour": "<b>"}):
        app = open_page("pages/3_Nearest_Neighbors.py", **query)
        assert "bx-claim" not in html(app)
        assert charts(app)
