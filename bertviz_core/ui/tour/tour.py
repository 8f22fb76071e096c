"""The guided tour: a stop in place of a page, with what settles its claim; its stops on Home."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.claims import Claim, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import once, shared_encoder
from bertviz_core.ui import calibrations, html, links
from bertviz_core.ui.draw import draw
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.present import presenting
from bertviz_core.ui.tour import guess as guessing
from bertviz_core.ui.tour.progress import END, LECTURE, NUMBERS, go, go_home, guesses, reached
from bertviz_core.ui.tour.stops import GUESSES, SHOWN, STOPS, Stop
from bertviz_core.views.stops import Judged

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


def show(bert: Bert) -> None:
    """A stop: what to guess, or the verdict and what settles it; behind the last one, the end."""
    number = reached()
    if number == END:
        _end(bert)
        return
    stop, guess, found = STOPS[number - 1], guesses().get(number), None
    with st.container(border=True, key="tour-bar"):
        html.claim(f"{number}. {stop.claim}")
        if guess is None:
            _ask(bert, number)
        else:
            found = _answer(bert, number, guess)
    with errors_shown():
        if guess is None and stop.before and not _in_hall():
            draw(stop.before(Judged(bert, {})))
        elif guess and found and found.holds is not None:
            _frame(bert, stop, guess, found)


def _frame(bert: Bert, stop: Stop, guess: str, found: Verdict) -> None:
    """What settles a claim, and where there is more of it."""
    made = float(guess) if guessing.is_number(guess) else None
    with waiting("Drawing what settles it …", height=320):
        scales = _scales(bert, stop.settled)
        view = stop.shown(Judged(bert, found.numbers, scales, presenting(), made))
    with st.container(border=True, key="tour-frame"):
        draw(view)
    links.row("More of it", {stop.page.replace("_", " "): links.view(stop.page, **stop.inputs)})


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


def _ask(bert: Bert, number: int) -> None:
    """Ask what a visitor expects: true or false, or what the stop asks, where the model has it."""
    stop, words = STOPS[number - 1], _words(bert, number)
    asked = stop.question if stop.question and (stop.question.is_number or words) else None
    html.quiet(stop.known)
    html.quiet(asked.text if asked else "True or false?")
    with _line("tour-now"):
        if not _in_hall():
            offered = words if asked else GUESSES
            guessing.ask(offered, partial(go, number))
        _ways(number, "Show the view" if _in_hall() else "Show me anyway", SHOWN)
    _hall(bert, number, seen=False)


def _answer(bert: Bert, number: int, guess: str) -> Verdict | None:
    """Say the verdict and why, and offer the next stop and nothing of it."""
    found = None
    with errors_shown(stop=False), waiting("Looking at the model …", height=40):
        found = _judged(bert, STOPS[number - 1].settled)
        _say_verdict(STOPS[number - 1], guess, found)
    with _line("tour-on"):
        _ways(number + 1, "Next →")
        html.slide()
    _hall(bert, number, seen=True)
    return found


def _ways(number: int, label: str, said: str = "") -> None:
    """The way on, to a stop or to the verdict of this one, and back; in a hall, to any stop."""
    st.button(label, key="tour-next", on_click=go, args=(number, said))
    if (before := reached() - 1) in NUMBERS:
        st.button("←", key="tour-previous", help="Previous stop", on_click=go, args=(before,))
    if _in_hall():
        _other_stops(besides=reached())


def _other_stops(besides: int = 0) -> None:
    """A way to any stop but one: a talk shows some of them."""
    others = [other for other in NUMBERS if other != besides]
    st.menu_button("Stops", others, key="tour-stop", format_func=_named, on_click=_go_to)


def _named(number: int) -> str:
    return f"{number}. {'✓ ' * (number in guesses())}{STOPS[number - 1].claim}"


def _go_to() -> None:
    go(st.session_state["tour-stop"])


def _words(bert: Bert, number: int) -> list[str]:
    """The words to choose from at a stop; or none."""
    stop = STOPS[number - 1]
    if stop.question is None or stop.question.is_number:
        return []
    return guessing.words(stop.question, _judged(bert, stop.settled))


def _say_verdict(stop: Stop, guess: str, found: Verdict) -> None:
    """Whether a guess was right, or how far off; and why."""
    truth, (said, values) = SAY[stop.truth(found)], guessing.compared(stop, guess, found)
    judgement = "You said <b>{guess}</b>: " * (guess in GUESSES)
    if said:
        judgement = f"{said}. The claim is <b>{{truth}}</b>"
    elif guess not in GUESSES or stop.truth(found) is None:
        judgement += f"{'it' if judgement else 'It'} is <b>{{truth}}</b>"
    else:
        judgement += "<b>right</b>" if guess == truth else "<b>wrong</b>"
    html.verdict(
        f'<span class="bx-answer">{judgement}.</span> {stop.settled.template(found)} '
        f"<small>{stop.settled.typical}</small>",
        truth=truth,
        **values,
        **found.numbers,
    )


def _end(bert: Bert) -> None:
    """What was right, and what there was to learn, of the stops that were seen."""
    with st.container(border=True, key="tour-bar"):
        html.claim("What was right, and what there was to learn")
        with errors_shown(stop=False), waiting("Counting …", height=40):
            _score(bert)
        with _line("tour-on"):
            st.button("Back to Home", key="tour-next", on_click=go_home)


def _score(bert: Bert) -> None:
    """Count the right guesses, and say of every stop what is true; of a wrong guess also why.

    What is not that simple does not count, and a number is right if it is near.
    """
    seen = [(number, guess, _judged(bert, STOPS[number - 1].settled))
            for number, guess in sorted(guesses().items())]  # fmt: skip
    right = {n: guessing.is_right(STOPS[n - 1], guess, found) for n, guess, found in seen}
    wrong = [number for number, its in right.items() if its is False]
    guessed = len(wrong) + sum(its is True for its in right.values())
    html.verdict(
        "<b>{right}</b> of <b>{guessed}</b> guesses right."
        + " New to you: <b>{wrong}</b>." * bool(wrong)
        if guessed
        else "You made no guess. What the stops show:",
        right=guessed - len(wrong),
        guessed=guessed,
        wrong=", ".join(map(str, wrong)),
    )
    for number, _, found in seen:
        stop, its = STOPS[number - 1], right[number]
        html.verdict(
            "{mark} {number}. {claim} It is <b>{truth}</b>."
            + f" <small>{stop.settled.template(found)}</small>" * (its is False),
            mark={True: "✓", False: "✗", None: "–"}[its],
            number=number,
            claim=stop.claim,
            truth=SAY[stop.truth(found)],
            **found.numbers,
        )


def _judged(bert: Bert, claim: Claim) -> Verdict:
    """Whether a claim holds for a model, which is loaded or measured for it if it must be."""
    if claim.needs == "tables":
        return _of_tables(bert, claim)
    if scales := _scales(bert, claim):
        return claim.condition(scales)
    return _of_layers(shared_encoder(bert), claim)


def _scales(bert: Bert, claim: Claim) -> Scales | None:
    """The percentile scales, where a claim is about them."""
    return calibrations.measured(bert) if claim.needs == "calibration" else None


@once
def _of_tables(bert: Bert, claim: Claim) -> Verdict:
    return claim.condition(bert)


@once
def _of_layers(encoder: Encoder, claim: Claim) -> Verdict:
    return claim.condition(encoder)
