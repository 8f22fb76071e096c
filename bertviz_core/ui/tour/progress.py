"""Which stop of the tour a viewer is at, and what was guessed.

Both are in the address, for whoever loads it anew: `tour=2&guess1=false`. What was guessed is kept
in the session as well, where pages without the tour lead back to it.
"""

import streamlit as st

from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.ui import following, links
from bertviz_core.ui.present import look
from bertviz_core.ui.tour import guess as guessing
from bertviz_core.ui.tour.stops import GUESSES, SHOWN, STOPS

STOP = "tour"  # in the address of a page: the stop that is shown in its place
LECTURE = links.LECTURE  # in the address and the session of a lecturer: the hall
NUMBERS = range(1, len(STOPS) + 1)
END = len(STOPS) + 1  # behind the last stop: what was right
_GUESSES = "_tour_guesses"


def reached() -> int:
    """The stop that is shown, from 1, or `END`; 0 away from the tour."""
    asked = st.query_params.get(STOP, "")
    return int(asked) if asked in map(str, (*NUMBERS, END)) else 0


def guesses() -> dict[int, str]:
    """What was said at each stop so far: true, false, shown without a guess, a number or a word."""
    kept: dict[int, str] = st.session_state.setdefault(_GUESSES, {})
    for number in NUMBERS:
        asked = st.query_params.get(f"guess{number}", "")
        asks = STOPS[number - 1].question is not None
        if asked in (*GUESSES, SHOWN) or (asks and 0 < len(asked) <= guessing.MAX_LENGTH):
            kept.setdefault(number, asked)
    return kept


def go(number: int, guess: str = "") -> None:
    """A button's way to the view of a stop, with a guess on its claim if there is one."""
    if guess:
        guesses()[number] = guess
    if number == reached():
        st.query_params[f"guess{number}"] = guess
        return
    carried = {f"guess{stop}": said for stop, said in sorted(guesses().items())}
    stop = STOPS[min(number, len(STOPS)) - 1]
    page = next((APP_FOLDER / "pages").glob(f"*_{stop.page}.py"))
    carried |= {"typed": links.cut_to_carry(following.typed_sentence()), "present": look()}
    carried[LECTURE] = st.query_params.get(LECTURE, "")
    given = {key: value for key, value in carried.items() if value}
    st.switch_page(page, query_params=given | {STOP: str(number)})


def go_home() -> None:
    """The way out of the tour."""
    st.switch_page("app.py", query_params={})
