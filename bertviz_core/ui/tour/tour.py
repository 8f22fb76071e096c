"""The guided tour: a stop in place of a page, with its verdict and picture; its start on Home.

The stop and the guesses are in the address, so that it can be loaded anew: `tour=2&guess1=false`.
Guesses are in the session as well: a visit to a page outside the tour drops them from the address.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.claims import Claim, Verdict
from bertviz_core.hall.guesses import is_allowed, is_number, is_right
from bertviz_core.process import APP_FOLDER
from bertviz_core.shared import once, shared_encoder
from bertviz_core.ui import computed, html, state
from bertviz_core.ui.draw import draw, errors_shown
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.tour.stops import STOPS, Stop
from bertviz_core.views.stops import StopInput

STOP = "tour"  # in the address of a page: the stop that is shown in its place
NUMBERS = range(1, len(STOPS) + 1)
END = len(STOPS) + 1  # after the last stop: what was right
SHOWN = "shown"  # in place of a guess, where none was made
GUESS = "guess-number"  # key of the field for a number


def reached() -> int:
    """The stop that is shown, from 1, or `END`; 0 away from the tour."""
    given = st.query_params.get(STOP, "")
    return int(given) if given in map(str, (*NUMBERS, END)) else 0


def guesses() -> dict[int, str]:
    """What was guessed at each stop so far, or `SHOWN`; an address may hold anything."""
    return {number: guess for number, guess in state.now().guesses.items() if number in NUMBERS}


def go(number: int, guess: str = "") -> None:
    """A button's way to a stop, with a guess on its claim if there is one; the first one counts."""
    if guess:
        kept = {number: guess} | guesses()
        guess = kept[number]
        state.change(guesses=kept)
    visit = state.now()
    if number == reached():
        st.query_params[f"guess{number}"] = guess
        return
    carried = {f"guess{stop}": guess for stop, guess in sorted(guesses().items())}
    stop = STOPS[min(number, len(STOPS)) - 1]
    page = next((APP_FOLDER / "pages").glob(f"*_{stop.page}.py"))
    carried |= {state.PRESENT: visit.look, state.LECTURE: visit.lecture}
    given = {key: value for key, value in carried.items() if value}
    st.switch_page(page, query_params=given | {STOP: str(number)})


def stops() -> None:
    """Say on Home what the tour is, and offer its first stop and all others."""
    st.subheader("Guided tour", anchor=False)
    html.caption(
        f"{len(STOPS)} things people say about BERT's embeddings. Guess whether each is true; then "
        "the view that settles it opens, with the verdict for the model in use."
    )
    with _line("tour-stops"):
        icon = ":material/tour:"
        st.button("Start the tour", key="tour-start", icon=icon, on_click=go, args=(1,))
        _other_stops()


def show(bert: Bert) -> None:
    """Show a stop: what to guess, or verdict and picture; after the last one, the end."""
    number = reached()
    if number == END:
        _end(bert)
        return
    stop, guess, found = STOPS[number - 1], guesses().get(number), None
    with st.container(border=True, key="tour-bar"):
        html.claim(f"{number} of {len(STOPS)}: {stop.claim}")
        if guess is None:
            _ask(bert, number)
        else:
            found = _answer(bert, number, guess)
    with errors_shown():
        if found is None or found.holds is None:
            return
        with waiting("Drawing the picture …", height=320):
            scales = _scales(bert, stop.fact)
            view = stop.view(StopInput(bert, found.numbers, scales, state.now().presenting))
        with st.container(border=True, key="tour-frame"):
            draw(view)
        more = {stop.page.replace("_", " "): state.link(stop.page, **stop.inputs)}
        html.links("More of it", more)


def _in_hall() -> bool:
    """Whether the audience answers, by phone."""
    visit = state.now()
    return visit.presenting and visit.lecture != ""


def _ask(bert: Bert, number: int) -> None:
    """Ask what the visitor expects; in a hall the audience answers."""
    stop, in_hall = STOPS[number - 1], _in_hall()
    question, options = stop.prompt(_judged(bert, stop.fact) if stop.question else None)
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

    def guessed() -> None:
        if (given := st.session_state[GUESS]) is not None:
            go(number, f"{given / 100:.2f}")

    st.number_input(
        "0 to 100", 0, 100, None, key=GUESS, placeholder="0 to 100", width=160,
        label_visibility="collapsed",
    )  # fmt: skip
    if st.button("That is my guess", key="guess-made", on_click=guessed):
        html.alert("Type a number from 0 to 100.")


