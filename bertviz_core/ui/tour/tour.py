"""The guided tour: its stops on Home, and the bar that leads back from a stop's view."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.origins import origin_of
from bertviz_core.ui import html, inputs, links
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.show import waiting
from bertviz_core.ui.tour.stops import GUESSES, STOPS, Stop
from bertviz_core.ui.tour.verdicts import judged

KEY = "stop"
REACHED = "tour"  # in the address of a view: the stop that led there
_NUMBERS = [str(number) for number in range(1, len(STOPS) + 1)]


def tour(bert: Bert) -> None:
    """Show the chosen stop: its claim, the prediction, the way to its view, the verdict.

    Args:
        bert: The model in use, of which the verdict is.
    """
    with st.container(border=True, key="tour"):
        chosen = st.pills(
            "Guided tour: twelve things people say about BERT's embeddings",
            _NUMBERS,
            default=_NUMBERS[0],
            required=True,
            key=KEY,
            **inputs.BOUND,
        )
        number = int(chosen or _NUMBERS[0])
        stop = STOPS[number - 1]
        html.claim(stop.claim)
        guess = st.segmented_control(
            "What do you expect?", GUESSES, key=f"guess{number}", **inputs.BOUND
        )
        html.quiet(f"Then look: {stop.look}")
        links.action("Show me", view_of(number))
        if guess:
            with st.expander(f"What holds for {bert.name}", icon=":material/gavel:"):
                _verdict(bert, stop)
        with st.container(horizontal=True, key="tour-steps"):
            _step("Previous", "Left", number - 1)
            _step("Next", "Right", number + 1)


def tour_bar() -> None:
    """On a page that was reached from the tour: say so, and lead to the next stop."""
    shown = st.query_params.get(REACHED, "")
    if shown not in _NUMBERS:
        return
    number = int(shown)
    with st.container(border=True, key="tour-bar"):
        stop = STOPS[number - 1]
        html.quiet(f"Stop {number} of {len(STOPS)}: {stop.claim} Look for: {stop.look}")
        links.steps(
            {
                label: (arrow, links.view(".", **{KEY: target}))
                for label, arrow, target in (
                    ("Next →", "ArrowRight", number + 1),
                    ("Previous ←", "ArrowLeft", number - 1),
                    ("Back to the stop", "", number),
                )
                if 1 <= target <= len(STOPS)
            }
        )


def view_of(number: int) -> str:
    """The address of the view that settles a stop, from 1."""
    stop = STOPS[number - 1]
    return links.view(stop.page, **stop.inputs, **{REACHED: number})


def _verdict(bert: Bert, stop: Stop) -> None:
    """Say what is true of the model in use, as far as it is known without loading anything."""
    found = None
    with errors_shown(stop=False), waiting("Looking at the model …", height=80):
        found = judged(bert, stop.settled)
    if found is None:
        html.verdict(
            "The view decides it: for {model} this takes more than its tables, and nothing is "
            "loaded here. Once the view has run, the sentence stands here.",
            model=bert.name,
        )
    else:
        html.verdict(stop.settled.template(found), **found.numbers)
    html.quiet(f"{bert.name}: {origin_of(bert.checkpoint).short}.")


def _step(label: str, shortcut: str, target: int) -> None:
    st.button(
        label, shortcut=shortcut, key=f"tour-{label.lower()}",
        disabled=not 1 <= target <= len(STOPS), on_click=_go, args=(target,),
    )  # fmt: skip


def _go(number: int) -> None:
    # A bound value is changed through the session alone; the address follows.
    st.session_state[KEY] = str(number)
