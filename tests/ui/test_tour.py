"""The guided tour: every stop asks, and then says what is true, why, and what settles it."""

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.showable import filled
from bertviz_core.ui.tour.lecturer import what_was_learned
from bertviz_core.ui.tour.stops import STOPS
from bertviz_core.ui.tour.tour import END, NUMBERS
from tests.headless import SCRIPTS, charts, html, open_page, said, value, values

pytestmark = pytest.mark.usefixtures("fresh_caches")
GUESSED = {1: "0.20", 7: "canine"}


def at_stop(number: int, guess: str = "", **query: str) -> AppTest:
    """A stop, or the end, by its address alone."""
    said = {f"guess{number}": guess} if guess else {}
    page = SCRIPTS[STOPS[min(number, len(STOPS)) - 1].page]
    return open_page(page, tour=str(number), **said, **query)


def test_a_second_press_changes_nothing() -> None:
    app = at_stop(1, guess="0.50")
    app.query_params["tour"] = "2"  # where the first press has led; the page is still the old one
    app.button(key="tour-next").click().run()
    assert not app.exception
    assert "guess2" not in app.query_params


def buttons(app: AppTest) -> set[str]:
    """The ways on: not the way back, nor those of a clicker, nor what the sidebar has."""
    keys = {str(button.key) for button in app.main.button}
    return {key for key in keys if not key.startswith(("tour-previous", "tour-clicker"))}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_stop(number: int, minilm: Bert) -> None:
    """Nothing is settled before a guess; then one sentence and one picture are, with the reason."""
    stop = STOPS[number - 1]
    answer = stop.answer(minilm)
    app = at_stop(number)
    assert stop.claim in unescape(html(app))
    assert stop.hint in unescape(said(app))
    assert "bx-answer" not in html(app)
    assert not charts(app)
    question, options = stop.prompt(answer)
    assert question in said(app)
    offered = [button.label for button in app.button if str(button.key).startswith("guess-")]
    assert offered == (options or ["That is my guess"])
    guess = GUESSED.get(number, "false")
    if not options:
        app.button(key="guess-made").click().run()
        assert "a number from 0 to 100" in html(app).partition("bx-alert")[2]
        assert "bx-answer" not in html(app)
        app.number_input(key="guess-number").set_value(int(100 * float(guess)))
    app.button(key=f"guess-{guess if options else 'made'}").click().run()
    assert app.query_params[f"guess{number}"] == guess
    right = "right" if guess == answer.truth else "wrong"
    assert value(app, "judgement") == (right if options else "50 points off")
    only = {guess, answer.verdict} <= {"true", "false"}
    assert values(app, "truth") == ([] if only else [answer.verdict])
    assert buttons(app) == {"tour-next"}  # and no guess on the next claim
    assert "bx-alert" not in html(app)
    why = filled(answer.why.template, answer.why.values, lambda text, _: text)
    assert re.sub("<[^>]+>", "", why) in unescape(said(app))
    assert stop.on_base in unescape(said(app))
    assert html(app).count("bx-finding") == (3 if number == 7 else 1)
    assert charts(app)
    assert any(button.key == "tour-previous" for button in app.button) == (number > 1)
    # Its page opens with what the stop is about.
    query = {key: str(value) for key, value in stop.inputs.items()}
    page = open_page(SCRIPTS[stop.page], **query)
    assert {key: f"{page.session_state[key]}" for key in query} == query


def test_the_first_guess_counts_whatever_is_pressed_while_the_model_loads() -> None:
    app = at_stop(3)
    for guess in ("true", "false"):
        app.button(key=f"guess-{guess}").click()
    app.button(key="tour-next").click().run()
    assert app.query_params["guess3"] == "true"


def test_home_offers_the_tour_once_and_every_stop() -> None:
    app = open_page("app.py", guess1="false", guess2="true")
    assert [str(one.key) for one in app.main.button if "tour" in str(one.key)] == ["tour-start"]
    (menu,) = (one.proto for one in app.get("menu_button") if "tour-stop" in one.proto.id)
    marks = ["✓ " * (number <= 2) for number in NUMBERS]
    named = zip(NUMBERS, marks, STOPS, strict=True)
    assert list(menu.options) == [f"{number}. {mark}{stop.claim}" for number, mark, stop in named]


def test_the_bar_says_whether_a_guess_was_right() -> None:
    for guess, judgement in (("true", ["wrong"]), ("false", ["right"]), ("shown", [])):
        app = at_stop(2, guess)
        assert values(app, "judgement") == judgement
        assert values(app, "truth") == ([] if judgement else ["false"])
    app = at_stop(6, "shown")  # true of another model than the one that is shown: it is named
    assert values(app, "base_total")[0] == "109,482,240"
    assert values(app, "total")[0] == "22,713,216"
    for number, guess in ((1, "1.20"), (1, "0.20_0.30"), (7, "<b>"), (7, "cat")):
        app = at_stop(number, guess)
        assert not values(app, "judgement"), "what is no guess is not scored"
        assert "<b><b>" not in html(app)
    assert value(at_stop(END, guess7="<b>", guess2="false"), "guessed") == "1"


def test_the_end() -> None:
    """What was only shown is not counted, but what is true is said."""
    guesses = {1: "0.20", 2: "true", 3: "true", 4: "shown", 7: "canine", 11: "true", 12: "false"}
    app = at_stop(END, **{f"guess{number}": guess for number, guess in guesses.items()})
    assert [value(app, name) for name in ("right", "guessed", "wrong")] == ["2", "6", "1, 2, 7, 11"]
    assert values(app, "mark") == ["✗", "✗", "✓", "–", "✗", "✗", "✓"]
    assert values(app, "truth")[3] == "false"
    assert values(app, "word_pieces") == ["awesome ##sau ##ce"]  # why, where the guess was wrong
    app = at_stop(END, guess2="shown")
    assert "You made no guess" in said(app)
    assert values(app, "truth") == ["false"]
    assert len(values(at_stop(END), "truth")) == len(STOPS)  # where no stop was seen


def test_another_model_has_its_own_verdict(tiny_on_offer: None) -> None:
    app = at_stop(2, "true", model="tiny")
    assert "[UNK]" in values(app, "word_pieces")
    assert value(app, "truth") == "not that simple"


def test_a_page_reached_otherwise_has_no_bar() -> None:
    for query in ({}, {"tour": str(END + 1)}, {"tour": "<b>"}):
        app = open_page("pages/3_Nearest_Neighbors.py", **query)
        assert "bx-claim" not in html(app)
        assert charts(app)


def test_what_a_hall_has_learned_by_hand() -> None:
    twice = {
        1: [("true", "false"), ("false", "false"), ("true", "true")],
        3: [("0.50", "0.91"), ("0.95", "0.79")],
        4: [("true", "true")],  # whose view nobody has seen
    }
    view = what_was_learned({1: "false", 2: "true", 3: "0.90"}, twice)
    assert view.to_frame()[
        ["stop", "phones", "right before", "right after"]
    ].to_numpy().tolist() == [
        [1, 3, 1, 2],
        [3, 2, 1, 1],
    ]
    assert view.values == {"answered": 5, "before": 2, "after": 3}
    assert not what_was_learned({1: "false"}, {}).tables
