"""The guided tour: its bar on the view that settles a claim, and its stops on Home."""

import math
from typing import TYPE_CHECKING, Any

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.claims import BY_NAME, Claim, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import once, shared_encoder
from bertviz_core.ui import calibrations, html
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.tour.progress import NUMBERS, go, go_home, guesses, marked, reached
from bertviz_core.ui.tour.stops import GUESSES, SHOWN, STOPS
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

MARKED = "#d55e00"  # as what is framed
SAY = {True: "true", False: "false", None: "not that simple here"}


def start(key: str) -> None:
    """Offer the first stop; unlike a link, a button loads no page anew."""
    st.button("Start the tour", key=key, icon=":material/tour:", on_click=go, args=(1,))


def stops() -> None:
    """Say on Home what the tour is, and list its stops."""
    st.subheader("Guided tour", anchor=False)
    html.quiet(
        f"{len(STOPS)} things people say about BERT's embeddings. Guess whether each is true; then "
        "the view that settles it opens, with the verdict for the model in use."
    )
    start("tour-begin")
    with st.container(key="tour-stops"):
        for number, stop in enumerate(STOPS, start=1):
            mark = "✓ " if number in guesses() else ""
            label = f"{number}. {mark}{stop.claim}"
            st.button(label, key=f"tour-{number}", type="tertiary", on_click=go, args=(number,))


def bar(bert: Bert) -> bool:
    """Show a stop's claim, and the guess or the verdict; whether its view may be seen."""
    number = reached()
    stop, guess = STOPS[number - 1], guesses().get(number)
    with _line("tour-now"):
        html.claim(f"{number}. {stop.claim}")
        if guess is None:
            html.quiet("What do you expect?")
            _ask(number, "Show me anyway", SHOWN)
            return False
        with errors_shown(stop=False), waiting("Looking at the model …", height=40):
            _say_verdict(number, guess, _judged(bert, stop.settled))
    if number == len(STOPS):
        with errors_shown(stop=False), waiting("Counting …", height=40):
            _score(bert)
    with _line("tour-on"):
        if number < len(STOPS):
            html.quiet(f"Next: {number + 1}. {STOPS[number].claim}")
            _ask(number + 1, "Next →")
        else:
            st.button("Back to Home", key="tour-next", on_click=go_home)
        html.targets(stop.targets, stop=number)
    return True


def _line(key: str) -> "DeltaGenerator":
    return st.container(horizontal=True, vertical_alignment="center", key=key)


def _ask(number: int, skip: str, said: str = "") -> None:
    """Offer the guesses on a stop's claim, a way to its view without one, and the way back."""
    marks = STOPS[number - 1].marks
    if number not in guesses() and not marks:
        for guess in GUESSES:
            st.button(guess, key=f"guess-{guess}", on_click=go, args=(number, guess))
    elif number not in guesses() and number == reached():
        for at, mark in enumerate(marks):
            st.slider(mark.label, 0.0, 1.0, 0.5, 0.01, key=f"_mark{at}")
        st.button("That is my guess", key="guess-marks", on_click=_mark, args=(number,))
    st.button(skip, key="tour-next", on_click=go, args=(number, said))
    if (before := reached() - 1) in NUMBERS:
        st.button("←", key="tour-previous", help="Previous stop", on_click=go, args=(before,))


def _mark(number: int) -> None:
    places = range(len(STOPS[number - 1].marks))
    go(number, "_".join(f"{st.session_state[f'_mark{at}']:.2f}" for at in places))


def _say_verdict(number: int, guess: str, found: Verdict) -> None:
    """Whether a guess was right, or how far off, in one line; and below it, folded, why."""
    stop = STOPS[number - 1]
    truth, off = SAY[stop.truth(found)], _distance(number, guess, found)
    given = {"guess": guess.replace("_", " and ")}
    judgement = "You said <b>{guess}</b>: " * (guess != SHOWN)
    if off is not None:
        there = [float(found.numbers[mark.truth]) for mark in stop.marks]
        given |= {"there": " and ".join(f"{number:.2f}" for number in there), "off": f"{off:.2f}"}
        judgement += "it is <b>{there}</b>, {off} away. The claim is <b>{truth}</b>"
        if stop.on:
            html.beside_chart(
                stop.on, {"layout": {"annotations": [_arrow(marked(number, guess), there)]}}
            )
    elif guess == SHOWN or stop.truth(found) is None:
        judgement += "it is <b>{truth}</b>"
    else:
        judgement += "<b>right</b>" if guess == truth else "<b>wrong</b>"
    html.verdict(
        f'<details class="bx-answer"><summary>{judgement}{stop.about}.</summary>'
        f"{stop.settled.template(found)} Look for: {{look}}</details>",
        truth=truth,
        look=stop.look,
        **given,
        **found.numbers,
    )


def _distance(number: int, guess: str, found: Verdict) -> float | None:
    """How far marks are from the truth; None where none were made, or the model has no such."""
    made, marks = marked(number, guess), STOPS[number - 1].marks
    if not made or any(mark.truth not in found.numbers for mark in marks):
        return None
    return math.dist(made, [float(found.numbers[mark.truth]) for mark in marks])


def _arrow(made: list[float], there: list[float]) -> dict[str, Any]:
    """From a guess on a picture to what is true."""
    return {
        **dict(zip(("ax", "ay", "x", "y"), [*made, *there], strict=True)),
        **{"axref": "x", "ayref": "y", "text": "your guess", "showarrow": True},
        **{"arrowhead": 2, "arrowwidth": 2, "arrowcolor": MARKED, "font": {"color": MARKED}},
    }


def _score(bert: Bert) -> None:
    """How many guesses were right, which were wrong, how far off marks were on average.

    What is not that simple does not count.
    """
    right, wrong, distances = 0, [], []
    for number, guess in sorted(guesses().items()):
        found = _judged(bert, STOPS[number - 1].settled)
        truth, off = STOPS[number - 1].truth(found), _distance(number, guess, found)
        if off is not None:
            distances.append(off)
        elif guess in GUESSES and truth is not None:
            right += guess == SAY[truth]
            wrong += [f"{number}"] * (guess != SAY[truth])
    html.verdict(
        "Your score: <b>{right}</b> of <b>{guessed}</b> guesses right."
        + " Wrong: {wrong}." * bool(wrong)
        + " Your marks were <b>{off}</b> away, on average." * bool(distances),
        right=right,
        guessed=right + len(wrong),
        wrong=", ".join(wrong),
        off=f"{sum(distances) / max(len(distances), 1):.2f}",
    )


def _judged(bert: Bert, claim: Claim) -> Verdict:
    """Whether a claim holds for a model, which is loaded or measured for it if it must be."""
    if claim.needs == "tables":
        return _of_tables(bert, claim.name)
    if claim.needs == "calibration":
        return claim.condition(calibrations.measured(bert.name))
    judge = _of_library if claim.needs == "library" else _of_layers
    return judge(shared_encoder(bert), claim.name)


@once
def _of_tables(bert: Bert, claim: str) -> Verdict:
    return BY_NAME[claim].condition(bert)


@once
def _of_layers(encoder: Encoder, claim: str) -> Verdict:
    return BY_NAME[claim].condition(encoder)


@once
def _of_library(library: Encoder, claim: str) -> Verdict:
    return BY_NAME[claim].condition(library)
