"""The guided tour: its stops on Home, and the bar that stays in sight on a stop's view."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.claims import BY_NAME, Claim, Verdict
from bertviz_core.encoder import Encoder
from bertviz_core.shared import models, once, shared_encoder
from bertviz_core.ui import html, links
from bertviz_core.ui.calibrations import known
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.links import Step
from bertviz_core.ui.tour.progress import (
    NUMBERS,
    REACHED,
    STOP,
    Progress,
    change,
    progress,
    reached,
)
from bertviz_core.ui.tour.stops import GUESSES, STOPS
from bertviz_core.ui.waiting import waiting

_ANSWERED, _RUNS = "_tour_answered", "_tour_runs"
SAY = {True: "true", False: "false", None: "not that simple here"}


def tour(bert: Bert) -> None:
    """Show the chosen stop: its claim, the prediction, the way to its view, the verdict."""
    so_far = progress()
    if so_far.inputs().items() - st.query_params.to_dict().items():
        change(**so_far.inputs())  # links on this page, and whoever gets its address, carry it on
    number, stop = so_far.stop, STOPS[so_far.stop - 1]
    with st.container(border=True, key="tour"):
        html.quiet(f"Guided tour: {len(STOPS)} things people say about BERT's embeddings")
        links.steps(
            [_stop(each, so_far) for each in NUMBERS],
            name="Stops of the tour",
            targets=["tour"] if STOP in st.query_params else [],
        )
        html.claim(stop.claim)
        with st.container(horizontal=True, vertical_alignment="center", key="tour-guess"):
            st.text("What do you expect?", width="content")
            for guess in GUESSES:
                chosen = so_far.guesses.get(number) == (guess == GUESSES[0])
                st.button(
                    f"✓ {guess}" if number in so_far.guesses and chosen else guess,
                    key=f"guess-{guess}",
                    on_click=change,
                    kwargs={f"guess{number}": guess},
                )
            links.action("Show me", view_of(number, so_far))
        html.quiet(f"Then look: {stop.look}")
        if number in so_far.guesses:
            with st.expander(f"The verdict for {bert.name}", icon=":material/gavel:"):
                _verdict(bert, number, so_far)
        if number == len(STOPS) and so_far.guesses:
            _score(bert, so_far)
        with st.container(horizontal=True, key="tour-steps"):
            _button("← Previous", "previous", number - 1)
            _button("Next →", "next", number + 1)


def tour_bar(bert: Bert) -> None:
    """On a page that a stop led to: its claim, the guess, the verdict, and the way on."""
    so_far = progress()
    number, stop = reached(), STOPS[reached() - 1]
    html.claim(f"{number}. {stop.claim}")
    _bar_answer(bert, number, so_far)
    ways = [
        ("← Previous", "previous", number - 1),
        ("Next →" if number < len(STOPS) else "Your score →", "next", number + 1),
        ("Back to the stop", "", number),
    ]
    links.steps(
        [
            Step(label, links.view(".", **so_far.inputs(), **{STOP: min(to, len(STOPS))}), way)
            for label, way, to in ways
            if to >= 1
        ],
        name="The tour",
        targets=stop.targets,
        slide=True,
    )


def view_of(number: int, so_far: Progress) -> str:
    """The address of the view that settles a stop, from 1, with what was guessed and seen."""
    stop = STOPS[number - 1]
    return links.view(stop.page, **stop.inputs, **so_far.inputs(), **{REACHED: number})


def _stop(number: int, so_far: Progress) -> Step:
    """The link to a stop; what was seen has a mark, what was only guessed a dot."""
    mark = "✓" if number in so_far.seen else "·" if number in so_far.guesses else ""
    state = {"✓": ", seen", "·": ", guessed"}.get(mark, "")
    return Step(
        f"{number} {mark}".strip(),
        links.here(**so_far.inputs(), **{STOP: number}),
        about=f"Stop {number}{state}: {STOPS[number - 1].claim}",
        here=number == so_far.stop,
    )


def _bar_answer(bert: Bert, number: int, so_far: Progress) -> None:
    """The verdict, once it is known: the view comes first, and often brings it."""
    answered = st.session_state.get(_ANSWERED) == (bert.name, number)
    st.session_state[_RUNS] = 0

    @st.fragment(run_every=None if answered else 2.0)
    def answer() -> None:
        st.session_state[_RUNS] += 1
        found = None
        if answered or st.session_state[_RUNS] > 1:  # the first run is the page's own
            with errors_shown(stop=False):
                found = _judged(bert, STOPS[number - 1].settled)
        if found is not None and not answered:
            st.session_state[_ANSWERED] = bert.name, number
            st.rerun()  # and look no more
        _say_answer(number, so_far, found)

    answer()


def _say_answer(number: int, so_far: Progress, found: Verdict | None) -> None:
    stop = STOPS[number - 1]
    said = "You said <b>{guess}</b>. " if number in so_far.guesses else ""
    if found is None:
        html.verdict(
            f'<div class="bx-answer">{said}Look for: {{look}} The verdict appears here once the '
            "view has run.</div>",
            guess=SAY[so_far.guesses.get(number)],
            look=stop.look,
        )
        return
    html.verdict(
        f'<details class="bx-answer"><summary>{_judgement(number, so_far, found)}</summary>'
        f"{stop.settled.template(found)} Look for: {{look}}</details>",
        guess=SAY[so_far.guesses.get(number)],
        truth=SAY[stop.truth(found)],
        look=stop.look,
        **found.numbers,
    )


def _judgement(number: int, so_far: Progress, found: Verdict) -> str:
    """Whether the guess was right, as HTML with `{guess}`, `{truth}` and the verdict's numbers."""
    guess, stop = so_far.guesses.get(number), STOPS[number - 1]
    truth = stop.truth(found)
    if guess is None:
        return f"It is <b>{{truth}}</b>{stop.about}."
    if truth is None:
        return f"You said <b>{{guess}}</b>. It is <b>{{truth}}</b>{stop.about}."
    outcome = "right" if guess == truth else "wrong"
    return f"You said <b>{{guess}}</b>: <b>{outcome}</b>{stop.about}."


