"""Each question of docs/questions.md: its lines print its numbers, its link opens its view."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.process import APP_FOLDER
from bertviz_core.ui.frame import pages
from bertviz_core.ui.views import SHORT
from bertviz_core.views.docs import Question, best_questions, questions
from tests.headless import SCRIPTS, charts, html, open_page

DOCUMENT = (APP_FOLDER / "docs" / "questions.md").read_text(encoding="utf-8")
ENTRIES = list(questions().values())
NUMBER = re.compile(r"-?\d+(?:\.\d*)?")
ROUNDING = 0.011  # another processor may round the last digit another way


def test_every_heading_is_a_question() -> None:
    assert len(ENTRIES) == DOCUMENT.count("\n### ") >= 24


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.question)
@pytest.mark.usefixtures("kept_caches")  # what it has computed is there for the view
def test_the_program_prints_the_number(
    entry: Question, minilm: Bert, minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is shown on Home; the model is opened once for all."""
    monkeypatch.setattr("bertviz_core.bert.load_bert", lambda name: minilm)
    monkeypatch.setattr("bertviz_core.encoder.load_encoder", lambda bert: minilm_encoder)
    output = io.StringIO()
    with redirect_stdout(output):
        exec(entry.program, {})
    printed, wanted = output.getvalue().strip(), entry.prints
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", wanted).split()
    for found, number in zip(NUMBER.findall(printed), NUMBER.findall(wanted), strict=True):
        assert float(found) == pytest.approx(float(number), abs=ROUNDING if "." in number else 0)


def test_the_token_table_as_a_file_of_word_vectors(
    tiny: Bert, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of docs/files.md, read as programs for word2vec read it: split at blanks."""
    document = (APP_FOLDER / "docs" / "files.md").read_text(encoding="utf-8")
    (part,) = re.findall(r"## Word vectors as text\n.*?```python\n(.*?)```", document, re.DOTALL)
    monkeypatch.setattr("bertviz_core.load_bert", lambda name: tiny)
    monkeypatch.chdir(tmp_path)
    exec(part, {})
    first, *lines = (tmp_path / "table.txt").read_text(encoding="utf-8").splitlines()
    tokens, *columns = zip(*(line.split(" ") for line in lines), strict=True)
    assert list(map(int, first.split())) == [len(tokens), len(columns)]
    assert tokens == tiny.vocabulary.tokens
    assert (tiny.tables.word_embeddings == np.array(columns, np.float32).T).all()


# What visitors type, and how the question or the page begins that comes first.
TYPED = {
    "padding": "Do I need attention_mask", "[PAD] zero": "Is the embedding of [PAD]",
    "python": "What is the difference between static", "heatmap": "Input Embeddings",
    "neighbor": "Nearest Neighbors", "neighbours": "Nearest Neighbors", "512": "How long may",
    "max length": "How long may", "tokenizer": "Why does BERT split", "##": "Why does BERT split",
    "emojis": "What happens to emoji", "oov": "What happens to emoji", "lowercase": "Do capital",
    "vocab size": "How many words does", "LayerNorm": "What does LayerNorm",
    "normalisation": "What does LayerNorm", "normalization": "What does LayerNorm",
    "number of parameters": "How many parameters", "fine tuning": "Are the embeddings changed",
    "positional encoding": "Are position embeddings", "word order": "Does BERT know the order",
    "nsp": "In next sentence", "token_type_ids": "What are segment", "analogies": "Does king",
    "polysemy": "Can BERT tell", "sentence embedding": "[CLS], mean, max or pooler",
    "why is cosine high": "Why is the cosine", "pooler output": "What is pooler_output",
    "interpretability": "Is attention", "dimension 768": "What does one of the 384",
    "one hot": "Is an embedding a one-hot", "best layer": "Which layer should",
    "colour of a picture": "Input Embeddings", "tokinizer": "Why does BERT split",
    "hidden_states": "Is hidden_states[0]", "analysing senses": "Can BERT tell",
    "how many words does bert know": "How many words does", "spelling mistake": "What do typos",
    "dropout": "Why do I get other", "why different every time": "Why do I get other",
    "not deterministic": "Why do I get other", "negation": "Why is a sentence so near",
    "typo": "What do typos", "long document": "My text is too long", "glove": "Can I save",
    "gensim": "Can I save", "new token": "I add a token", "freeze": "How do I train new",
    "SEP": "What is [SEP]", "three sentences": "Can I give BERT", "mask": "Should I mask",
    "tied weights": "Are the token table", "phrase": "How do I get one vector",
    "vector to word": "Can I turn", "decoder": "Are the token table",
}  # fmt: skip


def matches(typed: str) -> list[str]:
    return best_questions(typed, tuple((page.title, page.about) for page in pages()[1:]))


@pytest.mark.parametrize("typed", TYPED)
def test_what_visitors_type_is_found(typed: str) -> None:
    assert matches(typed)[0].startswith(TYPED[typed])


def test_a_question_finds_itself_and_nonsense_finds_nothing() -> None:
    for entry in ENTRIES:
        assert matches(entry.question.lower())[0] == entry.question
    assert matches("qwxyz") == matches("is it") == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.question)
@pytest.mark.usefixtures("fresh_caches", "kept_caches")
def test_the_link_opens_its_view(entry: Question) -> None:
    app = open_page(SCRIPTS[entry.page], **entry.inputs)
    begin = [button for button in app.button if str(button.key).startswith("run_")]
    if begin:
        begin[0].click().run()
    assert "bx-alert" not in html(app)
    for key, wanted in entry.inputs.items():
        shown = app.session_state[key]
        assert (app.session_state["card"] if shown == SHORT else str(shown)) == wanted
    assert charts(app)
    assert "bx-finding" in html(app)


@pytest.mark.usefixtures("fresh_caches")
def test_home_answers_a_question() -> None:
    entry = ENTRIES[0]
    app = open_page("app.py")
    assert entry.answer not in [text.value for text in app.text]
    app.text_input(key="ask").set_value(entry.question).run()
    assert entry.answer in [text.value for text in app.text]
    assert entry.program in app.code[-1].value
    assert f'href="{entry.page}?' in html(app)
