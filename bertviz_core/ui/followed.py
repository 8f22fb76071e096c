"""Two sentences and the word that is followed in them, on Home and Word in Context."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.grid_container import GridContainer

from bertviz_core.contextual.marks import with_marks
from bertviz_core.ui import inputs
from bertviz_core.ui.address import PAGE, SECOND, SENTENCE, TYPED_ON, WORD, proposed, put
from bertviz_core.ui.html import Row, word_chips
from bertviz_core.views.word_in_context.reading import Line

EXAMPLES = {SENTENCE: "I love my pet python", SECOND: "I love coding in python"}
LABELS = {SENTENCE: "A sentence", SECOND: "Another one"}
WORD_HINT = "one that both have"
TITLES = ("Home", "Word in Context")  # of the pages that compare two sentences


def ask_two(cells: GridContainer) -> tuple[list[str], list[DeltaGenerator]]:
    """Ask for two sentences, a cell each; what was typed, and the cells."""
    typed_on = st.session_state.get(TYPED_ON, TITLES[0])
    untouched = ("", None, st.session_state.get(proposed(SENTENCE)))
    if typed_on not in TITLES and st.session_state.get(SENTENCE) not in untouched:
        # The second example belongs to the first one, not to a sentence of another page.
        if st.session_state.get(SECOND, EXAMPLES[SECOND]) == EXAMPLES[SECOND]:
            put(SECOND, "")
        st.session_state[TYPED_ON] = st.session_state[PAGE]
    typed, used = [], []
    for key, label in LABELS.items():
        cell = cells.cell()
        with cell:
            typed.append(inputs.sentence(label, EXAMPLES[key], key=key, live=True))
        used.append(cell)
    return typed, used


def ask_word() -> list[str]:
    """Ask for the word to follow; the words in the field."""
    words = inputs.sentence("Word to follow (or tap it above)", "", key=WORD, placeholder=WORD_HINT)
    return [word.strip() for word in words.casefold().split(",") if word.strip()]


def show_words(fields: Mapping[str, Sequence[Line]], shown: str) -> None:
    """Show the words of the sentences in one of the `fields`; a tapped word is followed in all.

    Brackets are taken out of the sentences that have the word.
    """
    names = [
        line.name(span) for lines in fields.values() for line in lines for span in line.followed
    ]
    rows = [
        Row(
            "",
            [line.text[slice(*span)] for span in line.words],
            [line.is_followed(span) for span in line.words],
        )
        for line in fields[shown]
    ]

    def tap(row: int, word: int) -> None:
        line = fields[shown][row]
        name = line.name(line.words[word])
        st.session_state[WORD] = ", ".join(dict.fromkeys([name, *names]))
        for key, lines in fields.items():
            if any(one.marked and one.same(name) for one in lines):
                st.session_state[key] = "\n".join(
                    with_marks(one.text, [] if one.same(name) else one.marked) for one in lines
                )

    word_chips(rows, tap, name=f"words-{shown}")
