"""What a phone shows: the present question, large answers, and whether they were right.

A part of the page draws what the hall is asked now. It runs when the hall moves on (bell.py), and
now and then by itself: one message to and fro, nothing else runs.
"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from bertviz_core.errors import BertvizError
from bertviz_core.hall.store import Halls, State
from bertviz_core.ui import html
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.following import PAGE as TITLE
from bertviz_core.ui.tour import drawing
from bertviz_core.ui.tour.answers import CHOICES, allowed, drawn, right
from bertviz_core.ui.tour.bell import ring_me
from bertviz_core.ui.tour.halls import DOOR, PAGE, browser, halls
from bertviz_core.ui.tour.stops import STOPS

EVERY = 5.0  # seconds between two questions to the hall, which rings besides
CODE = "hall"  # in the address


def phone_page() -> None:
    """A page of its own: no sidebar, no chart, no model."""
    st.set_page_config(page_title="Hall", initial_sidebar_state="collapsed")
    st.session_state[TITLE] = PAGE
    html.style("style.css", "hall.css")
    code = st.query_params.get(CODE, "").strip().upper()
    with errors_shown():
        if not code or not _is_open(code):
            _ask_for_code(code)
            return
        _question(code, halls().phone(code, browser()))


def _is_open(code: str) -> bool:
    """Whether there is such a hall; a wrong code takes a second."""
    address = str(st.context.ip_address or "")
    if DOOR.closed(address):
        raise BertvizError("Too many wrong codes came from here. Try again in a minute.")
    if halls().state(code):
        return True
    DOOR.wrong(address)
    return False


def _ask_for_code(code: str) -> None:
    if code:
        html.alert("There is no hall with this code, or it was closed.")
    typed = st.text_input("The four letters on the screen", max_chars=4, key="code")
    if st.button("Enter", type="primary", key="enter") and typed.strip():
        st.query_params[CODE] = typed.strip().upper()
        st.rerun()


@st.fragment(run_every=EVERY)
def _question(code: str, phone: str) -> None:
    with errors_shown(stop=False):
        hall = halls()
        state = hall.state(code)
        if state is None:
            html.verdict("The hall is closed. Thank you!")
            return
        ring_me(hall, code, state)
        hall.seen(code, phone)
        if not 0 < state.question <= len(STOPS):
            html.verdict("You are in hall <b>{code}</b>. The first question comes soon.", code=code)
            return
        stop, given = STOPS[state.question - 1], hall.answer(code, phone, state)
        html.claim(f"{state.question}. {stop.claim}")
        if state.shown == "nothing" and given is None:
            _answers(state, partial(_vote, hall, code, phone, state))
        else:
            _after(hall, code, phone, state, given)


def _answers(state: State, vote: Callable[[str], None]) -> None:
    asked = drawn(STOPS[state.question - 1], state.words)
    if state.round == 2:
        html.quiet("Again, now that you have seen it:")
    if asked:
        html.quiet(asked.question)
        drawing.ask(asked, state.words.split("_") if state.words else [], vote)
        return
    for choice, label in CHOICES.items():
        key = f"{choice}-{state.question}-{state.round}"
        st.button(label, key=key, width="stretch", on_click=vote, args=(choice,))


def _vote(hall: Halls, code: str, phone: str, state: State, answer: str) -> None:
    if allowed(STOPS[state.question - 1], answer, state.words):
        hall.vote(code, phone, state, answer)


def _after(hall: Halls, code: str, phone: str, state: State, given: str | None) -> None:
    """What there is to do after an answer: look at the screen."""
    truth = hall.truths(code).get(state.question)
    if given is None:
        html.verdict("Look at the screen.")
    elif truth is None or (state.shown == "nothing" and state.round == 1):
        html.verdict("Thank you. Look at the screen.")
    else:
        told = "right" if right(given, truth) else "not right"
        html.verdict("Your answer was <b>{told}</b>. Look at the screen.", told=told)
    told_of = hall.truths(code)
    own = hall.of_phone(code, phone)
    for round_, when in ((1, "before"), (2, "after")):
        answered = [
            (given, told_of[n]) for (n, r), given in own.items() if r == round_ and n in told_of
        ]
        if answered:
            html.caption(
                "Right {when} the views: <b>{right}</b> of {answered}.",
                when=when,
                right=sum(right(*pair) for pair in answered),
                answered=len(answered),
            )
