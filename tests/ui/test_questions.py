"""The questions of docs/questions.md on Home: found by what people type, each opens its view."""

import pytest

from bertviz_core.ui.page import PAGES
from bertviz_core.views.declare import all_sections
from bertviz_core.views.docs import Question, best_questions, questions
from scripts import write_docs
from tests.headless import SCRIPTS, charts, html, open_page

ENTRIES = questions()
# What visitors type, and how the question or the page begins that comes first.
TYPED = {
    "padding": "Do I need attention_mask", "[PAD] zero": "Is the embedding of [PAD]",
    "python": "What is the difference between static", "heatmap": "Input Embeddings",
    "neighbours": "Nearest Neighbors", "max length": "How long may", "##": "Why does BERT split",
    "oov": "What happens to emoji", "normalisation": "What does LayerNorm",
    "number of parameters": "How many parameters", "fine tuning": "Are the embeddings changed",
    "word order": "Does BERT know the order", "token_type_ids": "What are segment",
    "analogies": "Does king", "polysemy": "Can BERT tell", "nsp": "In next sentence",
    "why is cosine high": "Why is the cosine", "pooler output": "What is pooler_output",
    "dimension 768": "What does one of the 384", "best layer": "Which layer should",
    "colour of a picture": "Input Embeddings", "tokinizer": "Why does BERT split",
    "hidden_states": "Is hidden_states[0]", "analysing senses": "Can BERT tell",
    "how many words does bert know": "How many words does", "not deterministic": "Why do I get",
    "negation": "Why is a sentence so near", "glove": "Can I save", "mask": "Should I mask",
    "three sentences": "Can I give BERT", "tied weights": "Are the token table",
}  # fmt: skip


def matches(typed: str) -> list[str]:
    return best_questions(typed, tuple((page.title, page.about) for page in PAGES[1:]))


@pytest.mark.parametrize("typed", TYPED)
def test_what_visitors_type_is_found(typed: str) -> None:
    assert matches(typed)[0].startswith(TYPED[typed])


def test_a_question_finds_itself_and_nonsense_finds_nothing() -> None:
    assert [matches(question.lower())[0] for question in ENTRIES] == list(ENTRIES)
    assert matches("qwxyz") == matches("is it") == []


def test_a_link_names_a_view_and_keys_of_its_page() -> None:
    titles = {page.address: page.title for page in PAGES}
    assert set(write_docs.FIELDS) == set(titles.values()), "docs/links.md has every page"
    views = {(view.page, view.label) for view in all_sections()}
    for question, entry in ENTRIES.items():
        title = titles[entry.page]
        assert entry.inputs.keys() <= {*write_docs.EVERYWHERE, *write_docs.fields_of(title)}
        assert (title, entry.inputs.get("section", "")) in views | {(title, "")}, question


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.usefixtures("fresh_caches", "kept_caches")
def test_the_link_opens_its_view(entry: Question) -> None:
    app = open_page(SCRIPTS[entry.page], **entry.inputs)
    for button in [one for one in app.button if str(one.key).startswith("run_")][:1]:
        button.click().run()
    assert "bx-alert" not in html(app)
    for key, wanted in entry.inputs.items():
        assert str(app.session_state[key]) == wanted
    assert charts(app)
    assert "bx-finding" in html(app)


@pytest.mark.usefixtures("fresh_caches")
def test_home_answers_a_question() -> None:
    question, entry = next(iter(ENTRIES.items()))
    app = open_page("app.py")
    assert entry.answer not in [text.value for text in app.text]
    app.text_input(key="ask").set_value(question).run()
    assert entry.answer in [text.value for text in app.text]
    assert entry.program in app.code[-1].value
    assert f'href="{entry.page}?' in html(app)
