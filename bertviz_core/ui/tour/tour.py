"""The guided tour: its bar on the view that settles a claim, and its stops on Home."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.claims import Claim, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import once, shared_encoder
from bertviz_core.ui import calibrations, html
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.present import presenting
from bertviz_core.ui.tour import guess as guessing
from bertviz_core.ui.tour.progress import LECTURE, NUMBERS, go, go_home, guesses, reached
from bertviz_core.ui.tour.stops import GUESSES, SHOWN, STOPS
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

SAY = {True: "true", False: "false", None: "not that simple here"}


def stops() -> None:
    """Say on Home what the tour is, and offer its first stop and all others."""
    st.subheader("Guided tour", anchor=False)
    html.quiet(
        f"{len(STOPS)} things people say about BERT's embeddings. Guess whether each is true; then "
        "the view that settles it opens, with the verdict for the model in use."
    )
    with _line("tour-stops"):
        icon = ":material/tour:"
        st.button("Start the tour", key="tour-start", icon=icon, on_click=go, args=(1,))
        _other_stops()


def bar(bert: Bert) -> bool:
    """Show a stop's claim, and the guess or the verdict; whether its view may be seen."""
    number = reached()
    stop, guess = STOPS[number - 1], guesses().get(number)
    with _line("tour-now"):
        html.claim(f"{number}. {stop.claim}")
        if guess is None and _in_hall():
            _ask(number, "Show the view", SHOWN)
        elif guess is None:
            _predict(bert, number)
            _ask(number, "Show me anyway", SHOWN)
        else:
            with errors_shown(stop=False), waiting("Looking at the model …", height=40):
                _say_verdict(number, guess, _judged(bert, stop.settled))
    if guess is None:
        _hall(bert, number, seen=False)
        return False
    if number == len(STOPS) and not _in_hall():
        with errors_shown(stop=False), waiting("Counting …", height=40):
            _score(bert)
    with _line("tour-on"):
        if number < len(STOPS):
            if not _in_hall():  # where the audience is to wait for it
                html.quiet(f"Next: {number + 1}. {STOPS[number].claim}")
            _ask(number + 1, "Next →")
        else:
            st.button("Back to Home", key="tour-next", on_click=go_home)
            if _in_hall():
                _other_stops()
        html.targets(stop.targets, stop=number)
    _hall(bert, number, seen=True)
    return True


def _in_hall() -> bool:
    """Whether the audience answers, by phone."""
    return presenting() and LECTURE in {*st.query_params, *st.session_state}


def _hall(bert: Bert, number: int, *, seen: bool) -> None:
    """Presenting, the phones of the audience: who is here, and what they answer."""
    if not presenting():
        return
    from bertviz_core.ui.tour import lecturer  # not needed by those who are alone

    begun, stop = lecturer.lecture(), STOPS[number - 1]
    if begun is None:
        lecturer.undo()
        if not seen:  # below the bar of a view that is seen, every line is its own
            lecturer.offer()
    elif seen:
        truth = guessing.truth_of(stop, _judged(bert, stop.settled))
        lecturer.after(begun, number, truth, last=number == len(STOPS))
    else:
        lecturer.before(begun, number, _words(bert, number))


def _line(key: str) -> "DeltaGenerator":
    return st.container(horizontal=True, vertical_alignment="center", key=key)


def _ask(number: int, skip: str, said: str = "") -> None:
    """Offer the guesses on a stop's claim, a way to its view without one, and the way back."""
    if number not in guesses() and not STOPS[number - 1].question and not _in_hall():
        _true_or_false(number)
    st.button(skip, key="tour-next", on_click=go, args=(number, said))
    if (before := reached() - 1) in NUMBERS:
        st.button("←", key="tour-previous", help="Previous stop", on_click=go, args=(before,))
    if _in_hall():
        _other_stops()


