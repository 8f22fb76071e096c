"""Home: one word in two sentences and what becomes of it, questions, the tour."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.contextual.marks import lenient_marks, pieces_of, with_marks
from bertviz_core.shared import shared_encoder
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.draw import Drawing
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.following import arrive_alone, leave_beside, remember_word
from bertviz_core.ui.html import Row, caption, note, word_chips
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.present import embedded, presenting
from bertviz_core.ui.server import MIDDLEWARE, ROUTES
from bertviz_core.ui.tour import tour
from bertviz_core.views.docs import Question, best_questions, questions
from bertviz_core.views.home.two_sentences import HEIGHT, paths, sums
from bertviz_core.views.view import Part, Table, View
from bertviz_core.views.word_in_context.reading import Line, read_lines
from bertviz_core.views.word_in_context.words import WordsToCompare, compared

QUESTION, EVERY = "ask", "every-question"  # keys of what is searched for, and of the whole list
FIRST, SECOND = "I love my pet python", "I love coding in python"
WORD = "word"  # key of the followed word; of several, each sentence has the first that is in it
EXAMPLES: dict[str, dict[str, str | int]] = {
    "bank": {"a": "We sat on the bank of the river", "a2": "She went to the bank for a loan"},
    "spring": {"a": "The flowers come in spring", "a2": "The mattress has a broken spring"},
    "in pieces": {"a": "The awesomesauce was hot", "a2": "That film is pure awesomesauce"},
}


@fragment
def two_sentences(bert: Bert) -> None:
    """Ask for two sentences, and show what becomes of a word in them."""
    arrive_alone("a", "a2", SECOND)
    typed, chips, large = [], [], presenting()
    with slots.panel("sentences", "a", "a2"):
        with slots.cells("typed", 2) as cells:
            for key, label, first in (("a", "A sentence", FIRST), ("a2", "Another one", SECOND)):
                cell = cells.cell()
                with cell:
                    typed.append(inputs.sentence(label, first, key=key, live=True))
                chips.append(cell)
        panel = slots.part("presented") if large else None
    finding, pictures, walk, ways = map(slots.part, ("finding", "bands", "paths", "ways"))
    examples = partial(links.examples, "", EXAMPLES)
    with panel or ways, slots.options("sentences", beside=examples):
        label = "Word to follow (or tap it above)"
        words = inputs.sentence(label, "", key=WORD, placeholder="one that both have")
    lines = read_both(bert, typed, words.casefold().split(", "))
    for number, slot in enumerate(chips):
        with slot:
            show_words(lines, number)
    leave_beside([with_marks(line.text, line.followed) for line in lines[1:] if line.text.strip()])
    with slots.cells("folds", 2) as cells:
        left, right = cells.cell(), cells.cell()
    if not embedded():
        drawing, (shown, folded) = split_at_table(sums(bert, lines, link_to_sums(lines), large))
        with pictures:
            drawing.draw(shown)
        with left:
            drawing.draw(folded)
    if not large:
        with ways:
            links.row("Go on with", {
                "its sum": link_to_sums(lines),
                "its path between two words": link_to_paths(lines),
            })  # fmt: skip
    marks = tuple(mark for line in lines for mark in line.marks)
    if not marks:
        with finding:
            note("No words yet: BERT reads only [CLS] and [SEP].")
        return
    texts = tuple((line.text, line.tokens) for line in lines)
    with walk, waiting("Running BERT on both sentences …", height=HEIGHT):
        found = compared(shared_encoder(bert), WordsToCompare(marks, texts=texts))
    near = {one.word: links.view("Nearest_Neighbors", q=one.word) for one in found.anchors}
    drawing, (shown, folded) = split_at_table(paths(found, bert, link_to_paths(lines), near, large))
    with finding:
        drawing.draw(shown[:1])
    with walk:
        drawing.draw(shown[1:])
    with right:
        drawing.draw(folded)


def read_both(bert: Bert, typed: Sequence[str], words: Sequence[str]) -> list[Line]:
    """Read the sentences; each follows the first of the words that it has, if there is one."""
    read = iter(read_lines(bert, typed))
    blank = Line(tokenize(bert, ""), "", [], [], chosen=True)
    lines = [next(read) if lenient_marks(text)[0].strip() else blank for text in typed]
    return [
        line._replace(followed=next(filter(None, map(line.same, words)), line.followed))
        for line in lines
    ]


def show_words(lines: Sequence[Line], number: int) -> None:
    """Show the words of a sentence; the tapped one is followed wherever it is."""
    line = lines[number]
    names = [one.name(span) for one in lines for span in one.followed]

    def tap(_: int, word: int) -> None:
        st.session_state[WORD] = ", ".join(dict.fromkeys([line.name(line.words[word]), *names]))

    words = [line.text[slice(*span)] for span in line.words]
    word_chips([Row("", words, [*map(line.is_followed, line.words)])], tap, name=f"words-{number}")
    if number == 0 and line.followed:  # the word that other pages open with
        first = pieces_of(line.marks[0], line.tokens)[0]
        remember_word(InputText(line.text), line.tokens, first)


def link_to_sums(lines: Sequence[Line]) -> str:
    """The address of Input Embeddings with both sentences."""
    text, other = (links.cut_to_carry(line.text, links.ADDRESS // 2) for line in lines)
    return links.view("Input_Embeddings", a=text, b=other)


def link_to_paths(lines: Sequence[Line]) -> str:
    """The address of Word in Context with both sentences, their words marked."""
    marked = (with_marks(line.text, line.followed) for line in lines if line.text.strip())
    cut = [links.cut_to_carry(text, links.ADDRESS // 2) for text in marked]
    return links.view("Word_in_Context", s="\n".join(cut))


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
