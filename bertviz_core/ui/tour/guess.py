"""What is guessed at a stop: true or false, a number, or one of three words; and what is right.

A number is "0.42" in the address; it is then marked on the chart that settles the stop.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from bertviz_core.claims import Verdict
from bertviz_core.figures.colors import MARK
from bertviz_core.ui.tour.stops import Question, Stop

CHOICES = {"true": "true", "false": "false", "depends": "not that simple"}
NEAR = 0.1  # how far a number may be off and count as right
MAX_LENGTH = 100  # characters of a guess
KEY = "guess-number"
LABEL = {"text": "your guess", "bgcolor": MARK, "font": {"color": "#000000"}, "showarrow": False}


class Compared(NamedTuple):
    """A guess beside the truth."""

    off: str  # in words
    said: str  # a sentence of both, to be filled in with `values`
    values: dict[str, str]
    beside: dict[str, Any]  # what of a number is put on the layout of the chart
    is_right: bool


def words(question: Question | None, found: Verdict) -> list[str]:
    """The words to choose from, in an order that tells nothing; none where a number is asked."""
    if question is None or question.line:
        return []
    return sorted(str(found.numbers.get(question.truth, "")).split())


def is_number(guess: str) -> bool:
    """Whether a guess is a number from 0 to 1, as the address has it."""
    return re.fullmatch(r"0\.\d\d|1\.00", guess) is not None


def allowed(question: Question | None, guess: str, offered: list[str]) -> bool:
    """Whether a phone can have given this answer."""
    if question and question.line:
        return is_number(guess)
    return guess in (offered or CHOICES)


def truth_of(stop: Stop, found: Verdict) -> str:
    """What is true of the model in use, as a phone would answer it."""
    if (asked := stop.question) and asked.truth in found.numbers:
        there = found.numbers[asked.truth]
        return f"{min(max(float(there), 0), 1):.2f}" if asked.line else str(there).split()[0]
    return {True: "true", False: "false", None: "depends"}[stop.truth(found)]


def right(guess: str, truth: str) -> bool:
    """Whether an answer is right, a number nearly so."""
    if is_number(truth) and is_number(guess):
        return abs(float(guess) - float(truth)) <= NEAR + 1e-9
    return guess == truth


def ask(question: Question, offered: list[str], on_guess: Callable[[str], None]) -> None:
    """Buttons for words, or a field for a number; `on_guess` gets the guess."""

    def guessed() -> None:
        if (number := st.session_state[KEY]) is not None:
            on_guess(f"{number / 100:.2f}")

    for word in offered:
        st.button(word, key=f"guess-{word}", on_click=on_guess, args=(word,))
    if question.line:
        st.number_input(
            "0 to 100", 0, 100, None, key=KEY, placeholder="0 to 100", width=160,
            label_visibility="collapsed",
        )  # fmt: skip
        st.button("That is my guess", key="guess-made", on_click=guessed)


def compared(question: Question | None, guess: str, found: Verdict) -> Compared | None:
    """A guess beside the truth; None without one, or where the model has no such numbers."""
    if question is None or question.truth not in found.numbers:
        return None
    if question.line and is_number(guess):
        made, there = (round(100 * float(one)) for one in (guess, found.numbers[question.truth]))
        ends = question.line(float(guess))
        line = {"type": "line", "line": {"color": MARK, "width": 3, "dash": "dash"}}
        return Compared(
            off := f"{abs(made - there)} points off",
            "You said <b>{guess}</b>, it is <b>{there}</b>: <b>{off}</b>",
            {"guess": f"{made}", "there": f"{there}", "off": off},
            {"shapes": [line | ends],
             "annotations": [LABEL | {"x": (ends["x0"] + ends["x1"]) / 2, "y": ends["y1"],
                                      "yref": ends.get("yref", "y")}]},
            abs(made - there) <= 100 * NEAR,
        )  # fmt: skip
    if guess not in words(question, found):
        return None
    is_right = guess == str(found.numbers[question.truth]).split()[0]
    return Compared(
        off := "right" if is_right else "wrong",
        "You said <b>{guess}</b>: <b>{off}</b>",
        {"guess": guess, "off": off},
        {},
        is_right,
    )
