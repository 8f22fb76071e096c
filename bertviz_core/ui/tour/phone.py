"""What a phone shows: the present question, large answers, and whether they were right.

phone.js draws the question. It reads what the hall is asked from a file, since a run of the page
costs several times as much. The page runs when something was answered or shown, and now and then.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

import streamlit as st

from bertviz_core.checkpoints.checkpoint import kept_folder
from bertviz_core.disk_cache import PART, remove_unfinished
from bertviz_core.hall import is_allowed, is_number, is_right
from bertviz_core.hall.rates import NotYet, origin
from bertviz_core.hall.store import TICKET, Halls, HallState, StoreError
from bertviz_core.ui import html
from bertviz_core.ui.draw import errors_shown
from bertviz_core.ui.server import NOTICES
from bertviz_core.ui.state import change, now
from bertviz_core.views.parts import Sentence

EVERY = 30.0  # seconds after which a phone says that it is still here
STORE = f"{NOTICES}.sqlite"
PAUSE = 6.0  # seconds until a phone before the door tries again
CODE = "hall"  # in the address
COMPONENT = "phone"  # its key in the session
LOOK = "Look at the screen."
PAGE = "Hall"  # of a phone, by its name in the address
COOKIE = "_streamlit_xsrf"
BROWSER = "phone"  # in the address, where a browser keeps no cookie


@cache
def halls() -> Halls:
    """The store; opened when somebody opens or enters a hall, or a server left it behind."""
    return Halls(kept_folder() / STORE)


def clear_up() -> None:
    """Remove what servers that have ended left behind: files half written, and halls in time."""
    remove_unfinished(kept_folder())
    remove_unfinished(kept_folder(), f"*{PART}")
    with suppress(OSError, StoreError):
        if (kept_folder() / STORE).exists():
            halls()


def browser_name() -> str:
    """The name of a browser, the same in all its tabs: the secret in a cookie of Streamlit's.

    In the cookie it is hidden anew each time: "2|mask|secret under the mask|time", in hexadecimal
    digits (streamlit/web/server, version 1.67).
    """
    parts = str(st.context.cookies.get(COOKIE, "")).split("|")
    try:
        mask = bytes.fromhex(parts[1])
        hidden = bytes.fromhex(parts[2])
        return bytes(one ^ mask[i % len(mask)] for i, one in enumerate(hidden)).hex()
    except (IndexError, ValueError, ZeroDivisionError):
        return str(st.query_params.setdefault(BROWSER, secrets.token_hex(8)))


def phone_page() -> None:
    """A page of its own: no sidebar, no chart, no model."""
    st.set_page_config(page_title="Hall", initial_sidebar_state="collapsed")
    change(page=PAGE)
    html.style("style.css", "hall.css")
    code = st.query_params.get(CODE, "").strip().upper()
    with errors_shown():
        browser = browser_name() if code else ""
        try:
            phone = _enter(code, browser)
        except NotYet as why:
            _try_again(str(why), time.monotonic())
            return
        if phone:
            _question(code, browser)
            return
        if code:
            html.alert("There is no hall with this code, or it was closed.")
        st.query_params.pop(CODE, None)  # what runs the page again does not try it again
        _ask_for_code()


def _enter(code: str, browser: str) -> str:
    """The name of a browser in a hall that it may come into; "" where there is no such hall."""
    if not code:
        return ""
    came_from = origin(str(st.context.ip_address or ""))
    return halls().enter(code, browser, st.query_params.get(TICKET, ""), came_from)


@st.fragment(run_every=PAUSE)
def _try_again(why: str, since: float) -> None:
    html.alert(f"{why} This page tries again by itself.")
    if time.monotonic() - since > PAUSE / 2:
        st.rerun()


def _ask_for_code() -> None:
    html.caption(
        "Here the audience of a talk answers its questions, each on a phone of their own. Whoever "
        "gives the talk opens a hall at a stop of the tour, in presenter mode."
    )
    letters = st.text_input("The four letters on the screen", max_chars=4, key="code").strip()
    if st.button("Enter", type="primary", key="enter"):
        if letters:
            st.query_params[CODE] = letters.upper()
            st.rerun()
        html.alert("Type the four letters that are on the screen.")


@st.fragment(run_every=EVERY)
def _question(code: str, browser: str) -> None:
    with errors_shown(stop=False):
        hall = halls()
        if (state := hall.state(code)) is None:
            st.query_params.pop(CODE, None)  # a reload tries no code that is no more
            html.verdict("The hall is closed. Thank you!")
            for sentence in now().score:
                html.sentence(sentence)
            return
        phone = _enter(code, browser)
        truths = hall.truths(code)
        answers = hall.of_phone(code, phone)
        score = tuple(_score(truths, answers))
        change(score=score)
        after = [_after(code, state, truths, answers), *score]
        data = {
            "notice": f"{NOTICES}/{hall.notice(code)}",
            "state": state,
            "said": [f"{stop}-{round_}" for stop, round_ in answers],
            "look": html.written(Sentence("verdict", LOOK, {})),
            "after": "".join(html.written(one) for one in after),
        }

        def take_answer() -> None:
            with errors_shown(stop=False):
                _vote(hall, code, phone, st.session_state[COMPONENT]["said"])

        box = '<div class="bx bx-phone"></div>'
        # That the page runs is all there is to do when the hall has moved on.
        events = {"on_said_change": take_answer, "on_moved_change": lambda: None}
        html.component("phone", COMPONENT, box, data, **events)


def _vote(hall: Halls, code: str, phone: str, message: object) -> None:
    """Take what a phone sends: a stop, a round and an answer; anything else is dropped."""
    state = hall.state(code)
    if state is None or not state.stop:
        return
    match message:
        case [int(stop), int(round_), str(answer)]:
            if is_allowed(answer, [one for one in state.options.split("_") if one]):
                hall.vote(code, phone, stop, round_, answer)


def _after(
    code: str, state: HallState, truths: dict[int, str], answers: dict[tuple[int, int], str]
) -> Sentence:
    """What there is to do after an answer: look at the screen."""
    if not state.stop:
        come = "You are in hall <b>{code}</b>. The first question comes soon."
        return Sentence("verdict", come, {"code": code})
    answer = answers.get((state.stop, state.round))
    truth = truths.get(state.stop)
    if answer is None:
        return Sentence("verdict", LOOK, {})
    if truth is None or (state.stage == "nothing" and state.round == 1):
        return Sentence("verdict", f"Thank you. {LOOK}", {})
    judgement = "right" if is_right(answer, truth) else "not right"
    if is_number(truth) and is_number(answer):
        template = f"You said {{answer:.0%}}, it is {{truth:.0%}}: <b>{{judgement}}</b>. {LOOK}"
        values = {"answer": float(answer), "truth": float(truth), "judgement": judgement}
        return Sentence("verdict", template, values)
    template = f"Your answer was <b>{{judgement}}</b>. {LOOK}"
    return Sentence("verdict", template, {"judgement": judgement})


def _score(truths: dict[int, str], answers: dict[tuple[int, int], str]) -> Iterator[Sentence]:
    """How many answers were right in each round, of those whose truth was told."""
    for round_, when in ((1, "Before"), (2, "After")):
        right = [
            is_right(answer, truths[stop])
            for (stop, at), answer in answers.items()
            if at == round_ and stop in truths
        ]
        if right:
            template = "{when} seeing the picture you were right <b>{right}</b> of {count} times."
            values = {"when": when, "right": sum(right), "count": len(right)}
            yield Sentence("caption", template, values)
