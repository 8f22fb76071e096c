"""A hall on the projector: how to come in, who has answered, what was answered, what was learned.

The lecturer is known by a key in the address of the projector alone, "CODE.key", which Share and
the QR code leave out. The store is opened by "Open a hall", and not before.
"""

import time
from collections import Counter
from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from bertviz_core.figures.votes import TENS, by_tens, choice_bars
from bertviz_core.hall.gain import MIN_VOTERS, Gain, normalised_gain
from bertviz_core.hall.rates import MAX_JOINS, origin
from bertviz_core.hall.store import UNDO, Halls, Lecture, Rule, State
from bertviz_core.ui import html, links, slots
from bertviz_core.ui.draw import draw
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.tour.guess import CHOICES, right
from bertviz_core.ui.tour.halls import PAGE, halls
from bertviz_core.ui.tour.progress import LECTURE
from bertviz_core.ui.tour.stops import STOPS
from bertviz_core.views.parts import say, table
from bertviz_core.views.view import Picture, View

EVERY = 2.0  # seconds between two looks at who is here
_CLOSED = "_hall_closed"  # in the session: the hall closed last, its question, and when
CROWD = 20  # phones of one address within a minute, of which the lecturer reads


def lecture() -> Lecture | None:
    """The hall of this projector."""
    kept = st.query_params.get(LECTURE) or st.session_state.get(LECTURE, "")
    code, _, key = str(kept).partition(".")
    return Lecture(code, key) if code and key else None


def offer() -> None:
    """One button that opens a hall."""
    st.button("Open a hall", key="hall-open", icon=":material/groups:", on_click=_open)


def _open() -> None:
    with errors_shown(stop=False):
        _lead(halls().open(origin(str(st.context.ip_address or ""))))


def _lead(begun: Lecture) -> None:
    st.session_state[LECTURE] = st.query_params[LECTURE] = ".".join(begun)


@st.dialog("Close the hall?")
def _ask_to_close(begun: Lecture) -> None:
    html.note(
        "The phones keep their scores. All answers are deleted in a minute; until then this can be "
        "undone. Save <i>What was learned</i> first."
    )
    if st.button("Yes, close it", key="hall-close-now", type="primary"):
        with errors_shown(stop=False):
            if now := halls().state(begun.code):
                halls().ask(begun, now._replace(shown="closed"))
                st.session_state[_CLOSED] = begun, now, time.monotonic()
        _leave()
        st.rerun()


def _leave() -> None:
    st.session_state.pop(LECTURE, None)
    st.query_params.pop(LECTURE, None)


def undo() -> None:
    """Offer to open the hall that was closed last, while it can be; then forget it."""
    if _CLOSED in st.session_state:
        _offer_undo(*st.session_state[_CLOSED])


@st.fragment(run_every=EVERY)
def _offer_undo(begun: Lecture, now: State, closed: float) -> None:
    with errors_shown(stop=False):
        if time.monotonic() - closed > UNDO:
            halls().close(begun)
            st.session_state.pop(_CLOSED, None)
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center", key="hall-closed"):
            html.caption("Hall <b>{code}</b> is closed.", code=begun.code)
            if st.button("Undo", key="hall-undo") and halls().ask(begun, now):
                del st.session_state[_CLOSED]
                _lead(begun)
                st.rerun()


def before(begun: Lecture, number: int, words: list[str]) -> None:
    """Ask the phones a stop's question, and show how to come in, until its view is seen."""
    with errors_shown(stop=False):
        if _asked(begun, State(number, 1, "nothing", "_".join(words))) is None:
            return
        asked = STOPS[number - 1].question
        text = [asked.text] if asked and (asked.line or words) else []
        html.claim(" · ".join([*text, *(words or ([] if text else CHOICES.values()))]))
        columns = st.columns([3, 4], vertical_alignment="center")
        with columns[0]:
            links.way_into_hall(PAGE, begun.code, halls().ticket(begun.code))
        with columns[1]:
            _counted(begun, number)


def after(begun: Lecture, number: int, truth: str, last: bool) -> None:
    """Once the view of a stop is seen: ask again, and show both rounds side by side."""
    with errors_shown(stop=False):
        hall, now = halls(), _asked(begun, State(number, 1))
        if now is None:
            return
        if number not in hall.truths(begun.code):  # its view has just come into sight
            hall.tell(begun, number, truth)
            hall.ask(begun, now._replace(shown="truth"))
        _counted(begun, number)
        if last and st.button("What was learned", key="hall-learned"):
            _learned(hall, begun)


def _asked(begun: Lecture, wanted: State) -> State | None:
    """What the hall is asked, at the stop that is wanted; None where it is closed."""
    hall, now = halls(), halls().state(begun.code)
    if now is None or now.shown == "closed" or not hall.owns(begun):
        html.note("The hall is closed.")
        _leave()
        return None
    with st.sidebar:  # apart from the buttons of a talk, where a second click may land
        if st.button("Close the hall", key="hall-close", type="tertiary"):
            _ask_to_close(begun)
    if now.question == wanted.question:
        return now
    hall.ask(begun, wanted)
    return wanted


