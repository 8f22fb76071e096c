"""Which stop of the tour a viewer is at, and what was guessed.

Both are in the address, for whoever loads it anew: `tour=2&guess1=false`. What was guessed is kept
in the session as well, where pages without the tour lead back to it.
"""

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.ui import following, links
from bertviz_core.ui.present import KEY as PRESENTING
from bertviz_core.ui.present import look
from bertviz_core.ui.tour import guess as guessing
from bertviz_core.ui.tour.stops import GUESSES, SHOWN, STOPS

STOP = "tour"  # in the address of a view: the stop that it settles
LECTURE = links.LECTURE  # in the address and the session of a lecturer: the hall
NUMBERS = range(1, len(STOPS) + 1)
_GUESSES, _ARRIVED = "_tour_guesses", "_tour_arrived"


def reached() -> int:
    """The stop that this page settles, from 1; 0 away from the tour."""
    asked = st.query_params.get(STOP, "")
    return int(asked) if asked in map(str, NUMBERS) else 0


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
    page = next((APP_FOLDER / "pages").glob(f"*_{STOPS[number - 1].page}.py"))
    carried |= {"typed": links.cut_to_carry(following.typed_sentence()), "present": look()}
    carried[LECTURE] = st.query_params.get(LECTURE, "")
    given = {key: value for key, value in carried.items() if value}
    st.switch_page(page, query_params=given | {STOP: str(number)})


def go_home() -> None:
    """The way out of the tour; the fields that it filled are as they were before."""
    _empty_fields()
    st.switch_page("app.py", query_params={})  # others may be bound still


def arrive(title: str) -> None:
    """Fill the fields of a page, by its title, that a stop has led to: once, they can be changed.

    The next stop may be on the same page, so what the last one filled is emptied first.
    """
    number = reached()
    if st.session_state.get(_ARRIVED, 0) == number:
        return
    st.session_state[_ARRIVED] = number
    if not number:
        return
    asked = st.query_params.to_dict()
    _empty_fields()
    following.leave_alone(title)
    for key, value in STOPS[number - 1].inputs.items():
        if key not in asked:
            st.session_state[key] = value
            with suppress(StreamlitAPIException):  # bound by this page already
                st.query_params[key] = str(value)


def _empty_fields() -> None:
    """Forget what is in the fields of all pages, but for those of the sidebar."""
    for key in st.session_state:
        if not key.startswith("_") and key not in ("model", PRESENTING, LECTURE):
            del st.session_state[key]
