"""Home: one word in two sentences and what becomes of it, questions, the tour."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.shared.models import SharedEncoder
from bertviz_core.ui import draw, fields, html, page, state
from bertviz_core.ui.draw import Drawing
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.log import bound_the_log
from bertviz_core.ui.server import MIDDLEWARE, ROUTES
from bertviz_core.ui.state import ANCHORS, SECOND, SENTENCE, WORD
from bertviz_core.ui.tour import tour
from bertviz_core.ui.tour.phone import clear_up
from bertviz_core.views.docs import Question, best_questions, questions
from bertviz_core.views.home.two_sentences import HEIGHT, paths, sums
from bertviz_core.views.parts import Part, Table
from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.comparison import MAX_ANCHORS, WordsToCompare, compared
from bertviz_core.views.word_in_context.reading import read_lines

QUESTION, EVERY = "ask", "every-question"  # keys of what is searched for, and of the whole list
EXAMPLES: dict[str, dict[str, str | int]] = {
    "bank": {"a": "We sat on the bank of the river", "a2": "She went to the bank for a loan"},
    "spring": {"a": "The flowers come in spring", "a2": "The mattress has a broken spring"},
    "in pieces": {"a": "The awesomesauce was hot", "a2": "That film is pure awesomesauce"},
}


def two_sentences(bert: Bert) -> None:
    """Ask for two sentences, and show what becomes of a word in them."""
    visit = state.now()
    large = visit.presenting
    with page.panel("sentences", SENTENCE, SECOND, ANCHORS):
        with st.grid(2, key="cells-typed") as cells:
            typed, chips = fields.ask_two(cells)
        anchors_slot = st.container(key="part-anchors")
        panel = st.container(key="part-presented") if large else None
    finding, pictures, walk, ways = (
        st.container(key=f"part-{name}") for name in ("finding", "bands", "paths", "ways")
    )
    examples = partial(html.examples, EXAMPLES)
    with panel or ways, page.options("sentences", beside=examples):
        words = fields.ask_word()
    lines = read_lines(bert, typed, words)
    rows = {key: [line] for key, line in zip((SENTENCE, SECOND), lines, strict=True)}
    for slot, key in zip(chips, rows, strict=True):
        with slot:
            fields.show_words(rows, key)
    with anchors_slot, page.cells_for_anchors() as cells:
        with cells.cell():
            anchors = tuple(fields.ask_anchors(lines))
        near = cells.cell()
    with st.grid(2, key="cells-folds") as cells:
        left, right = cells.cell(), cells.cell()
    if not visit.is_embedded:
        drawing, (shown, folded) = split_at_table(sums(bert, lines, large))
        with pictures:
            drawing.draw(shown)
        with left:
            drawing.draw(folded)
    if not large:
        with ways:
            plain = [line.text for line in lines]
            a, b, marked_a, marked_b = map(state.cut_to_carry, [*plain, *typed])
            more = {WORD: ", ".join(words), ANCHORS: ", ".join(anchors)}
            more = {key: text for key, text in more.items() if text}
            html.links("Open", {
                "its sum on Input Embeddings": state.link("Input_Embeddings", a=a, b=b),
                "its path on Word in Context":
                    state.link("Word_in_Context", a=marked_a, a2=marked_b, **more),
            })  # fmt: skip
    marks = tuple(mark for line in lines for mark in line.followed)
    if not marks:
        with finding:
            note("No words yet: BERT reads only [CLS] and [SEP].")
        return
    texts = tuple((line.text, line.tokens) for line in lines)
    with walk, waiting("Running BERT on both sentences …", height=HEIGHT):
        request = WordsToCompare(marks, anchors[:MAX_ANCHORS], texts=texts)
        comparison = compared(SharedEncoder(bert), request)
    with near:
        fields.offer_anchors(comparison)
    drawing, (shown, folded) = split_at_table(paths(comparison, bert, large))
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


def answers(bert: Bert) -> None:
    """Search the questions and the pages: the best one is open, others are folded."""
    st.subheader("Questions people ask", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="part-asked"):
        typed = fields.sentence(
            f"{len(questions())} answers, each with a number and the view that shows it",
            "",
            key=QUESTION,
            placeholder="Type a word: padding, layer, cosine, [CLS] …",
            live=True,
        )
        st.menu_button("All questions", list(questions()), key=EVERY, on_click=take_question)
    entries = {entry.title: entry for entry in page.PAGES[1:]}
    best = best_questions(typed, tuple((title, entry.about) for title, entry in entries.items()))
    if typed.strip() and not best:
        caption("Nothing here has “{typed}”. All questions are in the list.", typed=typed)
    for name in best:
        if entry := entries.get(name):
            html.link_card(name, entry.about, state.link(entry.address))
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
    html.links("See it", {view: state.link(entry.page, **entry.inputs)})
    st.code(f"{entry.program}  # {entry.prints}", language="python", wrap_lines=True)


if __name__ != "__main__":  # the server imports this file once; a visitor's page runs it
    page.set_up()
    bound_the_log()
    clear_up()
    app = st.App(__file__, middleware=MIDDLEWARE, routes=ROUTES)
else:
    bert = page.begin(
        "Home",
        "See BERT's embedding layer",
        "Type two sentences, and tap a word.",
    )
    draw.show_fragment(two_sentences, bert)
    draw.show_fragment(answers, bert)
    tour.stops()
