"""A model that was never trained: as transformers would begin it, and offered by a click."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED, RANDOM, OfferedModel
from bertviz_core.checkpoints.checkpoint import WEIGHTS, kept_folder, locate
from bertviz_core.checkpoints.random_weights import make_random
from bertviz_core.checkpoints.ready import why_unavailable
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import tokenize
from bertviz_core.views.positions_and_segments.segments import fresh_rows
from tests.headless import charts, open_page, value
from tests.waiting import wait_for


@pytest.fixture
def kept(hub_cache: Path) -> Path:
    return hub_cache.parent / "bertviz"


def test_drawn_as_the_library_draws(kept: Path, tiny_folder: Path) -> None:
    model = OfferedModel("tiny, random", shape_of=str(tiny_folder))
    with pytest.raises(ModelUnavailableError, match="not on this machine yet"):
        locate(model)
    steps: list[tuple[int, int]] = []
    made = make_random(model, lambda *step: steps.append(step))
    assert made.folder == kept_folder() / "tiny, random" == kept / "tiny, random"
    assert list(kept.iterdir()) == [made.folder]
    bert, shape = load_bert(made), load_bert(tiny_folder)
    assert bert.source == "random"
    assert bert.vocabulary.tokens == shape.vocabulary.tokens
    spread = shape.settings["initializer_range"]
    ours, theirs = load_file(made.weights), load_file(tiny_folder / WEIGHTS)
    assert {n: t.shape for n, t in ours.items()} == {n: t.shape for n, t in theirs.items()}
    assert steps == [(done, len(ours)) for done in range(len(ours))]
    for name, tensor in ours.items():
        if "LayerNorm.weight" in name:
            assert (tensor == 1).all()
        elif name.endswith("bias"):
            assert not tensor.any()
        else:
            assert tensor.std() == pytest.approx(spread, rel=0.25)
    table = bert.tables.word_embeddings
    assert not table[0].any()  # the row of [PAD]
    assert not fresh_rows(table[1:], spread).changed
    states = load_encoder(bert).hidden_states(tokenize(bert, "the cat"))
    assert np.isfinite(states).all()
    again = load_file(make_random(model, lambda *_: None).weights)
    assert all(np.array_equal(again[name], ours[name]) for name in ours)


def test_of_servers_that_draw_at_once_one_is_first_and_all_have_its_model(
    kept: Path, tiny_folder: Path
) -> None:
    model = OfferedModel("tiny, random", shape_of=str(tiny_folder))
    together = threading.Barrier(4)

    def at_the_end(done: int, total: int) -> None:
        if done + 1 == total:
            together.wait(60)

    with ThreadPoolExecutor(4) as pool:
        made = {*pool.map(lambda _: make_random(model, at_the_end), range(4))}
    assert made == {locate(model)}
    assert load_bert(made.pop()).is_current()
    assert [path.name for path in kept.iterdir()] == [model.name]


def test_what_is_whole_by_then_stays_and_what_is_damaged_does_not(
    kept: Path, tiny_folder: Path
) -> None:
    model = OfferedModel("tiny, random", shape_of=str(tiny_folder))
    opened: list[Bert | None] = []

    def another_server(done: int, total: int) -> None:
        if done + 1 == total and not opened:
            opened.append(None)  # it comes here, too
            opened[:] = [load_bert(make_random(model, another_server))]

    made = make_random(model, another_server)
    (other,) = opened
    assert other is not None
    assert other.is_current()
    for file in (WEIGHTS, "config.json"):
        content = (made.folder / file).read_bytes()
        (made.folder / file).write_bytes(content[: len(content) // 2])
        assert why_unavailable(model)
        assert (make_random(model, lambda *_: None).folder / file).read_bytes() == content
    assert [path.name for path in kept.iterdir()] == [model.name]


def test_a_folder_that_cannot_be_written(kept: Path, tiny_folder: Path) -> None:
    kept.write_text("a file where the folder should be")
    model = OfferedModel("tiny, random", shape_of=str(tiny_folder))
    with pytest.raises(ModelUnavailableError, match="cannot be written"):
        make_random(model, lambda *_: None)


@pytest.mark.usefixtures("fresh_caches")
def test_made_by_a_click() -> None:
    app = open_page("pages/2_Input_Embeddings.py", model=RANDOM)
    assert value(app, "fallback") == EMBEDDED
    button = app.button(key="download_model")
    assert button.label.startswith("Make ")
    button.click().run()
    wait_for(lambda: (kept_folder() / RANDOM).exists())
    wait_for(lambda: any("never trained" in caption.value for caption in app.run().caption))
    assert charts(app)
