"""Models: in memory, on offer, not ready, wrongly set, or with a file that changes meanwhile."""

import re
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from safetensors.numpy import load_file, save

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.encoder import load_encoder
from bertviz_core.shared.models import ModelMemory, SharedEncoder, models
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.positions_and_segments.experiments import hidden_states
from tests.headless import charts, html, open_page, said, value

EMBEDDINGS, NEIGHBORS = "pages/2_Input_Embeddings.py", "pages/3_Nearest_Neighbors.py"
TEXT = "the cat sat on the mat"


def test_the_last_checkpoints_stay_open_and_one_encoder(tiny_folder: Path) -> None:
    opened: list[str] = []

    def open_checkpoint(name: object) -> Bert:
        opened.append(str(name))
        bert = load_bert(tiny_folder)
        object.__setattr__(bert.checkpoint, "name", str(name))
        return bert

    memory = ModelMemory(open_checkpoint, load_encoder)
    first = memory.bert("one")
    for name in ("one", "two", "one", "three"):  # "two" was asked for longest ago
        memory.bert(name)
    assert memory.bert("one") is first
    assert opened == ["one", "two", "three"]
    assert not memory.has_encoder("one")
    encoder = memory.encoder("one")
    assert memory.encoder("one") is encoder
    assert memory.has_encoder("one")
    memory.encoder("three")
    assert not memory.has_encoder("one")


def test_opening_a_checkpoint_does_not_wait_for_an_encoder(tiny: Bert) -> None:
    loading, go_on = threading.Event(), threading.Event()

    def load(bert: Bert) -> None:
        loading.set()
        go_on.wait(20)

    memory = ModelMemory(lambda name: tiny, load)  # type: ignore[arg-type, return-value]
    waiting = threading.Thread(target=memory.encoder, args=("tiny",))
    waiting.start()
    assert loading.wait(20)
    assert memory.bert("tiny") is tiny
    assert waiting.is_alive()
    go_on.set()
    waiting.join()


@pytest.mark.usefixtures("fresh_caches")
def test_a_model_that_is_not_ready_is_said_and_the_page_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", "gone=/no/such/folder")
    app = open_page(EMBEDDINGS)
    app.selectbox(key="model").set_value("bert-large-uncased").run()
    assert value(app, "problem") == "bert-large-uncased is not on this machine yet."
    assert value(app, "fallback") == "all-MiniLM-L6-v2"
    assert app.button(key="download_model").label == "Download bert-large-uncased, 1,345 MB"
    assert charts(app)
    listed = [text.value for text in app.text]
    assert "all-MiniLM-L6-v2: ready" in listed
    assert "bert-base-cased: bert-base-cased is not on this machine yet." in listed
    app.selectbox(key="model").set_value("gone").run()
    assert "The folder set for gone does not exist" in html(app)
    assert "/no/such/folder" not in html(app)
    assert charts(app)


@pytest.mark.usefixtures("tiny_on_offer")
def test_prepared_links_keep_the_model() -> None:
    app = open_page(NEIGHBORS)
    assert "model=" not in html(app)
    app.selectbox(key="model").set_value("tiny").run()
    links = re.findall(r'href="([^"]+)"', html(app))
    prepared = [link for link in links if not link.startswith("Methods?")]  # one text for all
    assert prepared
    assert all("model=tiny" in link for link in prepared)


@pytest.mark.usefixtures("fresh_caches")
def test_a_visitor_cannot_name_a_path(tiny_folder: Path) -> None:
    app = open_page("app.py", model=str(tiny_folder))
    assert app.selectbox(key="model").value == "all-MiniLM-L6-v2"


@pytest.mark.usefixtures("fresh_caches")
def test_a_wrong_setting_of_the_operators_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "gpt-2")
    app = open_page("app.py")
    assert "BERTVIZ_MODEL is “gpt-2”; expected one of all-MiniLM-L6-v2" in said(app)


def other_numbers(folder: Path) -> bytes:
    """The same tensors with other numbers: a file of the same size."""
    return save({name: array * 0.5 for name, array in load_file(folder / WEIGHTS).items()})


def overwrite(folder: Path, content: bytes) -> None:
    """As `cp` does: the same file, whose numbers change under whoever has mapped it."""
    with (folder / WEIGHTS).open("r+b") as file:
        file.write(content)
        file.truncate()


def replace(folder: Path, content: bytes) -> None:
    """As `mv` does: another file under the same name."""
    (folder / "new").write_bytes(content)
    (folder / "new").rename(folder / WEIGHTS)


@pytest.mark.parametrize("change", [overwrite, replace])
def test_numbers_are_those_of_the_file_as_it_is(
    mine: Path, change: Callable[[Path, bytes], None]
) -> None:
    before = hidden_states(SharedEncoder(models.bert("mine")), InputText(TEXT))
    assert models.encoder("mine") is models.encoder("mine")
    change(mine, other_numbers(mine))
    fresh = load_encoder(load_bert(mine))
    expected = fresh.hidden_states(tokenize(fresh.bert, TEXT))
    np.testing.assert_array_equal(
        models.bert("mine").tables.word_norms, fresh.bert.tables.word_norms
    )
    after = hidden_states(SharedEncoder(models.bert("mine")), InputText(TEXT))
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, expected)


def test_a_page_goes_on_with_another_model_and_says_why(mine: Path) -> None:
    app = open_page(EMBEDDINGS)
    whole = (mine / WEIGHTS).read_bytes()
    overwrite(mine, whole[: len(whole) // 2])
    st.cache_resource.clear()  # the app looks for files again after some seconds
    app.run()
    assert not app.exception
    assert "model.safetensors of mine cannot be read" in value(app, "problem")
    assert value(app, "fallback") == "all-MiniLM-L6-v2"
    assert charts(app)
    overwrite(mine, whole)
    st.cache_resource.clear()
    app.run()
    assert not app.exception
    assert models.bert("mine").is_current()
