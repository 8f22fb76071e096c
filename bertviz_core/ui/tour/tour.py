"""The guided tour: a stop in place of a page, with its verdict and picture; its start on Home.

The stop and the guesses are in the address, so that it can be loaded anew: `tour=2&guess1=false`.
Guesses are in the session as well: a visit to a page outside the tour drops them from the address.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertviz_core.bert import Bert
from bertviz_core.hall import is_number
from bertviz_core.process import APP_FOLDER
from bertviz_core.ui import html, state
from bertviz_core.ui.draw import draw, errors_shown
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.tour.stops import STOPS, Answer

STOP = "tour"  # in the address of a page: the stop that is shown in its place
NUMBERS = range(1, len(STOPS) + 1)
END = len(STOPS) + 1  # after the last stop: what was right
SHOWN = "shown"  # in place of a guess, where none was made
GUESS = "guess-number"  # key of the field for a number


def reached() -> int:
    """The stop that is shown, from 1, or `END`; 0 away from the tour."""
    text = st.query_params.get(STOP, "")
    return int(text) if text in map(str, (*NUMBERS, END)) else 0


def guesses() -> dict[int, str]:
    """What was guessed at each stop so far, or `SHOWN`; an address may hold anything."""
    return {number: guess for number, guess in state.now().guesses.items() if number in NUMBERS}


def go(number: int, guess: str = "") -> None:
    """A button's way to a stop, with a guess on its claim if there is one; the first one counts."""
    if guess:
        state.change(guesses={number: guess} | guesses())
    if number == reached():
        if kept := guesses().get(number):  # none at a second press of "Next"
            st.query_params[f"guess{number}"] = kept
        return
    visit = state.now()
    query = {f"guess{stop}": guess for stop, guess in sorted(guesses().items())}
    query |= {state.PRESENT: visit.look, state.LECTURE: visit.lecture, STOP: str(number)}
    stop = STOPS[min(number, len(STOPS)) - 1]
    page = next((APP_FOLDER / "pages").glob(f"*_{stop.page}.py"))
    st.switch_page(page, query_params={key: value for key, value in query.items() if value})


def stops() -> None:
    """Say on Home what the tour is, and offer its first stop and all others."""
    st.subheader("Guided tour", anchor=False)
    html.caption(
        f"{len(STOPS)} things people say about BERT's embeddings. Guess whether each is true; then "
        "the view that settles it opens, with the verdict for the model in use."
    )
    with _line("tour-stops"):
        st.button(
            "Start the tour", key="tour-start", icon=":material/tour:", on_click=go, args=(1,)
        )
        _other_stops()


def show(bert: Bert) -> None:
    """Show a stop: what to guess, or verdict and picture; after the last one, the end."""
    number = reached()
    if number == END:
        _end(bert)
        return
    stop = STOPS[number - 1]
    guess = guesses().get(number)
    answer = None
    with st.container(border=True, key="tour-bar"):
        html.claim(f"{number} of {len(STOPS)}: {stop.claim}")
        if guess is None:
            _ask(bert, number)
        else:
            answer = _verdict(bert, number, guess)
    with errors_shown():
        if answer is None or answer.holds is None:
            return
        with st.container(border=True, key="tour-frame"):
            draw(answer.framed())
        more = {stop.page.replace("_", " "): state.link(stop.page, **stop.inputs)}
        html.links("More of it", more)


def _in_hall() -> bool:
    """Whether the audience answers, by phone."""
    visit = state.now()
    return visit.presenting and visit.lecture != ""


def _ask(bert: Bert, number: int) -> None:
    """Ask what the visitor expects; in a hall the audience answers."""
    stop = STOPS[number - 1]
    in_hall = _in_hall()
    question, options = stop.prompt(stop.answer(bert) if stop.question else None)
    html.caption(stop.hint)
    html.caption(question)
    with _line("tour-now"):
        for option in () if in_hall else options:
            st.button(option, key=f"guess-{option}", on_click=go, args=(number, option))
        if not (options or in_hall):
            _ask_number(number)
        _ways(number, "Show the view" if in_hall else "Show me anyway", SHOWN)
    if state.now().presenting:
        from bertviz_core.ui.tour import lecturer  # not needed by those who are alone

        lecturer.before(number, question, options)


def _ask_number(number: int) -> None:
    """A field for a guess from 0 to 100."""

    def take() -> None:
        if (percent := st.session_state[GUESS]) is not None:
            go(number, f"{percent / 100:.2f}")

    st.number_input(
        "0 to 100", 0, 100, None, key=GUESS, placeholder="0 to 100", width=160,
        label_visibility="collapsed",
    )  # fmt: skip
    if st.button("That is my guess", key="guess-made", on_click=take):
        html.alert("Type a number from 0 to 100.")