@st.fragment(run_every=EVERY)
def _counted(begun: Lecture, number: int) -> None:
    """How many are here and have answered; and once it is asked for, what."""
    with errors_shown(stop=False):
        hall, now = halls(), halls().state(begun.code)
        if now is None or now.shown == "closed":
            st.rerun()
        if now.question != number:
            return
        answers = hall.answers(begun.code, number, now.round)
        with st.container(horizontal=True, vertical_alignment="center", key="hall-line"):
            html.caption(
                "Hall <b>{code}</b>: <b>{here}</b> here, <b>{answered}</b> have answered"
                + " again" * (now.round == 2) + ".",
                code=begun.code,
                here=hall.present(begun.code),
                answered=answers.total(),
            )  # fmt: skip
            told = number in hall.truths(begun.code)
            for label, state in _steps(now, told).items():
                move = partial(_move, begun, state)
                st.button(label, key=f"hall-{state.round}-{state.shown}", on_click=move)
        _door(begun, hall)
        if now.shown == "answers":
            with slots.part("hall-truth" if told else "hall-answers"):
                draw(View(_picture(hall, begun.code, now, answers)))


def _door(begun: Lecture, hall: Halls) -> None:
    """Who came from one address, where they are many; the lecturer lets all in, or nobody."""
    joined, seconds, rule = hall.crowd(begun.code)
    if joined < CROWD and rule != "locked":
        return
    said, choices = "<b>{joined}</b> joined in {seconds:.0f} s from one address", dict[str, Rule]()
    if rule == "locked":
        said = "The hall is locked: nobody else can come in, and nobody is sent out"
        choices = {"Unlock the hall": ""}
    else:
        choices["Lock the hall"] = "locked"
        if joined >= MAX_JOINS and not rule:
            said, choices["Let all in"] = f"{said}, further ones wait", "all"
    with st.container(horizontal=True, vertical_alignment="center", key="hall-door"):
        html.caption(f"{said}.", joined=joined, seconds=seconds)
        for label, wanted in choices.items():
            rule_it = partial(_rule, begun, wanted)
            st.button(label, key=f"hall-door-{wanted or 'open'}", on_click=rule_it)


def _rule(begun: Lecture, rule: Rule) -> None:
    with errors_shown(stop=False):
        halls().rule(begun, rule)


def _steps(now: State, told: bool) -> dict[str, State]:
    """Where the lecturer may lead the hall from here, by what the button says."""
    steps = {}
    if now.shown != "answers":
        label = "Show the answers" if now.round == 1 else "Before and after"
        steps[label] = now._replace(shown="answers")
    elif told:
        steps["Hide the answers"] = now._replace(shown="truth")
    if told and now.round == 1:
        steps["Ask again"] = now._replace(round=2, shown="nothing")
    return steps


def _move(begun: Lecture, state: State) -> None:
    with errors_shown(stop=False):
        halls().ask(begun, state)


def _picture(hall: Halls, code: str, now: State, answers: Counter[str]) -> Picture:
    """What was answered: first alone; with the truth once it is told; both rounds side by side."""
    stop, first = STOPS[now.question - 1], hall.answers(code, now.question, 1)
    again = answers if now.round == 2 else None
    truth = hall.truths(code).get(now.question, "")
    options = {word: word for word in now.words.split("_") if word} or CHOICES
    if stop.question and stop.question.line:
        options, first, again = TENS, by_tens(first), again and by_tens(again)
        truth = "".join(by_tens(Counter([truth] if truth else [])))
    marked = {one: f"✓ {label}" if one == truth else label for one, label in options.items()}
    figure = choice_bars(marked, first, again)
    alt = f"Answers of {first.total()} phones to: {stop.claim}"
    return Picture(figure, alt=alt, name="votes", typed=False)


def gains(hall: Halls, code: str) -> dict[int, Gain]:
    """What was learned at each stop whose truth was told."""
    truths = hall.truths(code)
    return {
        number: normalised_gain(
            *(np.array([right(given, truths[number]) for given in round_], bool)
              for round_ in zip(*pairs, strict=True))
        )
        for number, pairs in hall.before_and_after(code).items()
        if number in truths
    }  # fmt: skip


@st.dialog("What was learned", width="large")
def _learned(hall: Halls, begun: Lecture) -> None:
    found: Mapping[int, Gain] = gains(hall, begun.code)
    if not found:
        html.note("No phone has answered a question twice.")
        return
    columns = {
        "stop": list(found),
        "claim": [STOPS[number - 1].claim for number in found],
        **{
            name: [None if np.isnan(one := getattr(gain, name)) else one for gain in found.values()]
            for name in Gain._fields
        },
    }
    said = say(
        "Before a view was shown <b>{before:.0%}</b> of the answers were right, after it "
        "<b>{after:.0%}</b> (mean of stops). Of {voters} pairs of answers, {learned} went from "
        "wrong to right, {lost} from right to wrong. An interval needs {least} phones.",
        method="normalised-gain",
        least=MIN_VOTERS,
        **{
            name: sum(getattr(gain, name) for gain in found.values())
            for name in ("voters", "learned", "lost")
        },
        before=np.mean([gain.before for gain in found.values()]),
        after=np.mean([gain.after for gain in found.values()]),
    )
    draw(View(said, table(columns, name="learned", decimals=2, presented=True)))
