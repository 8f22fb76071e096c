"""A weights file that is replaced, overwritten or cut short while the app runs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from safetensors.numpy import load_file, save

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.encoder import load_encoder
from bertviz_core.shared import models, shared_encoder
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.positions_and_segments.experiments import hidden_states
from tests.headless import charts, open_page, value

pytestmark = pytest.mark.usefixtures("fresh_caches")
TEXT = "the cat sat on the mat"


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
    before = hidden_states(shared_encoder(models.bert("mine")), InputText(TEXT))
    assert models.encoder("mine") is models.encoder("mine")
    change(mine, other_numbers(mine))
    fresh = load_encoder(load_bert(mine))
    expected = fresh.hidden_states(tokenize(fresh.bert, TEXT))
    np.testing.assert_array_equal(
        models.bert("mine").tables.word_norms, fresh.bert.tables.word_norms
    )
    after = hidden_states(shared_encoder(models.bert("mine")), InputText(TEXT))
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, expected)


def test_a_page_goes_on_with_another_model_and_says_why(mine: Path) -> None:
    app = open_page("pages/2_Input_Embeddings.py")
    assert charts(app)
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
