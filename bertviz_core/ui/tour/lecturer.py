"""A hall on the projector: its QR code, how many have answered, the answers, what was learned.

The lecturer has a key, "CODE.key". Only the address of the projector has it; Share and the QR code
leave it out. "Open a hall" opens the store, and nothing before does.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from bertviz_core.figures.bars import TENS, by_tens, choice_bars
from bertviz_core.hall import is_right
from bertviz_core.hall.rates import MAX_JOINS, origin
from bertviz_core.hall.store import Halls, HallState, Lecture, Rule
from bertviz_core.ui import html, links, state
from bertviz_core.ui.draw import draw, errors_shown
from bertviz_core.ui.tour.phone import PAGE, halls
from bertviz_core.ui.tour.stops import STOPS, TRUE_OR_FALSE
from bertviz_core.views.parts import Picture
from bertviz_core.views.view import View, note, say, table

EVERY = 2.0  # seconds between two looks at who is here
CROWD = 20  # phones of one address within a minute, of which the lecturer reads


def before(number: int, question: str, options: Sequence[str]) -> None:
    """Ask the phones a stop's question, and show how to come in, until its view is seen."""
    with errors_shown(stop=False):
        if (lecture := _lecture()) is None:
            st.button("Open a hall", key="hall-open", icon=":material/groups:", on_click=_open)
            return
        if _ask(lecture, number, question, options) is None:
            return
        if options and question != TRUE_OR_FALSE:
            html.claim(" · ".join(options))  # as on the phones
        columns = st.columns([3, 4], vertical_alignment="center")
        with columns[1]:
            url = links.for_phones()
            _counts(lecture, number)
        with columns[0]:
            links.way_into_hall(url, PAGE, lecture.code, halls().ticket(lecture.code))


def after(number: int, question: str, options: Sequence[str], *, truth: str) -> None:
    """Once the view of a stop is seen, offer to ask again and to show both rounds."""
    with errors_shown(stop=False):
        lecture = _lecture()
        if lecture is None or (hall_state := _ask(lecture, number, question, options)) is None:
            return
        hall = halls()
        if number not in hall.truths(lecture.code):  # its view has just come into sight
            hall.tell(lecture, number, truth)
            hall.ask(lecture, hall_state._replace(stage="truth"))
        _counts(lecture, number)
        if number == len(STOPS) and st.button("What was learned", key="hall-learned"):
            _show_learned(hall, lecture.code)


def _lecture() -> Lecture | None:
    code, _, key = state.now().lecture.partition(".")
    return Lecture(code, key) if code and key else None


def _open() -> None:
    with errors_shown(stop=False):
        lecture = halls().open(origin(str(st.context.ip_address or "")))
        state.change(lecture=".".join(lecture))
        st.query_params[state.LECTURE] = ".".join(lecture)


def _ask(lecture: Lecture, number: int, question: str, options: Sequence[str]) -> HallState | None:
    """Ask a stop's question, if it is not asked yet. The hall's state, or None if it is closed."""
    hall = halls()
    hall_state = hall.state(lecture.code)
    if hall_state is None or not hall.owns(lecture):
        html.note("The hall is closed.")
        _leave()
        return None
    with st.sidebar:  # apart from the buttons of a talk, where a second click may land
        if st.button("Close the hall", key="hall-close", type="tertiary"):
            _ask_to_close(lecture)
    if hall_state.stop != number:
        claim = f"{number}. {STOPS[number - 1].claim}"
        hall_state = HallState(number, claim=claim, question=question, options="_".join(options))
        hall.ask(lecture, hall_state)
    return hall_state


@st.dialog("Close the hall?")
def _ask_to_close(lecture: Lecture) -> None:
    html.note(
        "All answers are deleted, which cannot be undone. Save <i>What was learned</i> first."
    )
    if st.button("Yes, close it", key="hall-close-now", type="primary"):
        with errors_shown(stop=False):
            halls().close(lecture)
        _leave()
        st.rerun()


def _leave() -> None:
    state.change(lecture="")
    st.query_params.pop(state.LECTURE, None)