def _verdict(bert: Bert, number: int, so_far: Progress) -> None:
    """Say what is true of the model in use, as far as it is known without loading anything."""
    stop, found = STOPS[number - 1], None
    with errors_shown(stop=False), waiting("Looking at the model …", height=80):
        found = _judged(bert, stop.settled)
    if found is None:
        html.verdict(
            "The view settles this claim: for {undecided} it takes more than the tables, and Home "
            "does not load the model. Run the view first; then the verdict is shown here.",
            undecided=bert.name,
        )
    else:
        html.verdict(
            f"{_judgement(number, so_far, found)} {stop.settled.template(found)}",
            guess=SAY[so_far.guesses[number]],
            truth=SAY[stop.truth(found)],
            **found.numbers,
        )
    html.quiet(f"{bert.name}: {origin_of(bert.checkpoint).short}.")


def _score(bert: Bert, so_far: Progress) -> None:
    """How many guesses were right, and which were wrong."""
    right, wrong, open_stops = 0, [], []
    with errors_shown(stop=False), waiting("Counting …", height=40):
        for number, guess in sorted(so_far.guesses.items()):
            found = _judged(bert, STOPS[number - 1].settled)
            truth = None if found is None else STOPS[number - 1].truth(found)
            if truth is None:
                open_stops.append(number)
            elif truth == guess:
                right += 1
            else:
                wrong.append(number)
    html.finding(
        "Right guesses: <b>{right}</b> of {guessed}."
        + (" Not settled yet: {open}; open their views." if open_stops else "")
        + (" Wrong guesses:" if wrong else ""),
        right=right,
        guessed=right + len(wrong),
        open=", ".join(map(str, open_stops)),
    )
    for number in wrong:
        html.quiet(f"{number}. {STOPS[number - 1].claim}")


def _judged(bert: Bert, claim: Claim) -> Verdict | None:
    """Whether a claim holds for a model; None where that needs more than what is in memory."""
    if claim.needs == "tables":
        return _of_tables(bert, claim.name)
    if claim.needs == "calibration":
        scales = known(bert.name)
        return None if scales is None else claim.condition(scales)
    library = claim.needs == "library"
    if not (models.has_library_model if library else models.has_encoder)(bert.name):
        return None
    return _of_layers(shared_encoder(bert), claim.name)


@once
def _of_tables(bert: Bert, claim: str) -> Verdict:
    return BY_NAME[claim].condition(bert)


@once
def _of_layers(encoder: Encoder, claim: str) -> Verdict:
    return BY_NAME[claim].condition(encoder)


def _button(label: str, way: str, target: int) -> None:
    st.button(
        label, key=f"tour-{way}", disabled=target not in NUMBERS,
        on_click=change, kwargs={STOP: str(target)},
    )  # fmt: skip
