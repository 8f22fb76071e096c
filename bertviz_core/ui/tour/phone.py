"""What a phone shows: the present question, large answers, and whether they were right.

The question is drawn by phone.js, which reads what the hall is asked from a file: a run of the page
costs several times as much. The page runs when something was said or shown, and now and then.
"""

import random
import re
import time
from collections.abc import Iterator
from typing import Any

import streamlit as st

from bertviz_core.hall.rates import NotYet, origin
from bertviz_core.hall.store import TICKET, Halls, State
from bertviz_core.ui import html
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.following import PAGE as TITLE
from bertviz_core.ui.server import NOTICES
from bertviz_core.ui.tour.guess import CHOICES, allowed, right
from bertviz_core.ui.tour.halls import PAGE, browser, halls
from bertviz_core.ui.tour.stops import STOPS
from bertviz_core.views.view import Sentence

EVERY = 30.0  # seconds after which a phone says that it is still here
CODE = "hall"  # in the address
SCORE = "score"  # there too, as "3-6_5-6": it stays when the hall is closed and forgotten
KEY = "phone"
_WRONG, _TRIES = "_wrong", "_tries"  # in the session: the last wrong code; how often it has waited
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 10.0  # seconds until a phone before the door tries again
LOOK = "Look at the screen."


def phone_page() -> None:
    """A page of its own: no sidebar, no chart, no model."""
    st.set_page_config(page_title="Hall", initial_sidebar_state="collapsed")
    st.session_state[TITLE] = PAGE
    html.style("style.css", "hall.css")
    code = st.query_params.get(CODE, "").strip().upper()
    with errors_shown():
        try:
            phone = _entered(code) if code else ""
        except NotYet as why:
            _try_again(str(why))
            return
        st.session_state.pop(_TRIES, None)
        if phone:
            _question(code, phone)
        else:
            _ask_for_code(code)


def _entered(code: str) -> str:
    """The name of a phone that may come in; "" where there is no such hall."""
    if st.session_state.get(_WRONG) == code:  # this page has tried it
        return ""
    came_from = origin(str(st.context.ip_address or ""))
    phone = halls().enter(code, browser(), st.query_params.get(TICKET, ""), came_from)
    if not phone:
        st.session_state[_WRONG] = code
    return phone


def _try_again(why: str) -> None:
    html.alert(f"{why} This page tries again by itself.")
    tries = st.session_state[_TRIES] = st.session_state.get(_TRIES, 0) + 1
    # The longer the less often, and not all at once.
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 1.5 ** (tries - 1)) * random.uniform(0.7, 1.3)
    begun = time.monotonic()

    @st.fragment(run_every=pause)
    def again() -> None:
        if time.monotonic() - begun > FIRST_PAUSE / 2:
            st.rerun()

    again()


def _ask_for_code(code: str) -> None:
    if SCORE in st.query_params:
        _say_closed()
    elif code:
        html.alert("There is no hall with this code, or it was closed.")
    html.caption("Here the audience of a talk answers its questions, each on a phone of their own.")
    typed = st.text_input("The four letters on the screen", max_chars=4, key="code")
    if st.button("Enter", type="primary", key="enter") and typed.strip():
        st.query_params[CODE] = typed.strip().upper()
        st.query_params.pop(SCORE, None)
        st.rerun()


def _say_closed() -> None:
    html.verdict("The hall is closed. Thank you!")
    for sentence in _said_of(st.query_params.get(SCORE, "")):
        html.verdict(sentence.template, **sentence.values)


@st.fragment(run_every=EVERY)
def _question(code: str, phone: str) -> None:
    with errors_shown(stop=False):
        hall = halls()
        state = hall.state(code)
        if state:
            own = hall.of_phone(code, phone)
            _keep(**{CODE: code, SCORE: _score(hall.truths(code), own)})
        if state is None or state.shown == "closed":
            _say_closed()
            st.query_params.pop(CODE, None)  # a reload tries no code that is no more
            return
        hall.seen(code, phone)
        given = {
            "notice": f"{NOTICES}/{hall.notice(code)}",
            "state": hall.posted(code, state),
            "stops": _stops(),
            "choices": CHOICES,
            "said": [f"{number}-{round_}" for number, round_ in own],
            "look": html.written(Sentence("verdict", LOOK, {})),
            "after": "".join(html.written(one) for one in _after(hall, code, state, own)),
        }

        def said() -> None:
            with errors_shown(stop=False):
                _vote(hall, code, phone, st.session_state[KEY]["said"])

        box = '<div class="bx bx-phone"></div>'
        events = {"on_said_change": said, "on_moved_change": _runs}
        html.component("phone", KEY, box, given, **events)


def _runs() -> None:
    """The page runs because the hall has moved on; nothing else is to be done."""


def _stops() -> list[dict[str, Any]]:
    """What is asked at each stop of the tour."""
    return [
        {
            "claim": f"{number}. {stop.claim}",
            "question": stop.question.text if stop.question else "",
            "isNumber": bool(stop.question and stop.question.is_number),
        }
        for number, stop in enumerate(STOPS, start=1)
    ]


def _vote(hall: Halls, code: str, phone: str, said: object) -> None:
    state = hall.state(code)
    if state is None or not state.question:
        return
    match said:
        case [number, round_, str(answer), mark] if (number, round_, mark) == (
            *state[:2],
            hall.posted(code, state)[-1],
        ):
            offered = state.words.split("_") if state.words else []
            if allowed(STOPS[state.question - 1].question, answer, offered):
                hall.vote(code, phone, state, answer)


def _after(
    hall: Halls, code: str, state: State, own: dict[tuple[int, int], str]
) -> Iterator[Sentence]:
    """What there is to do after an answer: look at the screen."""
    if not 0 < state.question <= len(STOPS):
        come = "You are in hall <b>{code}</b>. The first question comes soon."
        yield Sentence("verdict", come, {"code": code})
        return
    truths, given = hall.truths(code), own.get(state[:2])
    truth = truths.get(state.question)
    if given is None:
        yield Sentence("verdict", LOOK, {})
    elif truth is None or (state.shown == "nothing" and state.round == 1):
        yield Sentence("verdict", f"Thank you. {LOOK}", {})
    else:
        told = "right" if right(given, truth) else "not right"
        yield Sentence("verdict", f"Your answer was <b>{{told}}</b>. {LOOK}", {"told": told})
    yield from _said_of(_score(truths, own))


def _score(truths: dict[int, str], own: dict[tuple[int, int], str]) -> str:
    """Of each round, how many answers were right, and how many there are whose truth was told."""
    told: dict[int, list[bool]] = {1: [], 2: []}
    for (number, round_), given in own.items():
        if number in truths:
            told[round_].append(right(given, truths[number]))
    return "_".join(f"{sum(one)}-{len(one)}" for one in told.values()) if any(told.values()) else ""


def _keep(**address: str) -> None:
    for key, value in address.items():
        if value and st.query_params.get(key) != value:  # each change is a message
            st.query_params[key] = value


def _said_of(score: str) -> Iterator[Sentence]:
    rounds = re.findall(r"(\d{1,2})-(\d{1,2})", score)
    for when, (correct, answered) in zip(("Before", "After"), rounds, strict=False):
        if answered != "0":
            said = "{when} seeing the picture you were right <b>{right}</b> of {answered} times."
            yield Sentence("caption", said, {"when": when, "right": correct, "answered": answered})