@st.fragment(run_every=EVERY)
def _counts(lecture: Lecture, number: int) -> None:
    """Show how many are here and have answered, and the answers once they are asked for."""
    with errors_shown(stop=False):
        hall = halls()
        hall_state = hall.state(lecture.code)
        if hall_state is None:
            st.rerun()
        if hall_state.stop != number:
            return
        answers = hall.answers(lecture.code, number, hall_state.round)
        has_truth = number in hall.truths(lecture.code)
        with st.container(horizontal=True, vertical_alignment="center", key="hall-line"):
            html.caption(
                "Hall <b>{code}</b>: <b>{here}</b> here, <b>{answered}</b> have answered{again}.",
                again="" if hall_state.round == 1 else " again",
                code=lecture.code,
                here=hall.present(lecture.code),
                answered=answers.total(),
            )  # fmt: skip
            for label, step in _steps(hall_state, has_truth).items():
                key = f"hall-{step.round}-{step.stage}"
                st.button(label, key=key, on_click=_do, args=(hall.ask, lecture, step))
        _door(lecture, hall)
        if hall_state.stage == "answers":
            with st.container(key=f"part-hall-{'truth' if has_truth else 'answers'}"):
                draw(View(_picture(hall, lecture.code, hall_state, answers)))


def _do(
    change: Callable[[Lecture, Any], object], lecture: Lecture, value: HallState | Rule
) -> None:
    """What a button does to the hall."""
    with errors_shown(stop=False):
        change(lecture, value)


def _steps(hall_state: HallState, has_truth: bool) -> dict[str, HallState]:
    """The buttons of the lecturer, each with the state that it leads to."""
    steps = {}
    if hall_state.stage != "answers":
        label = "Show the answers" if hall_state.round == 1 else "Before and after"
        steps[label] = hall_state._replace(stage="answers")
    elif has_truth:
        steps["Hide the answers"] = hall_state._replace(stage="truth")
    if has_truth and hall_state.round == 1:
        steps["Ask again"] = hall_state._replace(round=2, stage="nothing")
    return steps


def _door(lecture: Lecture, hall: Halls) -> None:
    """Say how many came from one address, if they are many; offer to let all in, or nobody."""
    joined, rule = hall.crowd(lecture.code)
    if joined < CROWD and rule != "locked":
        return
    rules: dict[str, Rule] = {"Lock the hall": "locked"}
    sentence = "<b>{joined}</b> joined from one address within a minute."
    if rule == "locked":
        sentence = "The hall is locked: nobody else can come in, and nobody is sent out."
        rules = {"Unlock the hall": ""}
    elif joined >= MAX_JOINS and not rule:
        sentence = "<b>{joined}</b> joined from one address within a minute, further ones wait."
        rules["Let all in"] = "all"
    with st.container(horizontal=True, vertical_alignment="center", key="hall-door"):
        html.caption(sentence, joined=joined)
        for label, new_rule in rules.items():
            key = f"hall-door-{new_rule or 'open'}"
            st.button(label, key=key, on_click=_do, args=(hall.set_rule, lecture, new_rule))


def _picture(hall: Halls, code: str, hall_state: HallState, answers: Counter[str]) -> Picture:
    """The answers as bars: of the first round, then of both; ✓ marks the right one once told."""
    first = hall.answers(code, hall_state.stop, 1)
    second = answers if hall_state.round == 2 else None
    truth = hall.truths(code).get(hall_state.stop, "")
    options = {one: one for one in hall_state.options.split("_") if one}
    if not options:  # numbers
        options = TENS
        first = by_tens(first)
        second = second and by_tens(second)
        truth = "".join(by_tens(Counter([truth] if truth else [])))
    labels = {one: f"✓ {label}" if one == truth else label for one, label in options.items()}
    figure = choice_bars(labels, first, second)
    alt = f"Answers of {first.total()} phones to: {hall_state.claim}"
    return Picture(figure, alt=alt, name="votes", typed=False)


@st.dialog("What was learned", width="large")
def _show_learned(hall: Halls, code: str) -> None:
    draw(what_was_learned(hall.truths(code), hall.before_and_after(code)))


def what_was_learned(
    truths: Mapping[int, str], answered_twice: Mapping[int, Sequence[tuple[str, str]]]
) -> View:
    """Of the phones that answered a stop twice, how many were right before its view and after."""
    rows = []
    for stop in sorted(truths.keys() & answered_twice):
        pairs = answered_twice[stop]
        both = zip(*pairs, strict=True)
        right = (sum(is_right(answer, truths[stop]) for answer in answers) for answers in both)
        rows.append((stop, STOPS[stop - 1].claim, len(pairs), *right))
    if not rows:
        return View(note("No phone has answered a question twice."))
    titles = ("stop", "claim", "phones", "right before", "right after")
    columns = dict(zip(titles, zip(*rows, strict=True), strict=True))
    answered, before, after = (sum(columns[title]) for title in titles[2:])
    return View(
        say(
            "<b>{before}</b> of {answered} answers were right before a view was shown, "
            "<b>{after}</b> after it.",
            method="what-was-learned",
            before=before,
            answered=answered,
            after=after,
        ),
        table(columns, name="learned", presented=True),
    )
