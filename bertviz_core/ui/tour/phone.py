"""What a phone shows: the present question, large answers, and whether they were right.

phone.js draws the question. It reads what the hall is asked from a file, since a run of the page
costs several times as much. The page runs when something was answered or shown, and now and then.
"""

import secrets
import time
from collections.abc import Iterator
from functools import cache

import streamlit as st

from bertviz_core.checkpoints.checkpoint import kept_folder
from bertviz_core.hall.guesses import is_allowed, is_number, is_right
from bertviz_core.hall.rates import NotYet, origin
from bertviz_core.hall.store import TICKET, Halls, State
from bertviz_core.ui import html
from bertviz_core.ui.draw import errors_shown
from bertviz_core.ui.server import NOTICES
from bertviz_core.ui.state import change, now
from bertviz_core.views.view import Sentence

EVERY = 30.0  # seconds after which a phone says that it is still here
PAUSE = 6.0  # seconds until a phone before the door tries again
CODE = "hall"  # in the address
KEY = "phone"
LOOK = "Look at the screen."
PAGE = "Hall"  # of a phone, by its name in the address
_XSRF = "_streamlit_xsrf"
_PHONE = "phone"  # in the address, where a browser keeps no cookie


@cache
def halls() -> Halls:
    """The store; opened when somebody opens or enters a hall, and not before."""
    return Halls((kept_folder() / NOTICES).with_suffix(".sqlite"))


def browser() -> str:
    """The name of a browser, the same in all its tabs: the secret in a cookie of Streamlit's.

    In the cookie it is hidden anew each time: "2|mask|secret under the mask|time", in hexadecimal
    digits (streamlit/web/server, version 1.67).
    """
    parts = str(st.context.cookies.get(_XSRF, "")).split("|")
    try:
        mask, hidden = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
        return bytes(one ^ mask[i % len(mask)] for i, one in enumerate(hidden)).hex()
    except (IndexError, ValueError, ZeroDivisionError):
        return str(st.query_params.setdefault(_PHONE, secrets.token_hex(8)))


def phone_page() -> None:
    """A page of its own: no sidebar, no chart, no model."""
    st.set_page_config(page_title="Hall", initial_sidebar_state="collapsed")
    change(page=PAGE)
    html.style("style.css", "hall.css")
    code = st.query_params.get(CODE, "").strip().upper()
    with errors_shown():
        own = browser() if code else ""
        try:
            phone = _entered(code, own)
        except NotYet as why:
            _try_again(str(why), time.monotonic())
            return
        if phone:
            _question(code, own)
            return
        if code:
            html.alert("There is no hall with this code, or it was closed.")
        st.query_params.pop(CODE, None)  # what runs the page again does not try it again
        _ask_for_code()


def _entered(code: str, own: str) -> str:
    """The name of a browser that may come in; "" where there is no such hall."""
    if not code:
        return ""
    came_from = origin(str(st.context.ip_address or ""))
    return halls().enter(code, own, st.query_params.get(TICKET, ""), came_from)


@st.fragment(run_every=PAUSE)
def _try_again(why: str, begun: float) -> None:
    html.alert(f"{why} This page tries again by itself.")
    if time.monotonic() - begun > PAUSE / 2:
        st.rerun()


def _ask_for_code() -> None:
    html.caption(
        "Here the audience of a talk answers its questions, each on a phone of their own. Whoever "
        "gives the talk opens a hall at a stop of the tour, in presenter mode."
    )
    typed = st.text_input("The four letters on the screen", max_chars=4, key="code")
    if st.button("Enter", type="primary", key="enter"):
        if typed.strip():
            st.query_params[CODE] = typed.strip().upper()
            st.rerun()
        html.alert("Type the four letters that are on the screen.")


@st.fragment(run_every=EVERY)
def _question(code: str, own: str) -> None:
    with errors_shown(stop=False):
        hall = halls()
        if (state := hall.state(code)) is None:
            st.query_params.pop(CODE, None)  # a reload tries no code that is no more
            html.verdict("The hall is closed. Thank you!")
            for sentence in now().score:
                html.sentence(sentence)
            return
        phone = _entered(code, own)
        truths, answers = hall.truths(code), hall.of_phone(code, phone)
        score = tuple(_score(truths, answers))
        change(score=score)
        after = [_after(code, state, truths, answers), *score]
        given = {
            "notice": f"{NOTICES}/{hall.notice(code)}",
            "state": state,
            "said": [f"{stop}-{round_}" for stop, round_ in answers],
            "look": html.written(Sentence("verdict", LOOK, {})),
            "after": "".join(html.written(one) for one in after),
        }

        def said() -> None:
            with errors_shown(stop=False):
                _vote(hall, code, phone, st.session_state[KEY]["said"])

        box = '<div class="bx bx-phone"></div>'
        # That the page runs is all there is to do when the hall has moved on.
        events = {"on_said_change": said, "on_moved_change": lambda: None}
        html.component("phone", KEY, box, given, **events)


def _vote(hall: Halls, code: str, phone: str, said: object) -> None:
    state = hall.state(code)
    if state is None or not state.stop:
        return
    match said:
        case [int(stop), int(round_), str(answer)]:
            if is_allowed(answer, [one for one in state.options.split("_") if one]):
                hall.vote(code, phone, stop, round_, answer)


def _after(
    code: str, state: State, truths: dict[int, str], answers: dict[tuple[int, int], str]
) -> Sentence:
    """What there is to do after an answer: look at the screen."""
    if not state.stop:
        come = "You are in hall <b>{code}</b>. The first question comes soon."
        return Sentence("verdict", come, {"code": code})
    given, truth = answers.get((state.stop, state.round)), truths.get(state.stop)
    if given is None:
        return Sentence("verdict", LOOK, {})
    if truth is None or (state.shown == "nothing" and state.round == 1):
        return Sentence("verdict", f"Thank you. {LOOK}", {})
    told = "right" if is_right(given, truth) else "not right"
    if is_number(truth) and is_number(given):
        said = f"You said {{given:.0%}}, it is {{truth:.0%}}: <b>{{told}}</b>. {LOOK}"
        values = {"given": float(given), "truth": float(truth), "told": told}
        return Sentence("verdict", said, values)
    return Sentence("verdict", f"Your answer was <b>{{told}}</b>. {LOOK}", {"told": told})


def _score(truths: dict[int, str], answers: dict[tuple[int, int], str]) -> Iterator[Sentence]:
    """How many answers were right in each round, of those whose truth was told."""
    for round_, when in ((1, "Before"), (2, "After")):
        right = [
            is_right(given, truths[stop])
            for (stop, at), given in answers.items()
            if at == round_ and stop in truths
        ]
        if right:
            said = "{when} seeing the picture you were right <b>{right}</b> of {answered} times."
            values = {"when": when, "right": sum(right), "answered": len(right)}
            yield Sentence("caption", said, values)
