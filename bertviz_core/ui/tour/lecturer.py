"""A hall on the projector: its QR code, how many have answered, the answers, what was learned.

The lecturer has a key, "CODE.key". Only the address of the projector has it; Share and the QR code
leave it out. "Open a hall" opens the store, and nothing before does.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.figures.bars import TENS, by_tens, choice_bars
from bertviz_core.hall.guesses import Gain, is_right, normalised_gain
from bertviz_core.hall.rates import MAX_JOINS, origin
from bertviz_core.hall.store import Halls, Lecture, Rule, State
from bertviz_core.ui import html, links, state
from bertviz_core.ui.draw import draw, errors_shown
from bertviz_core.ui.tour.phone import PAGE, halls
from bertviz_core.ui.tour.stops import STOPS, TRUE_OR_FALSE
from bertviz_core.views.parts import say, table
from bertviz_core.views.view import Picture, View

EVERY = 2.0  # seconds between two looks at who is here
CROWD = 20  # phones of one address within a minute, of which the lecturer reads


def before(number: int, question: str, options: Sequence[str]) -> None:
    """Ask the phones a stop's question, and show how to come in, until its view is seen."""
    with errors_shown(stop=False):
        if (begun := _lecture()) is None:
            st.button("Open a hall", key="hall-open", icon=":material/groups:", on_click=_open)
            return
        if _ask(begun, number, question, options) is None:
            return
        if options and question != TRUE_OR_FALSE:
            html.claim(" · ".join(options))  # as on the phones
        columns = st.columns([3, 4], vertical_alignment="center")
        with columns[0]:
            links.way_into_hall(PAGE, begun.code, halls().ticket(begun.code))
        with columns[1]:
            _counted(begun, number)


def after(number: int, question: str, options: Sequence[str], *, truth: str) -> None:
    """Once the view of a stop is seen, offer to ask again and to show both rounds."""
    with errors_shown(stop=False):
        if (begun := _lecture()) is None:
            return
        hall, now = halls(), _ask(begun, number, question, options)
        if now is None:
            return
        if number not in hall.truths(begun.code):  # its view has just come into sight
            hall.tell(begun, number, truth)
            hall.ask(begun, now._replace(shown="truth"))
        _counted(begun, number)
        if number == len(STOPS) and st.button("What was learned", key="hall-learned"):
            _show_gains(gains(hall, begun.code))


def _lecture() -> Lecture | None:
    """The hall of this projector."""
    code, _, key = state.now().lecture.partition(".")
    return Lecture(code, key) if code and key else None


def _open() -> None:
    with errors_shown(stop=False):
        begun = halls().open(origin(str(st.context.ip_address or "")))
        state.change(lecture=".".join(begun))
        st.query_params[state.LECTURE] = ".".join(begun)


def _ask(begun: Lecture, number: int, question: str, options: Sequence[str]) -> State | None:
    """Ask a stop's question, if it is not asked yet. The hall's state, or None if it is closed."""
    hall, now = halls(), halls().state(begun.code)
    if now is None or not hall.owns(begun):
        html.note("The hall is closed.")
        _leave()
        return None
    with st.sidebar:  # apart from the buttons of a talk, where a second click may land
        if st.button("Close the hall", key="hall-close", type="tertiary"):
            _ask_to_close(begun)
    if now.stop != number:
        claim = f"{number}. {STOPS[number - 1].claim}"
        now = State(number, claim=claim, question=question, options="_".join(options))
        hall.ask(begun, now)
    return now


@st.dialog("Close the hall?")
def _ask_to_close(begun: Lecture) -> None:
    html.note(
        "All answers are deleted, which cannot be undone. Save <i>What was learned</i> first."
    )
    if st.button("Yes, close it", key="hall-close-now", type="primary"):
        with errors_shown(stop=False):
            halls().close(begun)
        _leave()
        st.rerun()


def _leave() -> None:
    state.change(lecture="")
    st.query_params.pop(state.LECTURE, None)


