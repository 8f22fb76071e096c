"""Home: one word in two sentences and what becomes of it, questions, the tour."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.shared import shared_encoder
from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.address import SECOND, SENTENCE, WORD
from bertviz_core.ui.draw import Drawing
from bertviz_core.ui.errors import bound_the_log, fragment
from bertviz_core.ui.followed import ask_two, ask_word, show_words
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.present import embedded, presenting
from bertviz_core.ui.server import MIDDLEWARE, ROUTES
from bertviz_core.ui.tour import tour
from bertviz_core.views.docs import Question, best_questions, questions
from bertviz_core.views.home.two_sentences import HEIGHT, paths, sums
from bertviz_core.views.view import Part, Table, View
from bertviz_core.views.word_in_context.reading import read_lines
from bertviz_core.views.word_in_context.words import WordsToCompare, compared

QUESTION, EVERY = "ask", "every-question"  # keys of what is searched for, and of the whole list
EXAMPLES: dict[str, dict[str, str | int]] = {
    "bank": {"a": "We sat on the bank of the river", "a2": "She went to the bank for a loan"},
    "spring": {"a": "The flowers come in spring", "a2": "The mattress has a broken spring"},
    "in pieces": {"a": "The awesomesauce was hot", "a2": "That film is pure awesomesauce"},
}


@fragment
def two_sentences(bert: Bert) -> None:
    """Ask for two sentences, and show what becomes of a word in them."""
    large = presenting()
    with slots.panel("sentences", SENTENCE, SECOND):
        with slots.cells("typed", 2) as cells:
            typed, chips = ask_two(cells)
        panel = slots.part("presented") if large else None
    finding, pictures, walk, ways = map(slots.part, ("finding", "bands", "paths", "ways"))
    examples = partial(links.examples, "", EXAMPLES)
    with panel or ways, slots.options("sentences", beside=examples):
        words = ask_word()
    lines = read_lines(bert, typed, words)
    fields = {key: [line] for key, line in zip((SENTENCE, SECOND), lines, strict=True)}
    for slot, key in zip(chips, fields, strict=True):
        with slot:
            show_words(fields, key)
    with slots.cells("folds", 2) as cells:
        left, right = cells.cell(), cells.cell()
    if not embedded():
        drawing, (shown, folded) = split_at_table(sums(bert, lines, large))
        with pictures:
            drawing.draw(shown)
        with left:
            drawing.draw(folded)
    if not large:
        with ways:
            plain = [line.text for line in lines]
            a, b, marked_a, marked_b = map(links.cut_to_carry, [*plain, *typed])
            word = {WORD: ", ".join(words)} if words else {}
            links.row("Open", {
                "its sum on Input Embeddings": links.view("Input_Embeddings", a=a, b=b),
                "its path on Word in Context":
                    links.view("Word_in_Context", a=marked_a, a2=marked_b, **word),
            })  # fmt: skip
    marks = tuple(mark for line in lines for mark in line.marks)
    if not marks:
        with finding:
            note("No words yet: BERT reads only [CLS] and [SEP].")
        return
    texts = tuple((line.text, line.tokens) for line in lines)
    with walk, waiting("Running BERT on both sentences …", height=HEIGHT):
        found = compared(shared_encoder(bert), WordsToCompare(marks, texts=texts))
    drawing, (shown, folded) = split_at_table(paths(found, bert, large))
    with finding:
        drawing.draw(shown[:1])
    with walk:
        drawing.draw(shown[1:])
    with right:
        drawing.draw(folded)


def split_at_table(view: View) -> tuple[Drawing, tuple[Sequence[Part], Sequence[Part]]]:
    """What is seen at once, and what is folded away, from its table on."""
    at = next(number for number, part in enumerate(view.parts) if isinstance(part, Table))
    return Drawing(view), (view.parts[:at], view.parts[at:])


@fragment
def answers(bert: Bert) -> None:
    """Search the questions and the pages: the best one is open, others are folded."""
    st.subheader("Questions people ask", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="part-asked"):
        typed = inputs.sentence(
            f"{len(questions())} answers, each with a number and the view that shows it",
            "",
            key=QUESTION,
            placeholder="Type a word: padding, layer, cosine, [CLS] …",
            live=True,
        )
        st.menu_button("All questions", list(questions()), key=EVERY, on_click=take_question)
    pages = {page.title: page for page in frame.pages()[1:]}
    best = best_questions(typed, tuple((title, page.about) for title, page in pages.items()))
    if typed.strip() and not best:
        caption("Nothing here has “{typed}”. All questions are in the list.", typed=typed)
    for name in best:
        if page := pages.get(name):
            links.card(name, page.about, links.view(page.address))
        else:
            with st.expander(name, expanded=name == best[0]):
                show_answer(questions()[name], bert)


def take_question() -> None:
    """Search for the question that was chosen from the list of all."""
    st.session_state[QUESTION] = st.query_params[QUESTION] = st.session_state[EVERY]


def show_answer(entry: Question, bert: Bert) -> None:
    """Show an answer, a link to its view, and the program that prints its number."""
    st.text(entry.answer)
    if bert.name != EMBEDDED:
        caption("The numbers are those of {embedded}; the view has those of {model}.",
                embedded=EMBEDDED, model=bert.name)  # fmt: skip
    view = ": ".join([entry.page.replace("_", " "), *filter(None, [entry.inputs.get("section")])])
    links.row("See it", {view: links.view(entry.page, **entry.inputs)})
    st.code(f"{entry.program}  # {entry.prints}", language="python", wrap_lines=True)


if __name__ != "__main__":  # the server imports this file once; a visitor's page runs it
    bound_the_log()
    app = st.App(__file__, middleware=MIDDLEWARE, routes=ROUTES)
else:
    bert = frame.page(
        "Home",
        "See BERT's embedding layer",
        "Type two sentences, and tap a word.",
        icon=":material/home:",
    )
    two_sentences(bert)
    answers(bert)
    tour.stops()