def _other_stops() -> None:
    """A way to any stop: a talk shows some of them."""
    others = [other for other in NUMBERS if other != reached()]
    st.menu_button("Stops", others, key="tour-stop", format_func=_named, on_click=_go_to)


def _named(number: int) -> str:
    return f"{number}. {'✓ ' * (number in guesses())}{STOPS[number - 1].claim}"


def _go_to() -> None:
    go(st.session_state["tour-stop"])


def _true_or_false(number: int) -> None:
    for guess in GUESSES:
        st.button(guess, key=f"guess-{guess}", on_click=go, args=(number, guess))


def _predict(bert: Bert, number: int) -> None:
    """Ask what a visitor expects: true or false, or what the stop asks, where the model has it."""
    asked, words = STOPS[number - 1].question, _words(bert, number)
    if asked and (asked.line or words):
        html.quiet(asked.text)
        guessing.ask(asked, words, partial(go, number))
        return
    html.quiet("Guess first: true or false?")
    if asked:
        _true_or_false(number)


def _words(bert: Bert, number: int) -> list[str]:
    """The words to choose from at a stop; or none."""
    stop = STOPS[number - 1]
    if stop.question is None or stop.question.line:
        return []
    return guessing.words(stop.question, _judged(bert, stop.settled))


def _say_verdict(number: int, guess: str, found: Verdict) -> None:
    """Whether a guess was right, or how far off, in one line; and below it, folded, why."""
    stop = STOPS[number - 1]
    truth, made = SAY[stop.truth(found)], guessing.compared(stop.question, guess, found)
    given = made.values if made else {"guess": guess}
    judgement = "You said <b>{guess}</b>: " * (guess in GUESSES)
    if made and stop.question:
        judgement = f"{made.said}. The claim is <b>{{truth}}</b>"
        if made.beside:
            html.beside_chart(stop.question.on, {"layout": made.beside})
    elif guess not in GUESSES or stop.truth(found) is None:
        judgement += "it is <b>{truth}</b>"
    else:
        judgement += "<b>right</b>" if guess == truth else "<b>wrong</b>"
    html.verdict(
        f'<details class="bx-answer"><summary>{judgement}{stop.about}.</summary>'
        f"{stop.settled.template(found)} {stop.settled.typical} Look for: {{look}}</details>",
        truth=truth,
        look=stop.look,
        **given,
        **found.numbers,
    )


def _score(bert: Bert) -> None:
    """How many guesses were right, which were wrong, how far off each number was.

    What is not that simple does not count.
    """
    right, wrong, numbers = 0, [], []
    for number, guess in sorted(guesses().items()):
        stop = STOPS[number - 1]
        found = _judged(bert, stop.settled)
        truth, made = stop.truth(found), guessing.compared(stop.question, guess, found)
        if made and guessing.is_number(guess):
            numbers.append(f"{number}: {made.off}")
        elif made or (guess in GUESSES and truth is not None):
            is_right = made.is_right if made else guess == SAY[truth]
            right += is_right
            wrong += [] if is_right else [f"{number}"]
    html.verdict(
        "Your score: <b>{right}</b> of <b>{guessed}</b> guesses right."
        + " Wrong: {wrong}." * bool(wrong)
        + " Your numbers: <b>{numbers}</b>." * bool(numbers),
        right=right,
        guessed=right + len(wrong),
        wrong=", ".join(wrong),
        numbers="; ".join(numbers),
    )


def _judged(bert: Bert, claim: Claim) -> Verdict:
    """Whether a claim holds for a model, which is loaded or measured for it if it must be."""
    if claim.needs == "tables":
        return _of_tables(bert, claim)
    if claim.needs == "calibration":
        return claim.condition(calibrations.measured(bert))
    return _of_layers(shared_encoder(bert), claim)


@once
def _of_tables(bert: Bert, claim: Claim) -> Verdict:
    return claim.condition(bert)


@once
def _of_layers(encoder: Encoder, claim: Claim) -> Verdict:
    return claim.condition(encoder)