def _verdict(bert: Bert, number: int, guess: str) -> Answer | None:
    """Say the verdict and why, and offer the next stop; nothing of that stop is shown yet."""
    stop = STOPS[number - 1]
    answer = None
    sentence = st.container()
    with _line("tour-on"):
        _ways(number + 1, "Next")
    st.empty()  # where the guesses were: they go before the model is waited for
    kept = "" if guess == SHOWN else "Your guess is kept. "
    with sentence, errors_shown(stop=False), waiting(f"{kept}Looking at the model …", height=40):
        answer = stop.answer(bert)
        _say_verdict(answer, guess)
    if answer and _in_hall():
        from bertviz_core.ui.tour import lecturer

        lecturer.after(number, *stop.prompt(answer), truth=answer.truth)
    return answer


def _line(key: str) -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", key=key)


def _ways(number: int, label: str, guess: str = "") -> None:
    """Offer the way on, the way back, and in a hall the way to any stop."""
    ways = [("next", label, (number, guess), "Right", "PageDown")]
    if (before := reached() - 1) in NUMBERS:
        ways.append(("previous", "Previous", (before, ""), "Left", "PageUp"))
    for way, name, to, key, clicker in ways:
        st.button(name, key=f"tour-{way}", on_click=go, args=to, shortcut=key)
        # A button has one key: that of a presenter's clicker is a hidden one's (style.css).
        st.button(name, key=f"tour-clicker-{way}", on_click=go, args=to, shortcut=clicker)
    if _in_hall():
        _other_stops(besides=reached())


def _other_stops(besides: int = 0) -> None:
    """Offer all stops but one: a talk shows some of them."""
    done = guesses()

    def name(number: int) -> str:
        return f"{number}. {'✓ ' if number in done else ''}{STOPS[number - 1].claim}"

    others = [other for other in NUMBERS if other != besides]
    st.menu_button(
        "Stops", others, key="tour-stop", format_func=name,
        on_click=lambda: go(st.session_state["tour-stop"]),
    )  # fmt: skip


def _say_verdict(answer: Answer, guess: str) -> None:
    """Say whether a guess was right, or how far off; and why."""
    right = answer.is_right(guess)
    judgement = "right" if right else "wrong"
    sentences = ["The claim is <b>{truth}</b>."]
    if right is not None:
        sentences.insert(0, "You said <b>{guess}</b>: <b>{judgement}</b>.")
        if {guess, answer.verdict} <= {"true", "false"}:  # the second says no more
            del sentences[1]
        elif is_number(guess):
            off = abs(float(guess) - float(answer.truth))
            judgement = f"{100 * off:.0f} points off"
            guess = f"{float(guess):.0%}"
    on_base = answer.stop.on_base and f"On bert-base-uncased: {answer.stop.on_base}."
    html.verdict(
        f'<span class="bx-answer">{" ".join(sentences)}</span> {answer.why.template} '
        f"<small>{on_base}</small>",
        **answer.why.values,
        guess=guess,
        judgement=judgement,
        truth=answer.verdict,
    )


def _end(bert: Bert) -> None:
    """What was right, and what there was to learn, of the stops that were seen."""
    with st.container(border=True, key="tour-bar"):
        html.claim("What was right, and what there was to learn")
        with errors_shown(stop=False), waiting("Counting …", height=40):
            _score(bert)
        with _line("tour-on"):
            st.button("Back to Home", key="tour-next", on_click=st.switch_page, args=("app.py",))


def _score(bert: Bert) -> None:
    """Count the right guesses, and say of every stop what is true; of a wrong guess also why."""
    by_stop = guesses() or dict.fromkeys(NUMBERS, SHOWN)
    answers = {number: STOPS[number - 1].answer(bert) for number in sorted(by_stop)}
    is_right = {number: answer.is_right(by_stop[number]) for number, answer in answers.items()}
    judgements = [right for right in is_right.values() if right is not None]
    wrong = [number for number, right in is_right.items() if right is False]
    count = "You made no guess. What the stops show:"
    if judgements:
        count = "<b>{right}</b> of <b>{guessed}</b> guesses right."
    if wrong:
        count += " New to you: <b>{wrong}</b>."
    html.verdict(
        count,
        right=judgements.count(True),
        guessed=len(judgements),
        wrong=", ".join(map(str, wrong)),
    )
    for number, answer in answers.items():
        why = f" <small>{answer.why.template}</small>" if number in wrong else ""
        html.verdict(
            "{mark} {number}. {claim} It is <b>{truth}</b>." + why,
            **answer.why.values,
            mark={True: "✓", False: "✗", None: "–"}[is_right[number]],
            number=number,
            claim=answer.stop.claim,
            truth=answer.verdict,
        )
