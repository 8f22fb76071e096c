"""Which stop of the tour a viewer is at, and what was guessed.

Both are in the address, so that it can be loaded anew: `tour=2&guess1=false`. Guesses are in the
session as well, because a visit to a page outside the tour drops them from the address.
"""

import streamlit as st

from bertviz_core.process import APP_FOLDER
from bertviz_core.ui import links
from bertviz_core.ui.present import look
from bertviz_core.ui.tour.guess import MAX_LENGTH
from bertviz_core.ui.tour.stops import STOPS

STOP = "tour"  # in the address of a page: the stop that is shown in its place
NUMBERS = range(1, len(STOPS) + 1)
END = len(STOPS) + 1  # after the last stop: what was right
SHOWN = "shown"  # in place of a guess, where none was made
_GUESSES = "_tour_guesses"


def reached() -> int:
    """The stop that is shown, from 1, or `END`; 0 away from the tour."""
    given = st.query_params.get(STOP, "")
    return int(given) if given in map(str, (*NUMBERS, END)) else 0


def guesses() -> dict[int, str]:
    """What was guessed at each stop so far, or `SHOWN`; an address may hold anything."""
    kept: dict[int, str] = st.session_state.setdefault(_GUESSES, {})
    for number in NUMBERS:
        if given := st.query_params.get(f"guess{number}", "")[:MAX_LENGTH]:
            kept.setdefault(number, given)
    return kept


def go(number: int, guess: str = "") -> None:
    """A button's way to a stop, with a guess on its claim if there is one."""
    if guess:
        guesses()[number] = guess
    if number == reached():
        st.query_params[f"guess{number}"] = guess
        return
    carried = {f"guess{stop}": guess for stop, guess in sorted(guesses().items())}
    stop = STOPS[min(number, len(STOPS)) - 1]
    page = next((APP_FOLDER / "pages").glob(f"*_{stop.page}.py"))
    carried |= {"present": look(), links.LECTURE: st.query_params.get(links.LECTURE, "")}
    given = {key: value for key, value in carried.items() if value}
    st.switch_page(page, query_params=given | {STOP: str(number)})


def go_home() -> None:
    """The way out of the tour."""
    st.switch_page("app.py", query_params={})