def _answer(bert: Bert, number: int, guess: str) -> Verdict | None:
    """Say the verdict and why, and offer the next stop; nothing of that stop is shown yet."""
    found, stop, said = None, STOPS[number - 1], st.container()
    with _line("tour-on"):
        _ways(number + 1, "Next")
    st.empty()  # where the guesses were: they go before the model is waited for
    kept = "" if guess == SHOWN else "Your guess is kept. "
    with said, errors_shown(stop=False), waiting(f"{kept}Looking at the model …", height=40):
        found = _judged(bert, stop.fact)
        _say_verdict(stop, guess, found)
    if found and _in_hall():
        from bertviz_core.ui.tour import lecturer

        lecturer.after(number, *stop.prompt(found), truth=stop.truth(found))
    return found


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

    seen = guesses()

    def named(number: int) -> str:
        done = "✓ " if number in seen else ""
        return f"{number}. {done}{STOPS[number - 1].claim}"

    others = [other for other in NUMBERS if other != besides]
    st.menu_button(
        "Stops", others, key="tour-stop", format_func=named,
        on_click=lambda: go(st.session_state["tour-stop"]),
    )  # fmt: skip


def _is_right(stop: Stop, guess: str, found: Verdict) -> bool | None:
    """Whether a guess is right; None where none was made, or the model lacks what it is about."""
    if found.holds is None or not is_allowed(guess, stop.prompt(found)[1]):
        return None
    return is_right(guess, stop.truth(found))


def _say_verdict(stop: Stop, guess: str, found: Verdict) -> None:
    """Say whether a guess was right, or how far off; and why."""
    right, truth = _is_right(stop, guess, found), stop.verdict(found)
    judgement, said = "right" if right else "wrong", ["The claim is <b>{truth}</b>."]
    if right is not None:
        said = ["You said <b>{guess}</b>: <b>{judgement}</b>.", *said]
        if {guess, truth} <= {"true", "false"}:  # the second says no more
            del said[1]
        elif is_number(guess):
            off = abs(float(guess) - float(stop.truth(found)))
            guess, judgement = f"{float(guess):.0%}", f"{100 * off:.0f} points off"
    html.verdict(
        f'<span class="bx-answer">{" ".join(said)}</span> '
        f"{stop.fact.template(found)} <small>{stop.fact.typical}</small>",
        guess=guess,
        judgement=judgement,
        truth=truth,
        **found.numbers,
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
    shown = guesses() or dict.fromkeys(NUMBERS, SHOWN)
    seen = [(number, STOPS[number - 1], guess) for number, guess in sorted(shown.items())]
    found = {number: _judged(bert, stop.fact) for number, stop, _ in seen}
    right = {number: _is_right(stop, guess, found[number]) for number, stop, guess in seen}
    wrong = [number for number, its in right.items() if its is False]
    guessed = sum(its is not None for its in right.values())
    said = "You made no guess. What the stops show:"
    if guessed:
        said = "<b>{right}</b> of <b>{guessed}</b> guesses right."
    if wrong:
        said += " New to you: <b>{wrong}</b>."
    html.verdict(
        said,
        right=guessed - len(wrong),
        guessed=guessed,
        wrong=", ".join(map(str, wrong)),
    )
    for number, stop, _ in seen:
        said = "{mark} {number}. {claim} It is <b>{truth}</b>."
        if number in wrong:
            said += f" <small>{stop.fact.template(found[number])}</small>"
        html.verdict(
            said,
            mark={True: "✓", False: "✗", None: "–"}[right[number]],
            number=number,
            claim=stop.claim,
            truth=stop.verdict(found[number]),
            **found[number].numbers,
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
    return computed.SCALES.wait(bert) if claim.needs == "calibration" else None


_of_tables = once(lambda bert, claim: claim.condition(bert))
_of_layers = once(lambda encoder, claim: claim.condition(encoder))
