"""What is guessed at a stop: true or false, a number, or one of three words; and what is right.

A number is "0.42" in the address.
"""

import re
from collections.abc import Callable, Sequence

import streamlit as st

from bertviz_core.claims import Verdict
from bertviz_core.ui.tour.stops import Question, Stop

CHOICES = {"true": "true", "false": "false", "depends": "not that simple"}
NEAR = 0.1  # how far a number may be off and count as right
MAX_LENGTH = 100  # characters of a guess
KEY = "guess-number"


def words(question: Question | None, found: Verdict) -> list[str]:
    """The words to choose from, in an order that tells nothing; none where a number is asked."""
    if question is None or question.is_number:
        return []
    return sorted(str(found.numbers.get(question.truth, "")).split())


def is_number(guess: str) -> bool:
    """Whether a guess is a number from 0 to 1, as the address has it."""
    return re.fullmatch(r"0\.\d\d|1\.00", guess) is not None


def allowed(question: Question | None, guess: str, offered: list[str]) -> bool:
    """Whether a phone can have given this answer."""
    if question and question.is_number:
        return is_number(guess)
    return guess in (offered or CHOICES)


def truth_of(stop: Stop, found: Verdict) -> str:
    """What is true of the model in use, as a phone would answer it."""
    there = str(found.numbers.get(stop.question.truth, "")) if stop.question else ""
    if stop.question and there:
        number = stop.question.is_number
        return f"{min(max(float(there), 0), 1):.2f}" if number else there.split()[0]
    return {True: "true", False: "false", None: "depends"}[stop.truth(found)]


def right(guess: str, truth: str) -> bool:
    """Whether an answer is right, a number nearly so."""
    if is_number(truth) and is_number(guess):
        return abs(float(guess) - float(truth)) <= NEAR + 1e-9
    return guess == truth


def is_right(stop: Stop, guess: str, found: Verdict) -> bool | None:
    """Whether a guess is right; None where none was made, and where it is not that simple."""
    truth = truth_of(stop, found)
    made = allowed(stop.question, guess, words(stop.question, found))
    return right(guess, truth) if made and truth != "depends" else None


def ask(offered: Sequence[str], on_guess: Callable[[str], None]) -> None:
    """Buttons for words, or a field for a number if there are none; `on_guess` gets the guess."""

    def guessed() -> None:
        if (number := st.session_state[KEY]) is not None:
            on_guess(f"{number / 100:.2f}")

    for word in offered:
        st.button(word, key=f"guess-{word}", on_click=on_guess, args=(word,))
    if not offered:
        st.number_input(
            "0 to 100", 0, 100, None, key=KEY, placeholder="0 to 100", width=160,
            label_visibility="collapsed",
        )  # fmt: skip
        st.button("That is my guess", key="guess-made", on_click=guessed)


def compared(stop: Stop, guess: str, found: Verdict) -> tuple[str, dict[str, str]]:
    """A number or a word beside the truth: a sentence, and its values; "" where there is none."""
    its, truth = is_right(stop, guess, found), truth_of(stop, found)
    if stop.question is None or its is None:
        return "", {"guess": guess}
    if not stop.question.is_number:
        off = "right" if its else "wrong"
        return "You said <b>{guess}</b>: <b>{off}</b>", {"guess": guess, "off": off}
    made, there = (round(100 * float(one)) for one in (guess, truth))
    said = "You said <b>{guess}</b>, it is <b>{there}</b>: <b>{off}</b>"
    off = f"{abs(made - there)} points off"
    return said, {"guess": f"{made}", "there": f"{there}", "off": off}