@st.fragment(run_every=EVERY)
def _counted(begun: Lecture, number: int) -> None:
    """Show how many are here and have answered, and the answers once they are asked for."""
    with errors_shown(stop=False):
        hall, now = halls(), halls().state(begun.code)
        if now is None:
            st.rerun()
        if now.stop != number:
            return
        answers = hall.answers(begun.code, number, now.round)
        is_told = number in hall.truths(begun.code)
        with st.container(horizontal=True, vertical_alignment="center", key="hall-line"):
            html.caption(
                "Hall <b>{code}</b>: <b>{here}</b> here, <b>{answered}</b> have answered{again}.",
                again="" if now.round == 1 else " again",
                code=begun.code,
                here=hall.present(begun.code),
                answered=answers.total(),
            )  # fmt: skip
            for label, state in _steps(now, is_told).items():
                key = f"hall-{state.round}-{state.shown}"
                st.button(label, key=key, on_click=_do, args=(hall.ask, begun, state))
        _door(begun, hall)
        if now.shown == "answers":
            with st.container(key=f"part-hall-{'truth' if is_told else 'answers'}"):
                draw(View(_picture(hall, begun.code, now, answers)))


def _do(change: Callable[[Lecture, Any], object], begun: Lecture, wanted: State | Rule) -> None:
    """What a button does to the hall."""
    with errors_shown(stop=False):
        change(begun, wanted)


def _steps(now: State, is_told: bool) -> dict[str, State]:
    """The buttons of the lecturer, each with the state that it leads to."""
    steps = {}
    if now.shown != "answers":
        label = "Show the answers" if now.round == 1 else "Before and after"
        steps[label] = now._replace(shown="answers")
    elif is_told:
        steps["Hide the answers"] = now._replace(shown="truth")
    if is_told and now.round == 1:
        steps["Ask again"] = now._replace(round=2, shown="nothing")
    return steps


def _door(begun: Lecture, hall: Halls) -> None:
    """Say how many came from one address, if they are many; offer to let all in, or nobody."""
    joined, rule = hall.crowd(begun.code)
    if joined < CROWD and rule != "locked":
        return
    choices: dict[str, Rule] = {"Lock the hall": "locked"}
    said = "<b>{joined}</b> joined from one address within a minute"
    if rule == "locked":
        said = "The hall is locked: nobody else can come in, and nobody is sent out"
        choices = {"Unlock the hall": ""}
    elif joined >= MAX_JOINS and not rule:
        said, choices["Let all in"] = f"{said}, further ones wait", "all"
    with st.container(horizontal=True, vertical_alignment="center", key="hall-door"):
        html.caption(f"{said}.", joined=joined)
        for label, wanted in choices.items():
            key = f"hall-door-{wanted or 'open'}"
            st.button(label, key=key, on_click=_do, args=(hall.set_rule, begun, wanted))


def _picture(hall: Halls, code: str, now: State, answers: Counter[str]) -> Picture:
    """The answers as bars: of the first round, then of both; ✓ marks the right one once told."""
    first = hall.answers(code, now.stop, 1)
    again = answers if now.round == 2 else None
    truth = hall.truths(code).get(now.stop, "")
    options = {one: one for one in now.options.split("_") if one}
    if not options:
        options, first, again = TENS, by_tens(first), again and by_tens(again)
        truth = "".join(by_tens(Counter([truth] if truth else [])))
    marked = {one: f"✓ {label}" if one == truth else label for one, label in options.items()}
    figure = choice_bars(marked, first, again)
    alt = f"Answers of {first.total()} phones to: {now.claim}"
    return Picture(figure, alt=alt, name="votes", typed=False)


def gains(hall: Halls, code: str) -> dict[int, Gain]:
    """What was learned, by stop, where the truth was told."""
    truths, answered_twice = hall.truths(code), hall.before_and_after(code)
    return {
        stop: normalised_gain(
            (is_right(before, truths[stop]), is_right(after, truths[stop]))
            for before, after in answered_twice[stop]
        )
        for stop in sorted(truths.keys() & answered_twice)
    }


@st.dialog("What was learned", width="large")
def _show_gains(found: Mapping[int, Gain]) -> None:
    if not found:
        html.note("No phone has answered a question twice.")
        return
    columns = dict(zip(Gain._fields, zip(*found.values(), strict=True), strict=True))
    said = say(
        "Before a view was shown <b>{before:.0%}</b> of the answers were right, after it "
        "<b>{after:.0%}</b> (mean of stops). Of {voters} pairs of answers, {learned} went from "
        "wrong to right, {lost} from right to wrong.",
        method="normalised-gain",
        **{name: sum(columns[name]) for name in ("voters", "learned", "lost")},
        **{name: np.mean(columns[name]) for name in ("before", "after")},
    )
    claims = {"stop": [*found], "claim": [STOPS[number - 1].claim for number in found]}
    draw(View(said, table(claims | columns, name="learned", decimals=2, presented=True)))
