"""What a viewer has guessed and seen on the tour.

It travels in the address, as links load their page anew, and stays in the session for those that do
not: `guess4=false`, `seen=1.4`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from bertviz_core.ui.tour.stops import GUESSES, STOPS

STOP = "stop"  # in the address of Home: the stop that is shown
REACHED = "tour"  # in the address of a view: the stop that led there
NUMBERS = range(1, len(STOPS) + 1)
_KEPT = "_tour"


@dataclass(frozen=True)
class Progress:
    """How far a viewer has come."""

    stop: int = 1  # the one that is shown, from 1
    guesses: Mapping[int, bool] = field(default_factory=dict)  # whether a claim is taken to be true
    seen: frozenset[int] = frozenset()  # the stops whose views were opened

    def inputs(self) -> dict[str, str]:
        """What an address carries of it, but for the stop."""
        given = {f"guess{stop}": GUESSES[not guess] for stop, guess in sorted(self.guesses.items())}
        seen = ".".join(map(str, sorted(self.seen)))
        return given | ({"seen": seen} if seen else {})


def reached() -> int:
    """The stop whose link led to this page, from 1; 0 if none did."""
    return _number(st.query_params.get(REACHED, ""))


def progress() -> Progress:
    """What the address says, and what it said before on any page."""
    given = st.query_params
    kept: Progress = st.session_state.get(_KEPT, Progress())
    guesses = {
        stop: given[key] == GUESSES[0]
        for stop in NUMBERS
        if given.get(key := f"guess{stop}") in GUESSES
    }
    seen = {_number(stop) for stop in given.get("seen", "").split(".")} | {reached()}
    found = Progress(
        _number(given.get(STOP, "")) or reached() or kept.stop,
        {**kept.guesses, **guesses},
        kept.seen | (seen & set(NUMBERS)),
    )
    st.session_state[_KEPT] = found
    return found


def change(**inputs: str) -> None:
    """Write to the address; a callback's way to go on, or to guess."""
    st.query_params.update(inputs)


def _number(text: str) -> int:
    return int(text) if text in map(str, NUMBERS) else 0
